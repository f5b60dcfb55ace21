"""The conversation as the model must see it, built from the journal."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from workbench.agent.messages import Answer, AskedCall, CallResult, Message, Picture, UserText
from workbench.journal.kinds import (
    Media,
    ModeChanged,
    ModelTurn,
    Record,
    RolledBack,
    SessionResumed,
    SessionStarted,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.journal.state import Note, SessionState

Recall = Callable[[str], bytes | None]


@dataclass
class Turn:
    """One answer with what came before it and after it."""

    told: list[str]
    """messages and notes that its request brought"""
    event: ModelTurn
    calls: list[ToolCall] = field(default_factory=list)


@dataclass
class Conversation:
    """A fold over the journal; `apply` every record once, in order."""

    task: str = ""
    turns: list[Turn] = field(default_factory=list)
    results: dict[str, ToolResult] = field(default_factory=dict)
    notes: dict[int, Note] = field(default_factory=dict)

    def apply(self, record: Record) -> None:
        match record.event:
            case SessionStarted() as event:
                self.task = event.task
            case UserMessage() | RolledBack() | ModeChanged() | SessionResumed() as event:
                self.notes[record.seq] = event
            case ModelTurn() as event:
                told = [said(self.notes.pop(seq)) for seq in event.took if seq in self.notes]
                self.turns.append(Turn(told, event))
            case ToolCall() as event if self.turns:
                self.turns[-1].calls.append(event)
            case ToolResult() as event:
                self.results[event.call_id] = event
            case _:
                pass

    def messages(self, recall: Recall, *, new: Collection[int] = ()) -> list[Message]:
        """Everything so far; `new` are the sequence numbers of the notes that the coming request brings."""
        found: list[Message] = [UserText(self.task)] if self.task.strip() else []
        for turn in self.turns:
            found.extend(UserText(text) for text in turn.told)
            asked = tuple(AskedCall(c.call_id, c.tool, c.args) for c in turn.calls)
            if turn.event.text.strip() or asked:
                found.append(Answer(turn.event.text, turn.event.reasoning, asked, turn.event.provider_state))
            found.extend(self._result(call, recall) for call in turn.calls)
        found.extend(UserText(said(self.notes[seq])) for seq in sorted(new))
        return found

    def _result(self, call: ToolCall, recall: Recall) -> CallResult:
        result = self.results.get(call.call_id)
        if result is None:  # the loop asks no model before every call has one
            return CallResult(
                call.call_id, call.tool, {"error": "interrupted", "message": "It has no result."}, ok=False
            )
        media = tuple(_picture(m, recall) for m in result.media)
        return CallResult(call.call_id, call.tool, result.data, result.ok, media)


def deliverable(state: SessionState) -> list[int]:
    """Sequence numbers of the notes that the next request brings: all of them when the model is at rest, else without
    the messages that wait in the queue."""
    return [
        seq
        for seq, note in state.notes.items()
        if state.at_rest or not (isinstance(note, UserMessage) and note.delivery == "queue")
    ]


def said(note: Note) -> str:
    """A note in words, for the model."""
    match note:
        case UserMessage():
            return note.text
        case RolledBack(put_back=True):
            return f"[A person put your change of {note.path} (call {note.call_id}) back again.]"
        case RolledBack():
            return (
                f"[A person took back your change of {note.path} (call {note.call_id}). The file no longer holds it; "
                "read it again before you edit it, and don't make the same change again unasked.]"
            )
        case ModeChanged():
            return f"[A person switched the session to {note.mode} mode.]"
        case SessionResumed():
            return "[A person had stopped you here and now lets you go on.]"


def _picture(media: Media, recall: Recall) -> Picture:
    return Picture(media.mime, recall(media.sha256) or b"", media.name)
