"""What a session has seen of which file: the read state behind `not_read`, `stale` and `unchanged` (SPEC S1-S5)."""


class Seen:
    """Read state of one session; bounded, safe to use from several threads, rebuilt from notes in the journal."""
