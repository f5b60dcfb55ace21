"""What is put in order when the workbench starts, after whatever ended it."""

import logging

from workbench.web import adapters

log = logging.getLogger(__name__)


def recover() -> None:
    behind = adapters.reconcile()
    if behind:
        log.info("%d journal files completed from the database", behind)
