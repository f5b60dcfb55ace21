"""History: what changed in a workspace, the versions of a file, one change with its diff, and taking it back."""

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import trigger_client_event

from workbench.files import Refused
from workbench.history.diff import Diff, diff
from workbench.history.rollback import Plan, Step
from workbench.history.states import ABSENT, State
from workbench.history.store import Damaged
from workbench.web import rollbacks
from workbench.web.changed import content, lines_between, taken_back
from workbench.web.models import Version, Workspace
from workbench.web.templatetags.code import code_rows
from workbench.web.views import told, trouble, who

RECENT = 100
VERSIONS = 500
FILES = 1000


@dataclass(frozen=True)
class Entry:
    """A version as the list shows it."""

    row: Version
    number: int
    """the n-th version of its path"""
    lines: tuple[int, int] | None
    word: str
    back: bool
    """it is taken back"""


@require_GET
@told
def history(request: HttpRequest, workspace: int | None = None, path: str = "") -> HttpResponse:
    """Without a path: what changed lately. With one: its versions, and the latest of them."""
    if workspace is None:
        rows = _versions().order_by("-pk")[:RECENT]
        context: dict[str, Any] = {"recent": _recent(rows), "workspaces": _workspaces()}
        return render(request, "pages/history.html", context)
    row = get_object_or_404(Workspace, pk=workspace)
    if path:
        latest = _versions().filter(workspace=row, path=path).order_by("-pk").first()
        if latest is None:
            raise Refused("no_file", f"No agent has changed {path} in {row.name}, so it has no versions.")
        return render(request, "pages/history.html", _of_file(latest))
    files = _versions().filter(workspace=row).values("path").annotate(n=Count("pk"), last=Max("pk")).order_by("-last")
    recent = _recent(_versions().filter(workspace=row).order_by("-pk")[:RECENT])
    return render(request, "pages/history.html", {"workspace": row, "files": files[:FILES], "recent": recent})


@require_GET
@told
def change(request: HttpRequest, change: int) -> HttpResponse:
    """One change: its diff, who made it, what came after."""
    return render(request, "pages/history.html", _of_file(_versions().get(pk=change)))


@require_GET
@told
def plan(request: HttpRequest, change: int) -> HttpResponse:
    """What taking a change back (or some of its hunks) would do, before it is done."""
    hunks, recreate = _hunks(request.GET), "recreate" in request.GET
    rb = rollbacks.of_change(change, who(request), recreate=recreate)
    context = {"plan": _shown(rb.version(change, hunks=hunks)), "change": change, "hunks": hunks}
    return render(request, "parts/plan.html", context)


@require_POST
@told
def rollback(request: HttpRequest, change: int) -> HttpResponse:
    """Take it back; nothing is written when it overlaps with later changes."""
    hunks, recreate = _hunks(request.POST), "recreate" in request.POST
    outcomes = rollbacks.one(change, who(request), hunks=hunks, recreate=recreate)
    stuck = next((o for o in outcomes if o["status"] not in ("done", "already")), None)
    if stuck:
        return trouble(request, stuck["message"], 409)
    response = HttpResponse()
    made = next((o["version"] for o in outcomes if o.get("version")), None)
    return trigger_client_event(response, "wb:rolled-back", {"version": made, "said": outcomes[0]["message"]})


def _versions() -> Any:
    return Version.objects.filter(status="done").select_related("session", "workspace")


def _of_file(chosen: Version) -> dict[str, Any]:
    rows = list(_versions().filter(workspace=chosen.workspace, path=chosen.path).order_by("pk")[:VERSIONS])
    back = taken_back(rows)
    entries = [_entry(row, number, back) for number, row in enumerate(rows, 1)]
    shown, problem = _diff(chosen)
    return {
        "workspace": chosen.workspace,
        "path": chosen.path,
        "entries": entries[::-1],
        "chosen": next((e for e in entries if e.row.pk == chosen.pk), _entry(chosen, 0, back)),
        "diff": shown,
        "by_hunk": [replace(shown, hunks=(hunk,)) for hunk in shown.hunks] if shown else [],
        "problem": problem,
        "sessions": len({row.session_id for row in rows}),
    }


def _entry(row: Version, number: int, back: set[int]) -> Entry:
    before, after = _states(row)
    if row.undoes:
        word = "Taken back" if len(row.undoes) == 1 else "Rewound"
    elif before.kind == "absent":
        word = "Created"
    else:
        word = "Deleted" if after.kind == "absent" else "Changed"
    return Entry(row, number, lines_between(before, after), word, row.pk in back)


def _recent(rows: Any) -> list[Entry]:
    shown = list(rows)
    back = taken_back(shown)
    return [_entry(row, 0, back) for row in shown]


def _states(row: Version) -> tuple[State, State]:
    return State(**row.before), State(**row.after) if row.after else ABSENT


def _diff(row: Version) -> tuple[Diff | None, str]:
    """The diff of a version, or why there is none."""
    before, after = _states(row)
    for state, when in ((before, "before"), (after, "after")):
        if state.kind in ("file", "link") and not state.stored:
            return None, f"The content {when} this change was not kept: a rule or its size left it out."
    try:
        old, new = content(before.sha256), content(after.sha256)
    except Damaged as e:
        return None, str(e)
    old_path = "" if before.kind == "absent" else row.path
    new_path = "" if after.kind == "absent" else row.path
    return diff(old, new, old_path=old_path, new_path=new_path, old_mode=before.mode, new_mode=after.mode), ""


@dataclass(frozen=True)
class Side:
    """One of the three texts of a conflict, around the first place where they differ."""

    title: str
    why: str
    rows: SafeString


@dataclass(frozen=True)
class ShownStep:
    """A step of a plan with what there is to look at."""

    step: Step
    diff: Diff | None = None
    """from what lies there now to what would"""
    sides: tuple[Side, ...] = ()

    @property
    def goes(self) -> bool:
        """Nothing will lie there."""
        return self.step.result.kind == "absent"


def _shown(plan: Plan) -> dict[str, Any]:
    return {"steps": [_step(step) for step in plan.steps], "ready": plan.ready, "left_out": plan.left_out}


def _step(step: Step) -> ShownStep:
    if step.action == "conflict":
        return ShownStep(step, sides=_sides(step))
    if not step.writes:
        return ShownStep(step)
    return ShownStep(step, diff(step.mine, step.data, old_path=step.path, new_path=step.path))


def _sides(step: Step) -> tuple[Side, ...]:
    first = step.conflicts[0] if step.conflicts else None
    others = ", ".join(step.others) or "someone else"
    texts = (
        ("Before the change", "what taking it back would restore", step.theirs, first and first.theirs_line),
        ("On disk now", f"changed since by {others}", step.mine, first and first.mine_line),
        ("What the change left", "the text that both come from", step.base, first and first.base_line),
    )
    return tuple(Side(title, why, _around(data or b"", line or 1, step.path)) for title, why, data, line in texts)


def _around(data: bytes, line: int, path: str) -> SafeString:
    lines = data.decode("utf-8", "replace").split("\n")
    start = max(0, line - 6)
    shown = lines[start : start + 40]
    return code_rows("\n".join(shown), path, range(start + 1, start + 1 + len(shown)), hits=(line,))


def _workspaces() -> Any:
    counted = Workspace.objects.annotate(n=Count("versions__path", distinct=True), last=Max("versions__at"))
    return counted.filter(n__gt=0).order_by("-last")[:50]


def _hunks(query: Any) -> frozenset[int]:
    return frozenset(int(n) for n in query.getlist("hunk") if n.isdecimal())
