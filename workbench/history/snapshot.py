"""What a command changed: a look at the whole workspace before and after it (SPEC B6).

tree = Tree.of(store, root, keeps)      # one a workspace and process, shared by its sessions
tree.open()                             # baseline, in the background when the workspace is opened
scan = tree.before(session, call)       # old bytes of everything that could change are in the store
… the command …
changes = scan.after(versions, by="bash")
changes.versions, changes.notes         # rows, and sentences on what could not be kept
"""

from dataclasses import dataclass

from workbench.history.versions import Version


@dataclass(frozen=True)
class Changes:
    versions: tuple[Version, ...]
    notes: tuple[str, ...]
    """sentences: what changed and cannot be taken back, what was not looked at"""
