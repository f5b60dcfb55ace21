"""One file inside a workspace. This module holds the one family of refusals that every row above uses too."""

from typing import Any, Literal

ErrorCode = Literal[
    "bad_args", "bad_path", "outside", "loop", "denied", "no_file", "is_directory", "not_regular", "device", "exists",
    "permission", "io", "binary", "undecodable", "unencodable", "too_large", "image_too_large", "bad_image",
    "bad_notebook", "bad_pdf", "pdf_encrypted", "unsupported", "approval_required", "not_read", "stale", "not_found",
    "ambiguous", "noop", "timeout_cap", "interrupted", "rejected", "conflict",
]  # fmt: skip
"""The closed list of codes that a result may carry as `error`."""


class Refused(Exception):
    """Something was asked for that is not done. The reader is the model: `{"error": code, "message": …, **facts}`.

    `message` says what happened, why, and what to do next, in one or two sentences, with the numbers needed.
    """

    def __init__(self, code: ErrorCode, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.facts = facts

    def as_data(self) -> dict[str, Any]:
        return {"error": self.code, "message": self.message, **self.facts}
