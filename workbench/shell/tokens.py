"""What each kind of token may hold and what may stand between tokens, in bash's own terms.

Allow lists: a token or a gap that does not match makes the command opaque. Kinds are those of the tree-sitter grammar.
"""

import re

_CONTINUED = r"(?:[ \t]|\\\n)*"
_INNER = re.compile(rf"{_CONTINUED}[ \t]{_CONTINUED}|")
"""between the words of one command: blanks; a continuation only beside a blank, for alone it would join two words"""
_LINES = re.compile(rf"{_CONTINUED}(?:\n[ \t\n]*)?")
"""between commands; after a newline no continuation, for the grammar loses the command that follows it"""
_BLANKS = re.compile(r"[ \t\n]*")
_NONE = re.compile(r"")

GAPS: dict[str, re.Pattern[str]] = {
    "array": _BLANKS,
    "arithmetic_expansion": _INNER,
    "binary_expression": _INNER,
    "brace_expression": _NONE,
    "c_style_for_statement": _LINES,
    "case_item": _LINES,
    "case_statement": _LINES,
    "command": _INNER,
    "command_name": _NONE,
    "command_substitution": _LINES,
    "compound_statement": _LINES,
    "concatenation": _NONE,
    "declaration_command": _INNER,
    "do_group": _LINES,
    "elif_clause": _LINES,
    "else_clause": _LINES,
    "expansion": _BLANKS,
    "file_redirect": _INNER,
    "for_statement": _LINES,
    "function_definition": _LINES,
    "heredoc_body": re.compile(r".*", re.DOTALL),  # judged with its delimiter
    "heredoc_redirect": _LINES,
    "herestring_redirect": _INNER,
    "if_statement": _LINES,
    "list": _LINES,
    "negated_command": _INNER,
    "parenthesized_expression": _INNER,
    "pipeline": _LINES,
    "postfix_expression": _INNER,
    "process_substitution": _LINES,
    "program": _LINES,
    "redirected_statement": _INNER,
    "simple_expansion": _NONE,
    "string": _BLANKS,
    "subscript": _INNER,
    "subshell": _LINES,
    "ternary_expression": _INNER,
    "test_command": _INNER,
    "unary_expression": _INNER,
    "unset_command": _INNER,
    "variable_assignment": _NONE,
    "variable_assignments": _INNER,
    "while_statement": _LINES,
}
"""what may stand between the children of a node; a kind that is not here is not understood"""

_NO_EXPANSION = r"\$(?![A-Za-z0-9_({\[@*#?!$-])"
_PATTERN = re.compile(rf"(?:[^\\`$'\"\n]|\\[^\n]|{_NO_EXPANSION})*")

LEAVES: dict[str, re.Pattern[str]] = {
    "ansi_c_string": re.compile(r"\$'(?:[^'\\]|\\.)*'", re.DOTALL),
    "comment": re.compile(r"#[^\n]*"),
    "extglob_pattern": _PATTERN,
    "file_descriptor": re.compile(r"\d+"),
    "heredoc_body": re.compile(r".*", re.DOTALL),  # judged with its delimiter, in heredoc_problem
    "heredoc_content": re.compile(r".*", re.DOTALL),
    "heredoc_end": re.compile(r"[^\n]*"),
    "heredoc_start": re.compile(r"[^\n]*"),
    "number": re.compile(r"-?[0-9][0-9A-Za-z#_@]*"),
    "raw_string": re.compile(r"'[^']*'"),
    "regex": _PATTERN,
    "special_variable_name": re.compile(r"[*@?!#$0_-]"),
    "string_content": re.compile(rf"(?:[^\"\\`$]|\\.|{_NO_EXPANSION})*", re.DOTALL),
    "test_operator": re.compile(r"-[a-zA-Z]+"),
    "variable_name": re.compile(r"[A-Za-z0-9_]+"),
    "word": re.compile(r"(?:[^\s\\'\"`$&|;()<>]|\\[^\n])+"),
}
"""what a leaf may hold; signs like `;` or `$(` hold themselves"""

PLAIN = re.compile(r"[A-Za-z0-9_./:=@%+-]+")
"""a word that is itself, without quotes, patterns or expansions"""

STATEMENTS = frozenset(
    [
        "c_style_for_statement",
        "case_statement",
        "command",
        "compound_statement",
        "declaration_command",
        "for_statement",
        "function_definition",
        "if_statement",
        "list",
        "negated_command",
        "pipeline",
        "redirected_statement",
        "subshell",
        "test_command",
        "unset_command",
        "variable_assignment",
        "variable_assignments",
        "while_statement",
    ]
)
"""what bash runs one after the other; two of them need a separator"""

WORDS = frozenset(
    [
        "ansi_c_string",
        "arithmetic_expansion",
        "array",
        "brace_expression",
        "command_substitution",
        "concatenation",
        "expansion",
        "number",
        "process_substitution",
        "raw_string",
        "simple_expansion",
        "string",
        "translated_string",
        "word",
        "extglob_pattern",
        "regex",
        "$",
    ]
)
"""what can be a word of a command, or a piece of one"""

RESERVED = frozenset(
    [
        "if",
        "then",
        "elif",
        "else",
        "fi",
        "for",
        "while",
        "until",
        "do",
        "done",
        "case",
        "esac",
        "select",
        "function",
        "in",
        "coproc",
        "{",
        "}",
        "!",
    ]
)
"""words that bash reads as syntax where a command could start"""

KEYWORDS = RESERVED | {
    "[[",
    "]]",
    "[",
    "]",
    "((",
    "))",
    "declare",
    "export",
    "local",
    "readonly",
    "typeset",
    "unset",
    "unsetenv",
}
"""signs of the grammar that are words to bash, and must stand alone"""

_DELIMITER = re.compile(r"[A-Za-z0-9_.!@%+=:,-]+")
_LIVE = re.compile(rf"(?:[^\\`$]|\\[^\n]|{_NO_EXPANSION})*", re.DOTALL)
"""text of a here-document that expands, between its expansions; no continuation, which could hide the end"""


def heredoc_quoted(start: str) -> bool:
    """Whether a delimiter is quoted, so that the body is plain text."""
    return any(c in start for c in "'\"\\")


def heredoc_problem(text: str, arrow: str, start: tuple[int, int], body: tuple[int, int], end: tuple[int, int]) -> str:
    """Why a here-document may not be what the tree says, or nothing. Spans of delimiter, body and closing line."""
    written = text[slice(*start)]
    delimiter = re.sub(r"['\"\\]", "", written)
    if not _DELIMITER.fullmatch(delimiter):
        return "the delimiter of a here-document is unusual"
    at = text.find("\n", start[1]) + 1
    first = at
    while at:
        stop = text.find("\n", at)
        line = text[at : stop if stop >= 0 else len(text)]
        if (line.lstrip("\t") if arrow == "<<-" else line) == delimiter:
            break
        at = stop + 1
    opened = first <= body[0] and not text[first : body[0]].strip("\t")
    if not at or end[1] != at + len(line) or text[slice(*end)].strip("\t") != delimiter or not opened:
        return "a here-document does not end where it seems to"
    return ""


def heredoc_text_problem(text: str) -> str:
    """Why a stretch between the expansions of an unquoted here-document is not plain text, or nothing."""
    return "" if _LIVE.fullmatch(text) else "a here-document holds something that may expand"
