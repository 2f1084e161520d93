"""What is asked of the server and what it answers, typed: the models of its OpenAPI description."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ludens.core.run_files import NAME

GameId = Annotated[str, Field(max_length=40, examples=["othello"])]
Seed = Annotated[int, Field(ge=0, lt=2**32, strict=True)]
Spec = Annotated[str, Field(min_length=1, max_length=100, examples=["alphabeta:4"])]
Value = bool | int | str | list[str] | None
Fields = Annotated[dict[str, Value], Field(max_length=20, examples=[{}])]
"""The fields that choose a variant; those that are left out are as usual."""
Chosen = Annotated[dict[str, bool | int | float | str | None], Field(max_length=60, examples=[{}])]
"""What a learner is told, by the names of its settings."""


class Asked(BaseModel):
    """Something asked for; what is not known is refused, and nothing is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Problem(BaseModel):
    detail: str = Field(description="One sentence: what is wrong and what was expected.")


class Health(BaseModel):
    ludens: str = Field(description="Its version.")
    rules: Literal["starting", "ready"]


class Described(BaseModel):
    """Something that can be chosen about a game or told to a learner, as `core.settings` describes it."""

    name: str
    option: str = Field(description="As it is typed: `--learning-rate`.")
    kind: Literal["bool", "int", "float", "str", "list"]
    optional: bool = Field(description="Whether it may be null.")
    default: Any
    help: str
    least: float | None
    most: float | None
    choices: list[Any] = Field(description="What it may be, or the members of a list; empty if it is free.")


class Strength(BaseModel):
    label: str
    spec: str
    note: str
    card: dict[str, str] | None = Field(None, description="All about an agent that ships: what is asked, and known.")


class GameInfo(BaseModel):
    id: str
    title: str
    blurb: str
    seats: list[str]
    num_players: int
    hidden: bool
    can_undo: bool
    options: list[Described]
    ladder: list[Strength]


class Check(Asked):
    variant: Fields = {}
    spec: Spec


class Checked(BaseModel):
    spec: str
    label: str


class PersonSeat(Asked):
    kind: Literal["person"]


class AgentSeat(Asked):
    kind: Literal["agent"]
    spec: Spec


class NewTable(Asked):
    game: GameId
    variant: Fields = {}
    seats: list[Annotated[PersonSeat | AgentSeat, Field(discriminator="kind")]] = Field(min_length=1, max_length=4)
    seed: Seed | None = None
    position: str | None = Field(None, max_length=4000)
    transcript: str | None = Field(None, max_length=4000)
    label: str | None = Field(None, max_length=80)


class Rematch(Asked):
    swap: bool = False


class Branch(Asked):
    ply: int = Field(ge=0, le=100_000)


class Told(BaseModel):
    """Something told; games add what they need."""

    model_config = ConfigDict(extra="allow")


class Seat(BaseModel):
    seat: int
    name: str
    kind: Literal["person", "agent"]
    spec: str | None
    label: str


class GameResult(BaseModel):
    returns: list[float]
    winners: list[int]
    text: str


class Move(Told):
    """A legal move, and what it touches."""

    action: int
    name: str


class Last(Told):
    """The last act, and what it changed."""

    seat: int
    action: int
    name: str
    said: str
    ply: int


class Past(Told):
    ply: int
    seat: int
    name: str


class Thinking(BaseModel):
    seat: int | None
    what: str


class TableState(BaseModel):
    """A table as the person there sees it; also what its socket sends after every act."""

    type: Literal["state"]
    table: str
    version: int
    game: str
    variant: dict[str, Value]
    title: str
    seats: list[Seat]
    you: int | None
    ply: int
    mover: int
    over: bool
    result: GameResult | None
    board: dict[str, Any]
    moves: list[Move]
    last: Last | None
    history: list[Past]
    notice: str | None
    can_undo: bool
    undo_label: Literal["Undo", "Take back"]
    practice: bool
    thinking: Thinking | None
    running: bool
    delay: float
    transcript: str | None = None
    position: str | None


class TableSummary(BaseModel):
    id: str
    game: str
    variant: dict[str, Value]
    title: str
    seats: list[Seat]
    ply: int
    over: bool
    result: str | None
    updated: float


class TableList(BaseModel):
    tables: list[TableSummary]


class PastState(BaseModel):
    ply: int
    mover: int
    board: dict[str, Any]
    last: Last | None
    notice: str | None


class History(BaseModel):
    states: list[PastState]


class Graded(BaseModel):
    ply: int = Field(description="Acts made once it was played.")
    before: int = Field(description="Acts made before it.")
    seat: int
    name: str
    grade: Literal["best", "good", "inaccuracy", "mistake", "blunder"]
    loss: float
    best: list[str]
    best_moves: list[Move] = Field(description="The same as a state lists moves, for the board to show.")
    value: float | None
    text: str


class ValueAt(BaseModel):
    """What a position was worth to seat 0, or in games with hidden facts to whoever looks."""

    ply: int
    value: float


class Review(BaseModel):
    state: Literal["running", "done", "failed"]
    detail: str | None = None
    done: int
    total: int
    by: str
    moves: list[Graded]
    values: list[ValueAt]


class RecordOut(BaseModel):
    game: str
    variant: dict[str, Value]
    seed: int
    seats: list[str]
    start: str
    opening: int
    actions: list[int]
    chance: list[int]
    returns: list[float]
    turns: int


class UnknownError(Exception):
    """There is no such thing; the text is the sentence."""


class RefusedError(Exception):
    """Something that cannot be done now; the text is the sentence."""


REFUSALS: dict[int | str, dict[str, Any]] = {status: {"model": Problem} for status in (404, 409, 422)}
"""For the OpenAPI description: unknown, at the wrong time, not right."""


def checked_name(name: str, what: str) -> str:
    """`name`, which may be that of a folder; ValueError if it may not."""
    if not NAME.fullmatch(name):
        expected = "at most 81 letters, digits, dots, dashes and underscores, a letter or a digit first"
        raise ValueError(f"{name[:100]!r} is no name for a {what}: expected {expected}")
    return name
