"""A few lines that say what changed."""

from workbench.files.changed import changed_lines, last_line

TEXT = "".join(f"line {n}\n" for n in range(1000))


def test_no_change_has_nothing_to_show() -> None:
    assert changed_lines(b"a\n", b"a\n") == ""


def test_a_diff_counts_from_the_top_of_the_file() -> None:
    diff = changed_lines(TEXT.encode(), TEXT.replace("line 700\n", "x\n").encode())
    assert diff.splitlines() == [
        "@@ -699,5 +699,5 @@",
        " line 698",
        " line 699",
        "-line 700",
        "+x",
        " line 701",
        " line 702",
    ]


def test_a_rewrite_is_told_in_numbers() -> None:
    assert changed_lines(TEXT.encode(), b"x\n" * 900) == "lines 1 to 1000 became lines 1 to 900"


def test_it_is_short() -> None:
    other = "".join(f"line {n}{'!' if n % 3 else ''}\n" for n in range(300))
    assert len(changed_lines(TEXT[: TEXT.index("line 300")].encode(), other.encode())) <= 2002


def test_text_in_another_encoding_is_shown_as_text() -> None:
    before, now = "配置文件测试\n名称\n".encode("gb18030"), "配置文件测试\n编码\n".encode("gb18030")
    assert "+编码" in changed_lines(before, now)


def test_binary_is_not_shown_and_never_counts_as_wholly_seen() -> None:
    assert changed_lines(b"a\0b", b"a\n") == ""
    assert last_line(b"\0\n\0") == 2
    assert last_line(b"a\r\nb") == 2
