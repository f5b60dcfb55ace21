"""Legacy encodings of short texts: the right one or none, never a wrong one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files.charsets import charset

KNOWN = [
    ("gb18030", "名称=测试\nport=1\n"),
    ("gb18030", "你好\n"),
    ("gb18030", "# 中文注释：这个函数用来计算总和\n"),
    ("gb18030", "print('加载完成')\n"),
    ("gb18030", "李雷和韩梅梅\n"),
    ("gb18030", "用户登录失败\n"),
    ("shift_jis", "設定ファイル\nコメント\n有効=はい\n"),
    ("shift_jis", "日本語\n"),
    ("shift_jis", "東京都渋谷区\n"),
    ("euc_jp", "日本語のテストです。\n"),
    ("big5", "繁體中文的測試檔案，內容有點長。\n"),
    ("big5", "名稱=測試\n"),
    ("euc_kr", "한국어 테스트 파일입니다.\n"),
    ("latin-1", "// café\n"),
    ("latin-1", "Größe: straße über München\n"),
    ("latin-1", "25 °C\n"),
    ("cp1252", "It’s a “test” – ok\n"),
    ("latin-1", "El niño comió piñata. ¿Cómo está?\n"),
    ("latin-1", "Café crème à la française, déjà vu, Müller & Söhne\n"),
    ("latin-1", "Você é português à noite\n"),
    ("latin-1", "å ö på svenska\n"),
    ("latin-1", "Þetta er íslenska, það er gott\n"),
    ("cp1252", "5 € à l’été – “œuvre”…\n"),
]
HARD = [
    ("cp1251", "# тест\n"),
    ("cp1251", "ПРИВЕТ МИР\n"),
    ("koi8_r", "Привет, мир! Это проверка.\n"),
    ("shift_jis", "ﾃｽﾄ\n"),
    ("shift_jis", "ｱｲｳ\n"),
    ("cp1251", "я и ты\n"),
    ("cp1251", "в и к с у о\n"),
    ("cp1250", "Zażółć gęślą jaźń, proszę państwa. Łódź Kraków\n"),
    ("mac_roman", "café déjà vu\n"),
    ("gb18030", "a好b\n"),
    ("iso8859_2", "Zażółć gęślą jaźń\n"),
    ("latin-1", "ÀÉÈ\n"),
    ("gb18030", "甲\U00020000丁\n"),
    ("cp874", "ภาษาไทย\n"),
    ("iso8859_7", "Καλημέρα κόσμε\n"),
    ("cp1256", "مرحبا بالعالم\n"),
    ("iso8859_8", "שלום עולם\n"),
]


@pytest.mark.parametrize(("encoding", "text"), KNOWN)
def test_it_is_found(encoding: str, text: str) -> None:
    assert charset(text.encode(encoding)) == encoding


@pytest.mark.parametrize(("encoding", "text"), KNOWN)
def test_it_is_found_among_code(encoding: str, text: str) -> None:
    code = b"def f(x):\n    return x  # nothing\n" * 200
    assert charset(code + text.encode(encoding) + code) == encoding


@pytest.mark.parametrize(("encoding", "text"), HARD)
def test_what_can_not_be_told_is_not_guessed(encoding: str, text: str) -> None:
    found = charset(text.encode(encoding))
    assert found is None or text.encode(encoding).decode(found) == text


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r"])
def test_long_texts_in_further_encodings(encoding: str) -> None:
    text = "Привет, мир! Это проверка кодировки. Съешь же ещё этих мягких французских булок, да выпей чаю.\n" * 6
    assert charset(text.encode(encoding)) == encoding


@pytest.mark.parametrize(
    "data",
    [
        b"ok \xff\xfe bad\n",
        b"abc\xff\xfedef\nok\n",
        b"a\xff\n",
        b"a\xfe\n",
        b"h\x80i\n",
        b"caf\xc3\n",
        b"x\xed\xa0\x80y\n",
        b"\xc0\xafz\n",
        "你好\n".encode() + "你好\n".encode("gbk"),
        "日本語のメモ".encode() + b"\xff\n",
    ],
)
def test_damaged_utf8_is_not_taken_for_something_else(data: bytes) -> None:
    assert charset(data) is None


def test_a_few_bad_bytes_do_not_hide_a_clear_encoding() -> None:
    text = "这个函数用来计算总和，返回结果。\n" * 20
    assert charset(text.encode("gb18030") + b"\xff\n") == "gb18030"


@given(st.binary(min_size=1))
def test_any_bytes_get_an_answer_that_decodes(data: bytes) -> None:
    if found := charset(data + b"\x80"):
        (data + b"\x80").decode(found, "surrogateescape")
