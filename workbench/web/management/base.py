"""What the commands share: the data folder, its tables, and how they fail."""

import sys
from argparse import ArgumentParser
from typing import Any, Literal, NoReturn

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

FAILED = 1


class WorkbenchCommand(BaseCommand):
    """A command of the workbench. `manage.py` reads `--data` before the settings; here it is only declared."""

    needs_tables = True
    requires_system_checks: list[str] | tuple[str, ...] | Literal["__all__"] = ()
    """`up` makes them; a single command need not wait for them"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--data", metavar="DIR", help="the data folder (default: WORKBENCH_DATA, or the platform's)"
        )

    def execute(self, *args: Any, **options: Any) -> str | None:
        if self.needs_tables:
            self.prepare_tables()
        return super().execute(*args, **options)

    def prepare_tables(self) -> None:
        """Bring the database up to date. Ends the command with one line when it cannot be used."""
        try:
            executor = MigrationExecutor(connection)
            if executor.migration_plan(executor.loader.graph.leaf_nodes()):
                call_command("migrate", verbosity=0, interactive=False)
        except DatabaseError as e:
            name = connection.settings_dict["NAME"]
            self.fail(f"The database {name} cannot be used: {e}.")

    def fail(self, message: str, code: int = FAILED) -> NoReturn:
        """End with one line for the person."""
        self.stderr.write(f"workbench: {message}", self.style.ERROR)
        sys.exit(code)
