"""Secrets in text: which kind, on which line, and a masked excerpt. Found by the shapes of known credentials, and by
assignments to names like `password` whose value looks random.

Why patterns of our own and not detect-secrets: measured on this repository, its line scan takes 0.8 ms a line (a 10,000
line file would take 8 s before a write), keeps its settings in module globals, which two sessions at once would share,
and its entropy detectors name ordinary words and docstrings. What is wanted here is a question to a person, so a false
alarm costs as much as a miss. Each shape is searched only where a literal part of it stands in the text.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Found:
    """One secret in a text."""

    kind: str
    """`AWS key`, `GitHub token` …"""
    line: int
    """from 1"""
    start: int
    end: int
    """the secret itself, in the text"""
    excerpt: str
    """masked: enough to recognise it, not enough to use it"""

    def __str__(self) -> str:
        return f"{self.kind} in line {self.line}: {self.excerpt}"


@dataclass(frozen=True)
class _Shape:
    kind: str
    hints: tuple[str, ...]
    """one of them, in lower case, stands in every text that has such a secret"""
    pattern: re.Pattern[str]
    """the secret is its last group, or the whole match"""


def _shape(kind: str, hints: str, pattern: str, flags: int = 0) -> _Shape:
    return _Shape(kind, tuple(hints.split()), re.compile(pattern, flags))


_NAMES = (
    r"passwords?|passwd|passphrase|pwd|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|auth[_-]?keys?|private[_-]?keys?"
    r"|signing[_-]?keys?|encryption[_-]?keys?|credentials?"
)
_SHAPES = (
    _shape("private key", "age-secret-key-", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b"),
    _shape("AWS key", "akia asia abia acca", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    _shape(
        "AWS secret key",
        "aws",
        r"(?i)\baws.{0,30}?(?:key|secret|token|pass).{0,30}?[=:\s\"']([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _shape("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    _shape("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{22,255}\b"),
    _shape(
        "GitLab token",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glptt- gloas-",
        r"\bgl(?:pat|dt|ft|soat|rt|cbt|ptt|oas)-[A-Za-z0-9_-]{20,64}\b",
    ),
    _shape(
        "Slack token",
        "xoxa- xoxb- xoxe- xoxp- xoxo- xoxs- xoxr- xapp-",
        r"\b(?:xox[abeposr]|xapp)-[A-Za-z0-9-]{10,250}\b",
    ),
    _shape("Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows)/(T\w+/\w+/\w+)"),
    _shape("Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{15,21}/([\w-]{60,80})"),
    _shape("Stripe key", "k_live_ whsec_", r"\b(?:[rs]k_live_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/=]{24,100})"),
    _shape("Google key", "aiza gocspx-", r"\b(?:AIza[\w-]{35}|GOCSPX-[\w-]{28})(?![\w-])"),
    _shape("Anthropic key", "sk-ant-", r"\bsk-ant-[\w-]{20,250}"),
    _shape(
        "OpenAI key",
        "sk-",
        r"\bsk-(?:(?:proj|svcacct|admin)-[\w-]{20,250}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{40,64}\b)",
    ),
    _shape("Hugging Face token", "hf_", r"\bhf_[A-Za-z]{34}\b"),
    _shape("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    _shape("npm token", "_authtoken", r"_authToken\s{0,5}=\s{0,5}[\"']?([\w/+=-]{20,200})"),
    _shape("PyPI token", "pypi-age", r"\bpypi-AgE[\w-]{50,500}"),
    _shape("SendGrid key", "sg.", r"\bSG\.[\w-]{22}\.[\w-]{43}\b"),
    _shape("Twilio key", "sk", r"\bSK[0-9a-f]{32}\b"),
    _shape("Telegram token", ":aa", r"\b\d{8,10}:AA[\w-]{33}(?![\w-])"),
    _shape("DigitalOcean token", "doo_v1_ dop_v1_ dor_v1_", r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    _shape("Mailgun key", "key-", r"\bkey-[0-9a-f]{32}\b"),
    _shape("Mailchimp key", "-us", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    _shape("Azure storage key", "accountkey=", r"(?i)AccountKey=([A-Za-z0-9+/]{86}==)"),
    _shape("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"),
    _shape("Square token", "sq0csp- sq0atp-", r"\bsq0(?:csp-[\w-]{43}|atp-[\w-]{22})"),
    _shape("Databricks token", "dapi", r"\bdapi[0-9a-f]{32}\b"),
    _shape("Vault token", "hvs. hvb.", r"\bhv[sb]\.[\w-]{24,200}"),
    _shape("web token", "eyj", r"\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{16,1000}"),
)
"""shapes that stand on one line"""
_KEY_BLOCKS = (
    _shape(
        "private key",
        "private",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\s|\\r|\\n|[A-Za-z-]{1,40}: [^\n]{0,200}\n){1,20}[A-Za-z0-9+/=]{8,}"
        r"[A-Za-z0-9+/=\s\\:,]{0,20000}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    _shape("private key", "private-lines:", r"Private-Lines: \d{1,4}\s+[A-Za-z0-9+/=\s]{40,20000}"),
)
_URL = _shape("password in a URL", "://", r"://([^\s:/?#@\"'`<>]{0,100}):([^\s/?#@\"'`<>]{3,200})@[\w\[]")
_ASSIGNED = _shape(
    "secret value",
    "passw pwd passphrase secret token key credential",
    rf"(?i)(?:{_NAMES})[\w-]{{0,40}}[\"']?\]?\s{{0,20}}(?::=|=>|=|:)\s{{0,20}}"
    r"(?:[rbuf]{0,2}(?P<q>[\"'`])(?P<quoted>[^\s\"'`]{8,250})(?P=q)"
    r"|(?P<bare>[^\s\"'`,;<>(){}\[\]]{8,250})[ \t]*(?:[#\r\n]|\Z))",
)
_PLACEHOLDER = re.compile(
    r"(?i)example|sample|dummy|fake|placeholder|change.?me|replace.?me|your[_-]|insert|redacted|secret|passw|token|"
    r"xxx|\*\*\*|\.\.\.|…|1234|abcd|test|todo|none|null|undefined|default|foo|bar|lorem|\$\{|\$\(|\{\{|%\(|<.*>|^\$"
)
_WORDS = re.compile(r"_*[A-Za-z]+(?:[_.:/@-]+[A-Za-z]+)*\d{0,2}")
_CODE = re.compile(r"[(){}$;|&\\]|::|->|^[\w.]+\.[A-Za-z_]\w*$|^[./~]|^https?:")


def find(text: str) -> list[Found]:
    """Every secret in `text`, in the order in which they stand there."""
    folded = text.replace("\u0130", "I").lower()  # the one character whose lower form is longer
    spans: list[tuple[int, int, str]] = []
    for shape in _KEY_BLOCKS:
        if shape.hints[0] in folded:
            spans += ((*m.span(), shape.kind) for m in shape.pattern.finditer(text))
    for shape in (*_SHAPES, _URL, _ASSIGNED):
        for start, end in _lines_with(folded, shape.hints):
            for found in shape.pattern.finditer(text, start, end):
                if span := _secret(shape, found):
                    spans.append((*span, shape.kind))
    return list(_located(text, spans))


def introduced(before: str, after: str, *, first_line: int = 1) -> list[Found]:
    """The secrets of `after` that are not in `before`: what a change brings in. `first_line` is the number of the first
    line of `after`."""
    new = [f for f in find(after) if after[f.start : f.end] not in before]
    return [Found(f.kind, f.line + first_line - 1, f.start, f.end, f.excerpt) for f in new]


def mask(text: str) -> str:
    """`text` with every secret replaced by `<redacted: kind>`."""
    out, last = [], 0
    for found in find(text):
        out += [text[last : found.start], f"<redacted: {found.kind}>"]
        last = found.end
    return "".join([*out, text[last:]])


def _lines_with(folded: str, hints: tuple[str, ...]) -> set[tuple[int, int]]:
    """(start, end) of the lines in which one of the hints stands."""
    lines = set()
    for hint in hints:
        at = folded.find(hint)
        while at >= 0:
            start, end = folded.rfind("\n", 0, at) + 1, folded.find("\n", at)
            end = end if end >= 0 else len(folded)
            lines.add((start, end))
            at = folded.find(hint, end)
    return lines


def _secret(shape: _Shape, found: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret is in a match; None when it only has the shape of one."""
    if shape is _URL:
        return found.span(2) if _is_password(found[2], found[1]) else None
    if shape is _ASSIGNED:
        group = "quoted" if found["quoted"] else "bare"
        return found.span(group) if _looks_random(found[group]) else None
    return found.span(found.lastindex or 0)


def _located(text: str, spans: list[tuple[int, int, str]]) -> Iterator[Found]:
    """The spans with their lines; of overlapping ones the one that begins first, and of those the first listed."""
    line, at, end = 1, 0, 0
    for start, stop, kind in sorted(spans, key=lambda span: span[0]):
        if start >= end:
            line += text.count("\n", at, start)
            at, end = start, stop
            yield Found(kind, line, start, stop, _excerpt(text[start:stop]))


def _excerpt(secret: str) -> str:
    if secret.startswith("-----BEGIN "):
        return secret.partition("\n")[0][:60].partition("\\")[0] + " …"
    if len(secret) < 16:
        return secret[:2] + "…"
    return f"{secret[:4]}…{secret[-3:]}"


def _looks_random(value: str) -> bool:
    """Whether a value is more likely a secret than a word, a name, a path, a placeholder or code."""
    if _PLACEHOLDER.search(value) or _WORDS.fullmatch(value) or _CODE.search(value):
        return False
    classes = sum(any(test(c) for c in value) for test in (str.islower, str.isupper, str.isdigit))
    classes += any(not c.isalnum() for c in value)
    return classes >= 2 and any(c.isdigit() or not c.isalnum() for c in value) and _entropy(value) >= 2.9


def _is_password(value: str, user: str) -> bool:
    """Whether the password part of a URL is one, and not a short word, a variable or the same word as the user."""
    if value.isalpha() and len(value) < 7:
        return False
    return value.lower() != user.lower() and not _PLACEHOLDER.search(value) and not _CODE.search(value)


def _entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
