"""Names and files are tied both ways; each hint is the path to create (the shelf's promise: one tool, two files)."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as live_settings
from django.core.checks import CheckMessage

from workbench.journal.kinds import KINDS
from workbench.tools import all_tools
from workbench.web import checks


@pytest.fixture
def copy(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """Our templates, to break."""
    shutil.copytree(live_settings.ROOT / "templates", tmp_path / "templates")
    settings.ROOT = tmp_path
    settings.TEMPLATES = [{**live_settings.TEMPLATES[0], "DIRS": [tmp_path / "templates"]}]
    yield tmp_path / "templates"


def found() -> list[CheckMessage]:
    return [*checks.kinds_and_templates(), *checks.tools_and_templates(), *checks.fallbacks()]


def ids(messages: list[CheckMessage]) -> list[str]:
    return [str(m.id).removeprefix("workbench.") for m in messages]


def test_what_ships_is_whole(copy: Path) -> None:
    assert found() == []
    assert len(KINDS) > 15
    assert len(all_tools()) >= 7


def test_a_kind_without_a_template_names_the_path_to_create(copy: Path) -> None:
    (copy / "timeline" / "mode_changed.html").unlink()
    (error,) = found()
    assert (ids([error]), error.hint) == (["E11"], "add templates/timeline/mode_changed.html")


def test_a_template_without_a_kind_names_the_path_to_remove(copy: Path) -> None:
    (copy / "timeline" / "dance.html").write_text("")
    (error,) = found()
    assert (ids([error]), error.hint) == (["E12"], "remove templates/timeline/dance.html")


def test_a_tool_without_a_template_and_a_template_without_a_tool(copy: Path) -> None:
    (copy / "tools" / "grep.html").rename(copy / "tools" / "grap.html")
    errors = found()
    assert ids(errors) == ["E21", "E22"]
    assert [e.hint for e in errors] == ["add templates/tools/grep.html", "remove templates/tools/grap.html"]


@pytest.mark.parametrize("partial", ["call", "result"])
def test_a_tool_template_needs_both_partials(copy: Path, partial: str) -> None:
    other = "result" if partial == "call" else "call"
    (copy / "tools" / "grep.html").write_text(f"{{% partialdef {other} %}}x{{% endpartialdef %}}")
    (error,) = found()
    assert ids([error]) == ["E23"]
    assert partial in str(error.hint)


def test_a_tool_template_that_does_not_parse_is_said(copy: Path) -> None:
    (copy / "tools" / "grep.html").write_text("{% nonsense %}")
    assert ids(found()) == ["E24"]


def test_the_fallbacks_must_be_there(copy: Path) -> None:
    (copy / "tools" / "_generic.html").unlink()
    (error,) = found()
    assert (ids([error]), error.hint) == (["E13"], "add templates/tools/_generic.html")
