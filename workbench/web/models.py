"""Rows. The journal (`Event`) is the truth; what is marked *projection* is computed from it in the same transaction."""

import re
import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

ID_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"


def short_id() -> str:
    """A random id that a person can read out: 12 characters, about 59 bits."""
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(12))


class PathField(models.TextField):  # type: ignore[type-arg]  # generic in its stubs only
    """A path whose name need not be UTF-8: Python's surrogate escapes are kept as `\\xNN`, a backslash as two."""

    def get_prep_value(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        doubled = value.replace("\\", "\\\\")
        return re.sub("[\udc80-\udcff]", lambda m: f"\\x{ord(m.group()) - 0xDC00:02x}", doubled)

    def from_db_value(self, value: Any, *_: Any) -> Any:
        if not isinstance(value, str):
            return value
        return re.sub(r"\\(\\|x([0-9a-f]{2}))", lambda m: chr(0xDC00 + int(m[2], 16)) if m[2] else "\\", value)


class Workspace(models.Model):
    """A folder that sessions work in."""

    path = PathField(unique=True)
    """absolute, resolved"""
    name = models.CharField(max_length=200)
    sample = models.BooleanField(default=False)
    """a copy of the sample project, made for one session of the demo model"""
    is_default = models.BooleanField(default=False)
    """the one `up` was given: where a session works that names none"""
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return str(self.path)


class Session(models.Model):
    """One agent at work. Everything but the lease and what people may rename is a projection of the journal."""

    class Status(models.TextChoices):
        RUNNING = "running"
        WAITING = "waiting"
        PAUSED = "paused"
        DONE = "done"
        FAILED = "failed"
        STOPPED = "stopped"

    id = models.CharField(max_length=32, primary_key=True, default=short_id)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="sessions")
    title = models.CharField(max_length=200, blank=True)
    """first line of the task until somebody renames it"""
    task = models.TextField(blank=True)
    model = models.CharField(max_length=200)
    mode = models.CharField(max_length=8, default="ask")
    control = models.CharField(max_length=8, default="blocked")
    sandbox = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.RUNNING, db_index=True)
    due = models.BooleanField(default=False, db_index=True)
    """a runner has something to do: the next step, or to close what a stop left open"""
    failure = models.TextField(blank=True)
    """why it failed, in words for a person"""
    last_seq = models.PositiveIntegerField(default=0)
    last_hash = models.CharField(max_length=64, blank=True)
    exported_seq = models.PositiveIntegerField(default=0)
    """the JSONL file holds the journal up to here"""
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = models.FloatField(null=True)
    started_by = models.CharField(max_length=150, blank=True)
    archived = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    updated_at = models.DateTimeField(default=timezone.now, db_index=True)

    lease_owner = models.CharField(max_length=64, blank=True)
    lease_token = models.PositiveIntegerField(default=0)
    """fencing token: grows with each lease, an append with an older one is refused"""
    lease_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.id} {self.title}"


class Event(models.Model):
    """One record of a journal; never changed, never deleted."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="events")
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    body = models.TextField()
    """the fields of the event as JSON, byte for byte what the hash covers"""
    prev = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    call_id = models.CharField(max_length=100, blank=True)
    """the call it belongs to, so that a card finds its parts"""
    row = models.BooleanField(default=True)
    """a row of its own on the timeline, so that pages of rows can be counted by the database"""

    class Meta:
        ordering = ["session", "seq"]
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="event_seq_once")]
        indexes = [
            models.Index(fields=["session", "call_id"], name="event_of_call"),
            models.Index(fields=["session", "row", "seq"], name="event_rows"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}#{self.seq} {self.kind}"


class Approval(models.Model):
    """*Projection* of approval_asked and approval_decided. Decided once: `pending` changes by compare-and-set only."""

    class Status(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        REJECTED = "rejected"
        EXPIRED = "expired"
        WITHDRAWN = "withdrawn"

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="approvals")
    seq = models.PositiveIntegerField()
    """of the approval_asked event"""
    call_id = models.CharField(max_length=100)
    tool = models.CharField(max_length=100)
    args = models.JSONField()
    digest = models.CharField(max_length=64)
    effects = models.JSONField(default=list)
    reasons = models.JSONField(default=list)
    rule = models.CharField(max_length=300, blank=True)
    cwd = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING, db_index=True)
    asked_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=150, blank=True)
    via = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)
    edited_args = models.JSONField(null=True)
    decided_digest = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="approval_once")]

    def __str__(self) -> str:
        return f"{self.tool} {self.status}"


class Grant(models.Model):
    """A person's yes to exactly one call, for the rest of a session: the same digest is not asked about again."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="grants")
    digest = models.CharField(max_length=64)
    by = models.CharField(max_length=150)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "digest"], name="grant_once")]

    def __str__(self) -> str:
        return f"{self.digest[:12]} by {self.by}"


class Question(models.Model):
    """*Projection* of question_asked and question_answered; answered once, like an approval."""

    class Status(models.TextChoices):
        PENDING = "pending"
        ANSWERED = "answered"
        WITHDRAWN = "withdrawn"
        EXPIRED = "expired"

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="questions")
    seq = models.PositiveIntegerField()
    """of the question_asked event"""
    call_id = models.CharField(max_length=100)
    question = models.TextField()
    options = models.JSONField(default=list)
    """each {"label", "description"}"""
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING, db_index=True)
    asked_at = models.DateTimeField()
    answer = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True)
    answered_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="question_once")]

    def __str__(self) -> str:
        return f"{self.question} {self.status}"


class Version(models.Model):
    """One change of one path, as `history.versions.Version`; the bytes are in the store."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="versions")
    path = PathField()
    before = models.JSONField()
    """fields of `history.states.State`, as `after`"""
    after = models.JSONField(null=True)
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="versions")
    call_id = models.CharField(max_length=100, blank=True)
    by = models.CharField(max_length=150)
    at = models.DateTimeField(default=timezone.now)
    status = models.CharField(max_length=8, default="pending")
    undoes = models.JSONField(default=list)
    """ids of the versions that this one takes back"""
    partial = models.BooleanField(default=False)
    undone_by = models.BigIntegerField(null=True)
    uncertain = models.BooleanField(default=False)
    intended = models.CharField(max_length=64, blank=True)
    folders = models.JSONField(default=list)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["workspace", "path", "id"], name="version_of_path"),
            models.Index(fields=["session", "call_id", "id"], name="version_of_call"),
        ]

    def __str__(self) -> str:
        return f"{self.path} ({self.by})"


class LoginLink(models.Model):
    """A link that logs one person in, once. Only the hash of its token is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="login_links")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"login link of {self.user_id}"


class ApiToken(models.Model):
    """A bearer token for the JSON API. Only its hash is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name


class ModelEndpoint(models.Model):
    """Where a model is asked. `name` is what people pick and what a session keeps."""

    class Kind(models.TextChoices):
        ANTHROPIC = "anthropic", "Anthropic"
        OPENAI = "openai", "OpenAI-compatible"

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    base_url = models.CharField(max_length=500, blank=True)
    model = models.CharField(max_length=200)
    sealed_key = models.TextField(blank=True)
    """the API key, encrypted with the key file of the data folder (`web/vault.py`); empty: none is needed"""
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
