"""`bash`: run a command, contained (SPEC B1-B6)."""

from typing import Any

from pydantic import Field

from workbench.policy.call import Effect
from workbench.tools import Args, Context, Result, Tool


class BashArgs(Args):
    command: str = Field(description="The shell command, run by bash.")
    timeout: int = Field(30, description="Seconds until it is killed. At most 120.")


class Bash(Tool):
    """Run a command in a fresh bash process and get its exit code and output."""

    Args = BashArgs

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        raise NotImplementedError

    def run(self, args: Any, ctx: Context) -> Result:
        raise NotImplementedError


tool = Bash()
