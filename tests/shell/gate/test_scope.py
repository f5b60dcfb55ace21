"""What is known at a point of a script."""

from workbench.shell.gate.scope import MAX_FOLDERS, Function, Scope
from workbench.shell.gate.values import ANY, SOME
from workbench.shell.parse import Node

BODY = Node("compound_statement", 0, 0, [])


def test_a_fork_keeps_what_it_changes_to_itself() -> None:
    scope = Scope(("/w",), variables={"a": "1"})
    fork = scope.fork()
    fork.variables["a"] = "2"
    fork.enter(("/x",))
    assert scope.variables == {"a": "1"}
    assert scope.folders == ("/w",)


def test_where_two_ways_meet_only_what_both_know_is_known() -> None:
    one = Scope(("/w",), variables={"a": "1", "b": "1"}, arrays={"x": ("1",)}, arguments=("p",))
    other = Scope(("/x",), variables={"a": "1", "b": "2", "c": "3"}, arrays={"x": ("2",)}, arguments=())
    one.join(other)
    assert one.folders == ("/w", "/x")
    assert one.variables == {"a": "1", "b": ANY, "c": ANY}
    assert one.arrays == {}
    assert one.arguments is None


def test_a_function_that_only_one_way_defines_is_not_certain() -> None:
    one, other = Scope(("/w",)), Scope(("/w",), functions={"f": Function(BODY, "")})
    one.join(other)
    assert not one.functions["f"].certain
    assert other.functions["f"].certain


def test_a_way_that_has_ended_does_not_count() -> None:
    one, other = Scope(("/w",)), Scope(("/x",), variables={"a": "1"}, ended=True)
    one.join(other)
    assert one.folders == ("/w",)
    assert one.variables == {}


def test_too_many_folders_are_unknown() -> None:
    scope = Scope(("/0",))
    for i in range(1, MAX_FOLDERS + 1):
        scope.join(Scope((f"/{i}",)))
    assert scope.folders is None


def test_a_change_of_folder_may_fail() -> None:
    scope = Scope(("/w",))
    scope.enter(("/x",))
    assert scope.folders == ("/x",)
    assert scope.before == ("/w",)
    scope.settle()
    assert scope.folders == ("/x", "/w")
    scope.enter(("/y",))
    scope.fail()
    assert scope.folders == ("/x", "/w")
    scope.enter(("/y",))
    scope.sure()
    scope.settle()
    assert scope.folders == ("/y",)


def test_values_that_nobody_set() -> None:
    scope = Scope(("/w",), home="/h", arguments=("one",))
    assert scope.value("HOME") == "/h"
    assert scope.value("PWD") == "/w"
    assert scope.value("1") == "one"
    assert scope.value("2") == ""
    assert scope.value("0") == ANY
    assert scope.value("RANDOM") == SOME
    assert scope.value("FOO") == ANY
    assert scope.value("IFS") == " \t\n"
    assert not scope.assigned("FOO")
