"""The system prompt: `prompt.md` filled in, and the workspace's own instructions as data."""

from collections.abc import Collection

from workbench.files.fence import Fence
from workbench.policy.call import Mode


def system(mode: Mode, *, fence: Fence, sandbox: str = "", tools: Collection[str] = (), today: str = "") -> str:
    """The system prompt. `sandbox`: how commands are contained, in words; `today` as YYYY-MM-DD."""
    raise NotImplementedError
