"""What is put in order when the workbench starts, after whatever ended it."""

import logging
from pathlib import Path

from workbench.files import Refused, atomic
from workbench.history.recover import recover as settle_pending
from workbench.history.versions import History
from workbench.policy.rules import built_in
from workbench.web import adapters, models, runtime
from workbench.web.version_rows import DatabaseVersions

log = logging.getLogger(__name__)


def recover() -> None:
    """Journals on disk catch up with the database; changes of files that were cut off are settled by what the disk
    shows, and their temporary files go. A workspace that is gone keeps its open rows until it is back."""
    if behind := adapters.reconcile():
        log.info("%d journal files completed from the database", behind)
    for workspace in models.Workspace.objects.filter(versions__status="pending").distinct():
        try:
            _settle(Path(workspace.path))
        except (OSError, Refused) as e:
            log.warning("changes in %s stay open: %s", workspace.path, e)


def _settle(root: Path) -> None:
    if not root.is_dir():
        raise Refused("no_file", f"{root} is gone")
    wall = runtime.fence(root, built_in())
    settled = settle_pending(History(runtime.store(), DatabaseVersions(), wall, "", "", "recovery"))
    removed = atomic.sweep(root)
    log.info("%s: %d changes settled, %d temporary files removed", root, len(settled), len(removed))
