"""What lay at a path at one moment."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["absent", "file", "link", "folder", "other"]
"""`other`: a FIFO, socket or device, which is never opened"""


@dataclass(frozen=True)
class State:
    """What lay at a path at one moment."""

    kind: Kind
    sha256: str = ""
    """of the bytes (file) or of the target text (link); "" where it was not taken (then nothing is stored either)"""
    size: int = 0
    mode: int = 0
    """permission bits"""
    stored: bool = True
    """the bytes are in the store; False when a rule or a limit left them out, or they were purged"""

    def same_content(self, other: "State") -> bool:
        """Equal but for permission bits. A content that was never hashed equals none."""
        known = self.sha256 != "" or self.kind not in ("file", "link")
        return known and (self.kind, self.sha256) == (other.kind, other.sha256)

    def same_as(self, other: "State") -> bool:
        """Equal on disk; whether the bytes are kept does not matter."""
        return self.same_content(other) and (self.kind != "file" or self.mode == other.mode)


ABSENT = State("absent")
