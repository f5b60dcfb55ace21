#!/usr/bin/env python
"""Runs the commands of the workbench: `uv run manage.py up`."""

import os
import sys
from pathlib import Path

from django.core.management import execute_from_command_line

from workbench.web import datadir


def data_option(argv: list[str]) -> str | None:
    """The value of `--data`, which must be known before the settings are read."""
    for i, word in enumerate(argv):
        if word == "--":
            return None
        if word == "--data" and i + 1 < len(argv):
            return argv[i + 1]
        if word.startswith("--data="):
            return word.removeprefix("--data=")
    return None


def main(argv: list[str]) -> None:
    data = data_option(argv)
    if data:
        os.environ["WORKBENCH_DATA"] = str(Path(data).expanduser().absolute())
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    try:
        datadir.prepare(datadir.folder())
    except datadir.Unusable as e:
        sys.exit(f"workbench: {e}")
    execute_from_command_line(argv)


if __name__ == "__main__":
    main(sys.argv)
