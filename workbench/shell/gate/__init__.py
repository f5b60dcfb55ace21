"""How a command is understood.

    text ── parse ──> tree ── walk ──> simple commands ── programs + tables ──> effects with resolved targets

One walk follows the tree the way bash would run it: `walk` the control flow, `redirect` the redirections, `words` the
quoting and expansions, `scope` what is known of variables, folders and functions, `stream` what flows through pipes.
Each simple command is a `command`, sorted by `options` after what `tables/*.toml` know of the program; programs with a
language of their own have a module in `programs/`. Values that are known in part are texts with marks (`values`).

Everything errs to one side: what is not known, not static or not listed is an `opaque` effect, and that asks.
"""
