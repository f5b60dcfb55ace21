"""Pages joined give back the file, whatever is in it; and any page of a large file is found."""

import itertools
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.files import Refused, lines, opened
from workbench.files.decode import decode
from workbench.files.fence import Fence
from workbench.files.page import Caps, Page, read

ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "utf-32le", "gb18030", "shift_jis", "latin-1", "big5"]
PIECES = st.sampled_from(
    [
        "a",
        "word ",
        "\n",
        "\r\n",
        "\r",
        "\r\r\n",
        "\n\n",
        "\t",
        "é",
        "名",
        "日本語",
        "\U0001f389",
        "\f",
        "\u2028",
        "x" * 50,
    ]
)


def pages(fence: Fence, name: str, *, limit: int, caps: Caps, encoding: str | None = None) -> list[Page]:
    """All pages of a file, following `next`."""
    found = [read(fence, name, limit=limit, caps=caps, encoding=encoding)]
    while following := found[-1].next:
        assert len(found) < 5000, "does not get on"
        found.append(
            read(
                fence, name, offset=following.offset, column=following.column, limit=limit, caps=caps, encoding=encoding
            )
        )
    return found


@pytest.fixture
def fence(tmp_path: Path) -> Fence:
    return Fence(tmp_path)


@given(
    data=st.one_of(
        st.tuples(st.lists(PIECES).map("".join), st.sampled_from(ENCODINGS)).map(
            lambda case: case[0].encode(case[1], "replace")
        ),
        st.binary(max_size=300),
        st.lists(st.sampled_from([b"\n", b"\r\n", b"\r", b"a", b"\xe4", b"\xbd\xa0", b"\x81", b"\xff"])).map(b"".join),
    ),
    encoding=st.sampled_from(ENCODINGS),
    limit=st.integers(1, 5),
    chars=st.integers(1, 60),
)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_joined_are_the_file(fence: Fence, data: bytes, encoding: str, limit: int, chars: int) -> None:
    """R2: every character of the LF view once, for any bytes read in any encoding."""
    (fence.root / "f").write_bytes(data)
    try:
        whole = decode(data, encoding)
    except Refused as e:
        assert e.code == "binary"
        return
    found = pages(fence, "f", limit=limit, caps=Caps(chars=chars), encoding=encoding)
    assert "".join(page.text for page in found) == lines.lf_view(whole.view)
    assert found[0].total_lines == lines.count(whole.text)
    for page, following in itertools.pairwise(found):
        assert page.span[1] == following.span[0]
        assert sum(map(len, page.pieces)) + len(page.pieces) - 1 <= chars or len(page.pieces) == 1


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("content", ["many lines", "long lines", "one line", "crlf at chunk ends"])
def test_a_large_file_gives_the_same_pages(
    fence: Fence, content: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R9: scanned chunk by chunk from the disk, with the whole-file limits lowered."""
    for name in ("WHOLE", "_SMALL", "_SAMPLE"):
        monkeypatch.setattr(opened, name, 1000)
    unit = {"many lines": "line é 名\r\n", "long lines": "日本 é x" * 9000 + "\n", "one line": "aé名" * 40000}.get(
        content
    )
    text = unit * (30000 // len(unit) + 3) if unit else ("a" * (128 * 1024 - 1) + "\r\n") * 3 + "\rz"
    data = text.encode(encoding, "replace")
    text = lines.lf_view(data.decode(encoding))
    if encoding.startswith("utf-") and encoding != "utf-8":
        data = "\ufeff".encode(encoding) + data
    (fence.root / "f").write_bytes(data)
    os.utime(fence.root / "f", (1, 1))
    found = pages(fence, "f", limit=500, caps=Caps(chars=20_000), encoding=encoding)
    assert "".join(page.text for page in found) == text
    assert found[0].version.startswith("stat-")
    assert found[-1].total_lines == lines.count(text)
