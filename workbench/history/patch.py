"""Unified diffs as text and bytes, such as `git apply` takes."""


def unified(old: bytes, new: bytes, path: str, *, context: int = 3, limit: int = 0) -> str:
    """The diff of one text file for the model, `--- a/path` and `+++ b/path` with it.

    `limit` > 0: at most so many characters, cut at a hunk or line, and the last line says how many lines are missing.
    """
    raise NotImplementedError
