"""What the walk has found so far."""

from workbench.policy.call import Effect, Verb
from workbench.shell.gate.ledger import MAX_STEPS, Draft, Ledger
from workbench.shell.gate.targets import Places
from workbench.shell.gate.values import ANY

from . import told, understood


def test_a_command_met_again_keeps_the_words_that_are_the_same() -> None:
    draft = Draft(["cat", "a"], (0, 5))
    draft.meet(["cat", "b"])
    assert draft.words == ["cat", None]
    draft.meet(["cat", "b", "c"])
    assert draft.words == ["cat", None, None]
    draft.meet(["cat"])
    assert draft.words == ["cat", None, None]


def test_effects_are_entered_once_and_numbered() -> None:
    ledger = Ledger(Places("/w"))
    draft = ledger.draft(("k",), ["cat", ANY], (0, 3))
    ledger.enter(draft, [Effect(Verb.READ, "a"), Effect(Verb.READ, "a")])
    assert ledger.draft(("k",), ["cat", "x"], (0, 3)) is draft
    assert ledger.numbered() == [(draft, (Effect(Verb.READ, "a", part=0),))]
    assert draft.words == ["cat", None]


def test_a_problem_is_an_opaque_effect_of_the_whole_text() -> None:
    ledger = Ledger(Places("/w"))
    ledger.problem("It is odd.")
    ledger.problem("It is odd.")
    assert ledger.problems == ["It is odd."]
    assert ledger.loose == [Effect(Verb.OPAQUE, "", "It is odd")]


def test_notes_go_to_the_command_whose_words_they_are_about() -> None:
    ledger = Ledger(Places("/w"))
    ledger.sink = []
    ledger.opaque("what it is")
    ledger.opaque("what it is")
    assert ledger.sink == [Effect(Verb.OPAQUE, "", "what it is")]
    assert ledger.loose == []


def test_a_loop_over_known_words_is_one_command() -> None:
    parts = understood("for f in a b; do cat $f; done").parts
    assert [part.argv for part in parts] == [("cat", None)]
    assert told("for f in a b; do cat $f; done") == {"read a", "read b"}


def test_what_would_take_too_many_steps_is_opaque() -> None:
    command = "ls; " * (MAX_STEPS + 5)
    assert "opaque" in told(command)
    assert "more than" in understood(command).problems[0]
