"""What the demo model says and does: a script that reacts to what it hears.

It is a generator: it yields a `Turn` and is sent what came of it (`Heard`). `providers/demo.py` runs it from the
start for every request, with what the conversation holds, so it must depend on nothing else.
"""

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

Data = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    text: str
    calls: tuple[tuple[str, Data], ...] = ()
    reasoning: str = ""
    replies: bool = False
    """it answers what people said; any other turn only says that it read it"""


@dataclass(frozen=True)
class Heard:
    results: tuple[Data, ...] = ()
    """of the turn's calls, in their order"""
    said: tuple[str, ...] = ()
    """what people said meanwhile"""


Script = Generator[Turn, Heard, None]
Part = Generator[Turn, Heard, Data]
"""a piece of the script; gives what came of its last call"""

TESTS = "python3 -B -m unittest -q"
CODE = "seedshop/pricing.py"
CASES = "tests/test_pricing.py"
FROM_TEN = "10 or more, as the README says"
FROM_ELEVEN = "More than 10, as the code does"
COMMIT = "Give the bulk discount from ten packets on"
COMMIT_OTHER = "Say that the bulk discount begins at eleven packets"


def tour() -> Script:
    """The whole demo, and then short answers for as long as somebody asks."""
    heard = yield Turn(
        "I am the **demo model**: a script, not a language model. What I say was written beforehand, but what I do is "
        "real. Let me see what is here.",
        (("glob", {"pattern": "**/*"}),),
    )
    if CODE in json.dumps(heard.results):
        yield from _mend()
    else:
        yield from _elsewhere(heard)


def _mend() -> Script:
    yield from _look_around()
    red = yield from _do(
        "Before I touch anything: are the tests green? They take a few seconds; the output arrives while they run.",
        "bash",
        {"command": TESTS, "timeout": 60},
    )
    answer = yield from _do(
        f"{_of_tests(red)} The README says *10 or more*, the code gives the discount only from 11 packets on. Which "
        "one is right is not mine to say.",
        "ask_user",
        {
            "question": "From how many packets on does the bulk discount apply?",
            "options": [
                {"label": FROM_TEN, "description": "The code is wrong: I change one comparison."},
                {"label": FROM_ELEVEN, "description": "The README and one test are wrong: I change those."},
            ],
        },
    )
    eleven = _means_eleven(str(answer.get("answer") or ""))
    changed = yield from (_change_texts(answer) if eleven else _change_code(answer))
    green: Data = {}
    if not changed.get("error"):
        green = yield from _do(f"{_of_change(changed)} And the tests?", "bash", {"command": TESTS, "timeout": 60})
    done = yield from _deliver(changed, green, COMMIT_OTHER if eleven else COMMIT)
    yield from _answers(_summary(red, answer, changed, green, done))


def _look_around() -> Script:
    yield Turn(
        "A small Python project. I read what it says about itself and the code in question, both at once.",
        (("read_file", {"path": "README.md"}), ("read_file", {"path": CODE})),
        reasoning="Two files that don't depend on each other: one turn, two reads, and they run at the same time.",
    )
    page = {"path": "seedshop/catalogue.py"}
    first = yield from _do("Now the catalogue.", "read_file", page)
    if after := first.get("next"):
        lines = first.get("total_lines") or "very many"
        second = yield from _do(
            f"It has {lines} lines, so it comes in pages. The result says how to go on; I follow it once.",
            "read_file",
            {**page, **after},
        )
        if after := second.get("next"):
            yield from _do("And once more.", "read_file", {**page, **after})
    yield Turn(
        "More of the same. Instead of paging on I search for what matters, and read the tests beside it.",
        (("grep", {"pattern": "BULK_FROM", "glob": "*.py"}), ("read_file", {"path": CASES})),
    )


def _change_code(answer: Data) -> Part:
    edit = {"path": CODE, "old_string": "if quantity > BULK_FROM:", "new_string": "if quantity >= BULK_FROM:"}
    return (yield from _edit(f"{_of_answer(answer)} One character is missing in the code.", edit))


def _change_texts(answer: Data) -> Part:
    old, new = "self.assertEqual(line_total(250, 10), 2125)", "self.assertEqual(line_total(250, 10), 2500)"
    text = f"{_of_answer(answer)} Then the test and the README are what I change."
    result = yield from _edit(text, {"path": CASES, "old_string": old, "new_string": new})
    if result.get("error"):
        return result
    old, new = "**10 or more packets of one variety", "**More than 10 packets of one variety"
    return (yield from _edit("Now the README.", {"path": "README.md", "old_string": old, "new_string": new}))


def _edit(text: str, edit: Data) -> Part:
    """Edit; where the file is not as I knew it, read it again first."""
    result = yield from _do(text, "edit_file", edit)
    if result.get("error") in ("stale", "not_read"):
        yield from _do(
            "The file is not as I knew it, so I read it again before I edit.", "read_file", {"path": edit["path"]}
        )
        result = yield from _do("Now the edit.", "edit_file", edit)
    return result


def _deliver(changed: Data, green: Data, message: str) -> Part:
    """Commit and push, if there is something to deliver and the tests agree."""
    if changed.get("error") or green.get("exit_code") != 0:
        return {"error": "nothing to deliver"}
    files = f"{CODE} {CASES} README.md"
    commit = yield from _do(
        f"{_of_tests(green)} I commit what I changed.",
        "bash",
        {"command": f'git add {files} && git commit --quiet -m "{message}" && git log --oneline -n 3'},
    )
    if commit.get("error") or commit.get("exit_code") != 0:
        return commit
    return (
        yield from _do(
            "Committed, here only. A push reaches other people (here: a bare repository beside the workspace), so the "
            "workbench asks you first. Look at what it would send; if you reject it with a reason, I read that.",
            "bash",
            {"command": "git push origin main"},
        )
    )


def _do(text: str, tool: str, args: Data) -> Part:
    """One call; once more when a restart cut it off."""
    heard = yield Turn(text, ((tool, args),))
    if heard.results[0].get("error") == "interrupted":
        heard = yield Turn("That was cut off. I do it once more.", ((tool, args),))
    return heard.results[0]


def _elsewhere(heard: Heard) -> Script:
    """A workspace that is not the sample: only look."""
    paths = heard.results[0].get("paths") if heard.results else None
    names = sorted(paths or [], key=lambda n: (not n.lower().startswith("readme"), n.count("/"), n))
    text = "This is not the sample workspace, and a script can't understand a project it was not written for. "
    if not names:
        yield from _answers(f"{text}There are no files here either. Choose a real model to work here.")
    reads = tuple(("read_file", {"path": name, "limit": 40}) for name in names[:2])
    yield Turn(f"{text}But I can show what looking around is like: a read, or two at once.", reads)
    yield Turn("And a search.", (("grep", {"pattern": r"TODO|FIXME", "limit": 20}),))
    yield from _answers(
        f"That was it: I listed {len(names)} files, read {len(reads)}, searched all of them, and changed nothing.\n\n"
        "To see an edit, an approval and a rollback, start a demo session **without** a workspace: it gets a fresh "
        "copy of the sample. For real work choose a real model."
    )


def _answers(text: str) -> Script:
    """The end, and what is said to whoever goes on talking."""
    heard = yield Turn(text)
    while True:
        if any("test" in words.lower() for words in heard.said if not words.startswith("[")):
            result = yield from _do("That I can do.", "bash", {"command": TESTS, "timeout": 60})
            text = _of_tests(result)
        else:
            text = _short_answer(heard.said)
        heard = yield Turn(text, replies=True)


def _short_answer(said: tuple[str, ...]) -> str:
    if any("took back your change" in words for words in said):
        return "I see that you took my change back. The file is as it was before; I leave it so."
    return (
        "I am a scripted demo and my script ends here: I read your message, but I can't think about it. I can run the "
        "tests again if you ask for them. For anything else start a session with a real model."
    )


def _summary(red: Data, answer: Data, changed: Data, green: Data, done: Data) -> str:
    rows = [
        ("Tests before", _of_tests(red)),
        ("Your answer", str(answer.get("answer") or "none")),
        ("Change", _of_change(changed)),
        ("Tests after", _of_tests(green) if green else "Not run."),
        ("Push", _of_push(done)),
    ]
    table = "\n".join(f"| {what} | {' '.join(how.split())} |" for what, how in rows)
    return (
        f"## What happened\n\n| step | outcome |\n|---|---|\n{table}\n\n"
        "**Try next:** take the edit back with one click on its card, look at it under *History*, open a file page by "
        "page, or send me a message."
    )


def _of_tests(result: Data) -> str:
    if why := _refusal(result):
        return f"The tests were not run: {why}"
    if result.get("timed_out"):
        return "The tests did not end in time."
    return "The tests are green." if result.get("exit_code") == 0 else "The tests are red."


def _of_change(result: Data) -> str:
    why = _refusal(result)
    return f"Nothing was changed: {why}" if why else f"`{result.get('path', 'The file')}` is changed."


def _of_push(result: Data) -> str:
    if result.get("error") == "nothing to deliver":
        return "There was nothing to deliver."
    if why := _refusal(result):
        return f"Nothing was sent: {why}"
    return "It arrived." if result.get("exit_code") == 0 else f"It failed (exit code {result.get('exit_code')})."


def _of_answer(result: Data) -> str:
    if why := _refusal(result):
        return f"{why} I take the README's word for it."
    words = str(result.get("answer") or "").strip()
    if not words:
        return "No answer came, so I take the README's word for it."
    if words in (FROM_TEN, FROM_ELEVEN):
        return "Clear."
    meant = FROM_ELEVEN if _means_eleven(words) else FROM_TEN
    return f"You wrote “{words}”. My script knows two answers; I take it as “{meant}”."


def _refusal(result: Data) -> str:
    """Why a call was not done, in a sentence; empty when it was."""
    match result.get("error"):
        case None:
            return ""
        case "rejected":
            return f"you rejected it ({result.get('reason') or 'without a reason'})."
        case _:
            return str(result.get("message") or result["error"])


def _means_eleven(answer: str) -> bool:
    words = answer.lower()
    return answer == FROM_ELEVEN or (
        answer != FROM_TEN and any(w in words for w in ("more than", "11", "eleven", "code"))
    )


def aside(said: tuple[str, ...]) -> str:
    """A word on what people said in the middle of the script."""
    words = [w for w in said if not w.startswith("[")]
    quoted = " / ".join(" ".join(w.split())[:200] for w in words)
    return f"(I read “{quoted}”, but a script can't follow that and goes on.) " if quoted else ""
