"""The read state: what may be edited, what is stale, and what need not be said twice (S1 to S5, R8)."""

import hashlib
import json
import threading

import pytest

from workbench.files import Refused
from workbench.files import seen as module
from workbench.files.seen import Change, Seen

TEXT = b"".join(b"line %d\n" % n for n in range(100))


def name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def see(seen: Seen, content: bytes, first: int, end: int, rel: str = "f") -> dict[str, object]:
    return seen.shown(rel, name(content), ((first, 0), (end, 0)), size=len(content), content=content)


def refused(seen: Seen, content: bytes, need: list[tuple[int, int]] | None, rel: str = "f") -> Refused:
    with pytest.raises(Refused) as e:
        seen.check(rel, content, need)
    return e.value


def test_nothing_is_editable_before_it_was_read() -> None:
    assert refused(Seen(), TEXT, [(0, 1)]).code == "not_read"


def test_lines_seen_may_change_and_others_not() -> None:
    seen = Seen()
    see(seen, TEXT, 0, 10)
    see(seen, TEXT, 50, 60)
    seen.check("f", TEXT, [(0, 10), (55, 56)])
    error = refused(seen, TEXT, [(5, 12), (59, 61)])
    assert error.facts["unseen"] == [[11, 12], [61, 61]]
    assert "offset=10, limit=2" in error.message
    assert refused(seen, TEXT, None).facts["unseen"] == [[11, 50], [61, 100]]


def test_a_file_read_to_the_end_may_be_replaced() -> None:
    seen = Seen()
    see(seen, TEXT, 0, 60)
    see(seen, TEXT, 60, 100)
    seen.check("f", TEXT, None)


def test_an_empty_file_must_have_been_read_too() -> None:
    seen = Seen()
    assert refused(seen, b"", None).code == "not_read"
    see(seen, b"", 0, 0)
    seen.check("f", b"", None)


def test_stale_names_what_changed() -> None:
    seen = Seen()
    see(seen, TEXT, 0, 100)
    error = refused(seen, TEXT.replace(b"line 50\n", b"LINE 50\n"), [(0, 1)])
    assert error.code == "stale"
    assert "-line 50\n+LINE 50" in error.facts["diff"]
    assert "@@ -49," in error.facts["diff"]
    assert "LINE 50" not in error.message  # said once; the reader pays by the character


def test_stale_without_the_old_text_still_says_what_it_knows() -> None:
    seen = Seen()
    note = see(seen, TEXT, 0, 100)
    later = Seen()
    later.apply([json.loads(json.dumps(note))])
    error = refused(later, b"x", [(0, 1)])
    assert (error.code, "diff" in error.facts) == ("stale", False)
    assert f"{len(TEXT):,} bytes" in error.message


def test_reading_anew_makes_it_editable_again_but_only_what_was_read_since() -> None:
    seen = Seen()
    see(seen, TEXT, 0, 100)
    now = TEXT + b"more\n"
    see(seen, now, 90, 101)
    seen.check("f", now, [(95, 101)])
    assert refused(seen, now, [(0, 1)]).code == "not_read"


def test_what_this_session_wrote_it_knows() -> None:
    seen = Seen()
    see(seen, TEXT, 0, 20)
    now = TEXT.replace(b"line 5\n", b"5a\n5b\n5c\n")
    seen.wrote("f", now, [Change(5, 1, 3)])
    seen.check("f", now, [(0, 22)])
    assert refused(seen, now, [(22, 23)]).code == "not_read"
    seen.wrote("f", b"all new\n", None)
    seen.check("f", b"all new\n", None)
    seen.wrote("g", b"made\n", None)
    seen.check("g", b"made\n", None)


def test_an_edit_of_a_file_that_was_never_seen_makes_only_the_version_known() -> None:
    seen = Seen()
    seen.wrote("f", TEXT, [Change(3, 1, 1)])
    assert refused(seen, TEXT, [(0, 1)]).code == "not_read"


def test_a_large_file_is_known_by_the_bytes_seen() -> None:
    """R9: a version that is no hash of the content; what was seen must be the same, and the size."""
    seen = Seen()
    part = (0, 70, hashlib.sha256(TEXT[:70]).hexdigest())
    seen.shown("f", "stat-1", ((0, 0), (10, 0)), size=len(TEXT), bytes_seen=part)
    seen.check("f", TEXT, [(0, 10)])
    assert refused(seen, TEXT + b"x", [(0, 10)]).code == "stale"
    assert refused(seen, b"X" + TEXT[1:], [(0, 10)]).code == "stale"


def test_moved_and_forgotten() -> None:
    seen = Seen()
    see(seen, TEXT, 0, 100)
    seen.moved("f", "g")
    seen.check("g", TEXT, None)
    assert refused(seen, TEXT, None).code == "not_read"
    seen.forget("g")
    assert refused(seen, TEXT, None, rel="g").code == "not_read"


def test_an_answer_is_repeated_only_while_it_can_be_looked_up() -> None:
    seen = Seen()
    seen.shown("f", "v1", ((0, 0), (5, 0)), size=9, key="k")
    assert seen.repeated("f", "v1", "k")
    assert not seen.repeated("f", "v2", "k")
    assert not seen.repeated("f", "v1", "other")
    seen.forget_shown()
    assert not seen.repeated("f", "v1", "k")


def test_a_write_takes_back_earlier_answers() -> None:
    seen = Seen()
    seen.shown("f", name(TEXT), ((0, 0), (100, 0)), size=len(TEXT), key="k")
    seen.wrote("f", b"other\n", None)
    seen.wrote("f", TEXT, None)
    assert not seen.repeated("f", name(TEXT), "k")


def test_a_subagent_has_read_what_its_parent_read_but_heard_nothing() -> None:
    """S5"""
    seen = Seen()
    see(seen, TEXT, 0, 100)
    seen.shown("f", name(TEXT), ((0, 0), (100, 0)), size=len(TEXT), key="k")
    child = seen.copy()
    child.check("f", TEXT, None)
    assert not child.repeated("f", name(TEXT), "k")
    child.wrote("f", b"child\n", None)
    see(child, b"x\n", 0, 1, rel="g")
    assert refused(seen, b"child\n", [(0, 1)]).code == "stale"
    assert refused(seen, b"x\n", None, rel="g").code == "not_read"


def test_notes_replayed_give_the_same_state() -> None:
    seen, notes = Seen(), []
    notes.append(see(seen, TEXT, 0, 10))
    notes.append(see(seen, b"x\n", 0, 1, rel="g"))
    now = TEXT.replace(b"line 5\n", b"")
    notes.append(seen.wrote("f", now, [Change(5, 1, 0)]))
    notes.append(seen.moved("g", "h"))
    notes.append(seen.forget("nowhere"))
    later = Seen()
    later.apply([{"do": "unheard of"}, {}, *json.loads(json.dumps(notes)), {"do": "saw", "path": "q"}])
    later.check("f", now, [(0, 9)])
    later.check("h", b"x\n", None)
    assert refused(later, now, [(9, 10)]).code == "not_read"


def test_it_is_bounded() -> None:
    seen = Seen(limit=10)
    for n in range(25):
        see(seen, TEXT, 0, 100, rel=f"f{n}")
    assert refused(seen, TEXT, None, rel="f0").code == "not_read"
    seen.check("f24", TEXT, None)


def test_old_texts_for_diffs_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TEXTS", 3000)
    seen = Seen()
    contents = [TEXT + b"%d\n" % n for n in range(10)]
    for content in [*contents, contents[-1]]:
        see(seen, content, 0, 101, rel=content[-3:].decode())
    assert seen._kept == sum(map(len, seen._texts.values())) <= 3000
    assert "diff" in refused(seen, b"x\n", None, rel="\n9\n").facts
    assert "diff" not in refused(seen, b"x\n", None, rel="\n0\n").facts


def test_several_threads_may_use_it() -> None:
    seen = Seen(limit=50)

    def use(which: int) -> None:
        for n in range(100):
            see(seen, TEXT, n, n + 1, rel=f"f{which}")
            seen.copy()

    threads = [threading.Thread(target=use, args=[which]) for which in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for which in range(4):
        seen.check(f"f{which}", TEXT, None)
