"""ask_user: a question to the person who supervises the session."""

from pydantic import BaseModel, ConfigDict, Field, field_validator

from workbench.policy.call import Effect
from workbench.tools import Args, Context, Tool, Waiting


class Option(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    label: str = Field(min_length=1, max_length=200)
    description: str = Field("", max_length=1000)


class Question(Args):
    question: str = Field(
        min_length=1,
        max_length=4000,
        description="What you need to know, so that it can be answered without your context.",
    )
    options: list[Option] = Field(
        [],
        max_length=10,
        description="Answers to choose from, the likeliest first; the person may always write another.",
    )

    @field_validator("question")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("is blank")
        return value

    @field_validator("options", mode="before")
    @classmethod
    def _from_words(cls, value: object) -> object:
        """Plain strings are taken as labels."""
        return [{"label": v} if isinstance(v, str) else v for v in value] if isinstance(value, list) else value


class AskUser(Tool):
    """
    Ask the person who supervises this session, and wait for the answer.

    Use it when a choice is theirs: unclear requirements, several reasonable ways, anything that can't be taken back.
    Don't ask for permission to run a tool (calls that need it are asked about anyway), and don't ask what you can find
    out by reading.
    """

    reads_only = True
    Args = Question

    def effects(self, args: Question, ctx: Context) -> tuple[Effect, ...]:
        del args, ctx
        return ()

    def run(self, args: Question, ctx: Context) -> Waiting:
        del ctx
        return Waiting(args.question, tuple(o.model_dump() for o in args.options))


tool = AskUser()
