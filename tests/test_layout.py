"""The taste that a machine can hold. Each failure prints the path to mend.

An exception is listed with its reason; one that is no longer needed fails too.
"""

import ast
import re
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "workbench"
TESTS = ROOT / "tests"
TEMPLATES = ROOT / "templates"
STATIC = ROOT / "static"

FILE_LINES, MEDIAN_LINES, FUNCTION_LINES, TEMPLATE_LINES = 400, 100, 40, 120

LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
LONG_TEMPLATES: dict[str, str] = {}
UNTESTED: dict[str, str] = {}
"""modules without a same-named test, and why"""


def tracked(pattern: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return sorted(ROOT / line for line in listed.splitlines() if (ROOT / line).is_file())


def modules() -> list[Path]:
    return [p for p in tracked("workbench/*.py") if "migrations" not in p.parts and p.read_text().strip()]


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def compare(found: dict[str, str], excepted: dict[str, str]) -> None:
    new = sorted(set(found) - set(excepted))
    stale = sorted(set(excepted) - set(found))
    assert not new, "\n".join(f"{name}: {found[name]}" for name in new)
    assert not stale, f"no longer needs its exception: {stale}"


def test_no_python_file_is_longer_than_it_can_be_read() -> None:
    compare({short(p): f"{n} lines" for p in modules() if (n := lines(p)) > FILE_LINES}, LONG_FILES)


def test_the_median_file_is_short() -> None:
    """Blank lines set things apart; they are not read."""
    assert statistics.median(sum(map(bool, p.read_text().split("\n"))) for p in modules()) <= MEDIAN_LINES


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_function_is_longer_than_a_screen() -> None:
    found = {f"{short(p)}:{name}": f"{n} lines" for p in modules() for name, n in functions(p) if n > FUNCTION_LINES}
    compare(found, LONG_FUNCTIONS)


def test_no_template_is_longer_than_a_screen_and_a_half() -> None:
    found = {short(p): f"{n} lines" for p in tracked("templates/*.html") if (n := lines(p)) > TEMPLATE_LINES}
    compare(found, LONG_TEMPLATES)


def test_every_module_has_a_test_of_the_same_name() -> None:
    found = {}
    for path in modules():
        if path.name == "__init__.py":
            continue
        test = TESTS / path.relative_to(PACKAGE).parent / f"test_{path.name}"
        if not test.is_file():
            found[short(path)] = f"add {short(test)}"
    compare(found, UNTESTED)


def test_every_test_file_has_a_module_of_the_same_name() -> None:
    free = {"test_layout.py"}
    for path in tracked("tests/*/test_*.py"):
        within = path.relative_to(TESTS)
        if within.parts[0] in {"e2e", "bench"} or within.name in free:
            continue
        name = within.name.removeprefix("test_")
        folder = PACKAGE / within.parent
        package_itself = name == f"{folder.name}.py" and (folder / "__init__.py").is_file()
        assert (folder / name).is_file() or package_itself, f"{short(path)}: no {short(folder / name)}"


@pytest.mark.parametrize("folder", ["pages", "parts"])
def test_every_stylesheet_and_script_serves_a_template_of_its_name(folder: str) -> None:
    for path in tracked(f"static/{folder}/*"):
        template = TEMPLATES / folder / f"{path.stem}.html"
        assert template.is_file(), f"{short(path)}: no {short(template)}"


def test_every_page_view_has_a_template_of_its_name() -> None:
    for path in tracked("workbench/web/views/*.py"):
        if path.name in {"__init__.py", "api.py"}:
            continue
        template = TEMPLATES / "pages" / f"{path.stem}.html"
        assert template.is_file(), f"{short(path)}: no {short(template)}"


def test_imports_stand_at_the_top() -> None:
    for path in modules():
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.match(r"\s+(from [\w.]+ import|import [\w.]+($|,| as ))", line) and path.name != "apps.py":
                pytest.fail(f"{short(path)}:{number}: {line.strip()}")


def test_no_template_asks_which_kind_it_draws() -> None:
    for path in tracked("templates/*.html"):
        assert not re.search(r"(kind|tool)\s*==", path.read_text()), f"{short(path)} asks for a kind or a tool"


def test_vendored_browser_files_carry_their_version() -> None:
    for path in tracked("static/vendor/*"):
        named = re.search(r"\d+\.\d+", path.name) or path.name.startswith("LICENSE")
        assert named, f"{short(path)}: no version in the name"


def test_raw_colours_stand_in_tokens_css_only() -> None:
    for path in tracked("static/*.css"):
        if path.name == "tokens.css" or "vendor" in path.parts:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            raw = re.search(r"#[0-9a-fA-F]{3,8}\b(?!.*url)|rgba?\(", line)
            assert not raw, f"{short(path)}:{number}: {line.strip()}"


def test_the_readme_names_every_folder_and_tool() -> None:
    readme = (ROOT / "README.md").read_text()
    for folder in sorted(p.parent for p in PACKAGE.glob("*/__init__.py")):
        assert f"{folder.name}/" in readme, f"README.md does not name workbench/{folder.name}/"
    for tool in sorted(p.stem for p in (PACKAGE / "tools").glob("[!_]*.py")):
        assert f"`{tool}`" in readme, f"README.md does not name the tool {tool}"
