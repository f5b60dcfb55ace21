"""One record, one line: nothing that a model, a file or a request contains can forge a line of the log."""

import logging
import re

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_TRACE_BREAK = "\n"


def visible(text: str) -> str:
    """`text` with line ends, control and bidi characters written as escapes."""
    return _CONTROL.sub(lambda m: m.group().encode("unicode_escape").decode("ascii"), text)


class OneLine(logging.Formatter):
    """Escapes the message; the lines of a traceback are indented, so none can pass for a record."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return visible(super().formatMessage(record))

    def formatException(self, ei: object) -> str:
        trace = super().formatException(ei)  # type: ignore[arg-type]
        return _TRACE_BREAK.join("    " + visible(line) for line in trace.split(_TRACE_BREAK))
