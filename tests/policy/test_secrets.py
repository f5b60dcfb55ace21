"""Secrets in text: what is found, what is not, and that nothing of them is shown.

The samples are put together from parts, so that no scanner takes this file for a leak.
"""

import time

import pytest

from workbench.policy import secrets
from workbench.policy.secrets import find, introduced, mask

HEX = "3f9a7c51e08b46d2a95fc7e3b1d0486a"
MIXED = "x7Kq2Lm9Pv4Rt8Wz1Yb3Nc5Hd6Jf0Gs2Aq7E"
_LINE = "PRIVATE KEY-----"
KEY = f"-----BEGIN RSA {_LINE}\nMIIEogIBAAKCAQEA1WqseCPW1hvs\nq8f7Kc1dD9aJ0rQ=\n-----END RSA {_LINE}"

SAMPLES = [
    ("AWS key", "AKIA" + "Q3EGVXWZT5LMNP2R"),
    ("AWS key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("AWS key", "ASIA" + "Q3EGVXWZT5LMNP2R"),
    ("GitHub token", "ghp_" + MIXED),
    ("GitHub token", "github_pat_" + "11ABCDEFG0" + MIXED),
    ("GitLab token", "glpat-" + "Kq2Lm9Pv4Rt8Wz1Yb3Nc"),
    ("Slack token", "xoxb-" + "123456789012-1234567890123-Kq2Lm9Pv4Rt8Wz1Yb3Nc5Hd6"),
    ("Stripe key", "sk_live_" + "Kq2Lm9Pv4Rt8Wz1Yb3Nc5Hd6"),
    ("Google key", "AIza" + "SyKq2Lm9Pv4Rt8Wz1Yb3Nc5Hd6Jf0Gs2Aq7"),
    ("Anthropic key", "sk-ant-" + "api03-" + MIXED),
    ("OpenAI key", "sk-proj-" + MIXED),
    ("OpenAI key", "sk-" + "Kq2Lm9Pv4Rt8Wz1Yb3NcT3BlbkFJKq2Lm9Pv4Rt8Wz1Yb3Nc"),
    ("Hugging Face token", "hf_" + "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"),
    ("npm token", "npm_" + MIXED),
    ("PyPI token", "pypi-AgE" + "IcHlwaS5vcmcC" + MIXED + MIXED),
    ("SendGrid key", "SG." + "Kq2Lm9Pv4Rt8Wz1Yb3Nc5H" + "." + "Kq2Lm9Pv4Rt8Wz1Yb3Nc5Hd6Jf0Gs2Aq7EKq2Lm9Pv4"),
    ("Twilio key", "SK" + HEX),
    ("Telegram token", "123456789:AA" + "Kq2Lm9Pv4Rt8Wz1Yb3Nc5Hd6Jf0Gs2Aq7"),
    ("DigitalOcean token", "dop_v1_" + HEX + HEX),
    ("Mailgun key", "key-" + HEX),
    ("Mailchimp key", HEX + "-us12"),
    ("Shopify token", "shpat_" + HEX),
    ("Databricks token", "dapi" + HEX),
    ("Square token", "sq0csp-" + (MIXED + MIXED)[:43]),
    ("Vault token", "hvs." + MIXED),
    ("web token", "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0In0." + MIXED),
    ("private key", KEY),
    ("private key", "AGE-SECRET-KEY-1" + ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2)[:58]),
]
IN_CONTEXT = [
    ("AWS secret key", "aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzq8Lm9Pv4R"),
    ("Slack webhook", "https://hooks.slack.com/services/{}", "T0ABCDEF0/B0ABCDEF0/Kq2Lm9Pv4Rt8Wz1Yb3Nc5Hd6"),
    ("Discord webhook", "https://discord.com/api/webhooks/123456789012345678/{}", (MIXED + MIXED)[:68]),
    ("Azure storage key", "AccountName=a;AccountKey={};", "Kq2Lm9Pv" * 10 + "Kq2Lm9" + "=="),
    ("npm token", "//registry.example/:_authToken={}", "3f9a7c51-e08b-46d2-a95f-c7e3b1d0486a"),
    ("password in a URL", "DATABASE_URL=postgres://app:{}@db.internal:5432/app", "v8Kq-2Lm9"),
    ("password in a URL", "https://{0}@host/".replace("{0}", "user:{}"), "hunter2hunter9"),
    ("secret value", 'password = "{}"', "v8Kq2Lm9!Pv4"),
    ("secret value", "  db_password: {}\n", "v8Kq2Lm9!Pv4"),
    ("secret value", "export API_KEY={}", "v8kq2lm9pv4rt8wz1y"),
    ("secret value", '{{"client_secret": "{}"}}', "v8Kq2Lm9Pv4Rt8Wz1Y"),
    ("secret value", "AUTH_TOKEN='{}'  # for the test server", "v8Kq2Lm9Pv4Rt8Wz1Y"),
    ("secret value", "$config['secret'] = '{}';", "v8Kq2Lm9Pv4Rt8Wz1Y"),
]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "password = input('password: ')",
        'password = "changeme"',
        'password = "correct horse"',
        "PASSWORD=${PASSWORD}",
        "token: <your-token-here>",
        "API_KEY=your-api-key-123456",
        'api_key = os.environ["API_KEY"]',
        "secret_key: str = Field(min_length=12)",
        'token = "tokenize_words_2"',
        "self.token_count = 128000",
        'password_field = "user_password_2"',
        'auth_token_path = "/run/tokens/auth-1.json"',
        "https://user:password@example.com/",
        "https://user:pass@host/",
        "postgres://postgres:postgres@localhost/db",
        "https://${USER}:${TOKEN}@host/",
        "git@github.com:org/repo.git",
        "http://host:8080/path@2x.png",
        "sha256: " + HEX + HEX,
        "commit " + HEX + "ab" * 4,
        'id = "3f9a7c51-e08b-46d2-a95f-c7e3b1d0486a"',
        "-----BEGIN CERTIFICATE-----\nMIIEogIBAAKCAQEA1WqseCPW1hvs\n-----END CERTIFICATE-----",
        'if "-----BEGIN PRIVATE ' + 'KEY-----" in text:',
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7Kq2Lm9Pv4Rt8Wz user@host",
        "def ghp_helper(): ...",
        "task-list-for-the-next-iteration-of-the-project",
        "risk-assessment-and-more-words-that-go-on-and-on",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    ],
)
def test_ordinary_text_has_none(text: str) -> None:
    """W4: a false alarm is a question to a person"""
    assert find(text) == []


@pytest.mark.parametrize(("kind", "secret"), SAMPLES)
@pytest.mark.parametrize("around", ["{}", "x = '{}'\n", "# {} #", '"key": "{}",', "\n\nKEY={}\nnext\n"])
def test_every_shape_is_found_wherever_it_stands(kind: str, secret: str, around: str) -> None:
    """W4"""
    text = around.replace("{}", secret)
    (found,) = find(text)
    assert found.kind == kind
    assert text[found.start : found.end] == secret
    assert found.line == text[: text.index(secret)].count("\n") + 1


@pytest.mark.parametrize(("kind", "around", "secret"), IN_CONTEXT)
def test_what_only_its_surroundings_give_away(kind: str, around: str, secret: str) -> None:
    """W4"""
    text = around.format(secret) if "{}" in around else around
    (found,) = find(text)
    assert (found.kind, text[found.start : found.end]) == (kind, secret)


@pytest.mark.parametrize(("_kind", "secret"), SAMPLES)
def test_an_excerpt_never_gives_it_away(_kind: str, secret: str) -> None:
    """G4, J3"""
    (found,) = find(secret)
    assert secret not in str(found)
    shown = found.excerpt.replace("…", "")
    assert len(shown) <= 8 or secret.startswith("-----BEGIN")
    assert "MIIE" not in found.excerpt


def test_it_reads_like_a_sentence() -> None:
    (found,) = find("\n\nkey = AKIA" + "Q3EGVXWZT5LMNXYZ\n")
    assert str(found) == "AWS key in line 3: AKIA…XYZ"


def test_masking_leaves_the_rest_and_masks_everything() -> None:
    """J3"""
    text = f"one\n{KEY}\ntwo AKIA{'Q3EGVXWZT5LMNP2R'} three\n"
    assert mask(text) == "one\n<redacted: private key>\ntwo <redacted: AWS key> three\n"
    assert find(mask(text)) == []
    assert mask("nothing here") == "nothing here"


def test_a_secret_that_was_there_is_not_introduced() -> None:
    """W4"""
    old, new = ("AKIA" + rest for rest in ("Q3EGVXWZT5LMNP2R", "Z7TRAVLQ4NMWX9BC"))
    assert introduced(f"a = {old}\n", f"b = {old}\n") == []
    (found,) = introduced(f"a = {old}\n", f"{old}\n{new}\n", first_line=10)
    assert (found.kind, found.line) == ("AWS key", 11)


def test_a_secret_of_two_shapes_is_told_once() -> None:
    (found,) = find("password = '" + "ghp_" + MIXED + "'")
    assert found.kind == "GitHub token"


def test_letters_that_change_their_length_in_lower_case_do_not_move_it() -> None:
    secret = "AKIA" + "Q3EGVXWZT5LMNP2R"
    text = "İİİ ﬁ ẞ " + secret
    (found,) = find(text)
    assert text[found.start : found.end] == secret


@pytest.mark.parametrize(
    "text",
    [
        "password" * 100_000,
        "password=" * 50_000,
        "token = '" * 30_000,
        "://" + "a" * 300_000,
        "://a:" * 60_000,
        "aws" + "key" * 100_000,
        "-----BEGIN PRIVATE " * 20_000,
        ("-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n") * 3_000,
        "eyJ" * 100_000,
        "eyJa.eyJb." * 30_000,
        "sk-" + "a" * 300_000,
        "x" * 3_000_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    start = time.monotonic()
    find(text)
    assert time.monotonic() - start < 5


def test_every_shape_has_a_sample() -> None:
    kinds = {kind for kind, _ in SAMPLES} | {kind for kind, _, _ in IN_CONTEXT}
    assert {s.kind for s in (*secrets._SHAPES, *secrets._KEY_BLOCKS)} <= kinds
