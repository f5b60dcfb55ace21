"""Names that tell what a script, a task or a target does before anybody has read it."""

import re

_TELLING = re.compile(
    r"(?:^|[-_:./ ])(?:deploy|release|publish|push|upload|ship|prod|production|promote|rollout|rollback|destroy|"
    r"teardown|"
    r"provision|migrate|submit|announce|notify|send|mail|install|uninstall|setup|bootstrap|clean|purge|wipe|reset|nuke|"
    r"drop|delete|remove|prune)(?:$|[-_:./ ])",
    re.IGNORECASE,
)
"""names of scripts and targets that say that they reach out or take away"""


def telling(name: str) -> bool:
    """Whether a script or target is called like something that reaches out or takes away."""
    return _TELLING.search(name) is not None
