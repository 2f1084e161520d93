"""Okey in words: tiles, moves and positions as people type them.

A tile is a colour and a number: `r1` to `r13` red, then `b` black, `g` green, `y` yellow; `okey` is the joker, and
`false` may be typed for the face that false jokers play. Moves: `draw`, `take`, `discard r5` or just `r5`, `show`.

A position is one line of labelled parts in any order, seats separated by `/`, `-` for nothing:

    indicator r5 turn 1 phase draw offer b7 hands r1 r2 ... / ?14 y3 discards b7 g2 / - centre 74

    indicator  the tile turned up (`-` before fate has turned one up)
    turn       seat to move, from 0
    phase      draw, fate (a tile from the centre is due), discard, deal (fate deals, in match play) or over
    offer      the tile that can be taken, in phase draw
    hands      the tiles of each seat; a star marks one that everybody knows of, `y3*`; a hidden hand is its size
               and the tiles known, `?14 y3`
    discards   what lies before each seat, the offer included; may be left out if nothing does
    centre     number of tiles in the centre: all that are in no hand and no discard; only needed in phase deal
    winner     the seat that finished, and what that counts: `winner 0 worth 2`
    scores     points of each seat and who began this deal: `scores 20 18 starter 1`; in match play
    first      seats that have not thrown a tile in this deal; where the indicator's twin may be shown
"""

from collections import Counter
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from ludens.games.okey.melds import finished_by_pairs, finished_by_sets

if TYPE_CHECKING:
    from ludens.games.okey.game import Okey, State

PHASES = ("draw", "fate", "discard", "deal", "over")
"""Names of `State.phase`, in the order of its numbers."""
TILES = [colour + str(number) for colour in "rbgy" for number in range(1, 14)] + ["okey"]
"""Names of the 53 kinds."""
JOKER = 52
LABELS = (
    "indicator", "turn", "phase", "offer", "hands", "discards",
    "centre", "winner", "worth", "scores", "starter", "first",
)  # fmt: skip


def name(a: int) -> str:
    return {0: "draw", 1: "take", 55: "show"}.get(a) or f"discard {TILES[a - 2]}"


def spelled_out(text: str, s: "State") -> str:
    """A move as `name` would write it: `r5`, `false` and `discard false` are short for a discard."""
    words = text.lower().split()
    tile = words[-1] if words and words[:-1] in ([], ["discard"]) else ""
    if tile == "false":
        tile = TILES[_joker_face(int(s.indicator))]
    return f"discard {tile}" if tile in TILES else text


def show(game: "Okey", s: "State") -> str:
    """The line for a position or a view."""
    indicator, offer, phase = int(s.indicator), int(s.offer), PHASES[int(s.phase)]
    sizes, hands, known = (np.asarray(x) for x in (game.hand_sizes(s), s.hands, s.known))
    line = f"indicator {TILES[indicator] if indicator >= 0 else '-'} turn {int(s.turn)} phase {phase}"
    if offer >= 0:
        line += f" offer {TILES[offer]}"
    line += " hands " + " / ".join(map(_show_hand, hands, known, sizes))
    line += " discards " + " / ".join(_show_tiles(row) for row in np.asarray(s.discards))
    line += f" centre {int(s.left)}"
    if int(s.winner) >= 0:
        line += f" winner {int(s.winner)} worth {int(s.worth)}"
    if game.match:
        line += f" scores {' '.join(str(score) for score in np.asarray(s.scores))} starter {int(s.starter)}"
    if game.show_indicator:
        line += f" first {int(s.first)}"
    return line


def read(game: "Okey", text: str) -> "State":
    """The position in a line; ValueError says what is wrong with it and what was expected."""
    parts = _parts(text)
    seats = game.players
    phase = _one_of(parts, "phase", PHASES)
    turn = _number(parts, "turn", 0, seats - 1)
    _check_variant(game, parts, phase)
    indicator = _indicator(parts, phase)
    starter = _number(parts, "starter", 0, seats - 1, default=0)
    first = _number(parts, "first", 0, seats, default=seats if phase == "deal" and game.show_indicator else 0)
    winner = _number(parts, "winner", 0, seats - 1, default=-1)
    worth = _number(parts, "worth", 2, 8, default=0)

    rows = _rows(parts, "discards", seats, default=" / ".join("-" * seats))
    discards = np.array([_counts(row, indicator) for row in rows])
    after_deal = 105 - 14 * seats - 1
    # A match can end before the first discard, by showing the indicator's twin: the starter still has 15 tiles.
    to_discard = phase == "discard" or (phase == "over" and first == seats)
    left = after_deal + (not to_discard) - int(discards.sum())
    if phase == "deal":
        left = _number(parts, "centre", after_deal + 1, 106)
    elif left < 0:
        raise ValueError(f"{discards.sum()} discards are too many: expected at most {discards.sum() + left}")
    elif _number(parts, "centre", 0, 105, default=left) != left:
        raise ValueError(f"centre {' '.join(parts['centre'])} does not fit the tiles in sight: expected {left}")

    _check_course(phase, turn, starter, first, left, discards, seats)

    s = game.cleared(jnp.int32(starter), jnp.array(_scores(game, parts, phase), jnp.int32))
    s = s._replace(
        discards=jnp.array(discards, jnp.int8),
        indicator=jnp.int32(indicator),
        left=jnp.int32(left),
        turn=jnp.int32(turn),
        phase=jnp.int32(PHASES.index(phase)),
        offer=jnp.int32(_offer(parts, indicator, phase, discards[turn - 1])),
        winner=jnp.int32(winner),
        worth=jnp.int32(worth),
        first=jnp.int32(first),
    )
    sizes = [int(size) for size in game.hand_sizes(s)]
    pairs = [_read_hand(row, indicator, seat, sizes[seat]) for seat, row in enumerate(_rows(parts, "hands", seats))]
    hands, known = (np.array(rows) for rows in zip(*pairs, strict=True))
    if winner >= 0:
        known[winner] = hands[winner]
    _check_tiles(hands.sum(axis=0) + discards.sum(axis=0), indicator)
    s = s._replace(hands=jnp.array(hands, jnp.int8), known=jnp.array(known, jnp.int8))
    _check_end(game, s)
    return s


def _joker_face(indicator: int) -> int:
    """The face one above the indicator in its colour; after 13 comes 1."""
    return indicator // 13 * 13 + (indicator + 1) % 13 if indicator % 13 == 12 else indicator + 1


def _show_tiles(counts: Any) -> str:
    """Tiles in order, each as often as it is there; `-` if none."""
    return " ".join(TILES[kind] for kind in range(53) for _ in range(counts[kind])) or "-"


def _show_hand(hand: Any, known: Any, size: int) -> str:
    """A hand with stars at known tiles, or `?14 y3` if not all of it is in sight."""
    if hand.sum() < size:
        return f"?{size} {_show_tiles(hand)}".removesuffix(" -")
    tiles = [TILES[kind] + "*" * int(copy < known[kind]) for kind in range(53) for copy in range(hand[kind])]
    return " ".join(tiles) or "-"


def _parts(text: str) -> dict[str, list[str]]:
    """The words after each label."""
    parts: dict[str, list[str]] = {}
    words: list[str] | None = None
    for word in text.lower().replace("/", " / ").split():
        if word in parts:
            raise ValueError(f"'{word}' is there twice: expected each part of an okey position once")
        if word in LABELS:
            words = parts[word] = []
        elif words is None:
            raise ValueError(f"an okey position cannot begin with '{word}': expected one of {', '.join(LABELS)}")
        else:
            words.append(word)
    for label in ("indicator", "turn", "phase", "hands"):
        if label not in parts:
            raise ValueError(f"the {label} part is missing: expected indicator, turn, phase and hands at least")
    return parts


def _one_of(parts: dict[str, list[str]], label: str, expected: tuple[str, ...]) -> str:
    word = " ".join(parts[label])
    if word not in expected:
        raise ValueError(f"{label} '{word}' does not exist in okey: expected one of {', '.join(expected)}")
    return word


def _number(parts: dict[str, list[str]], label: str, low: int, high: int, default: int | None = None) -> int:
    """The number after `label`, within bounds; the default, where there is one, if the label is not there."""
    if label not in parts:
        if default is None:
            raise ValueError(f"the {label} part is missing: expected a number from {low} to {high}")
        return default
    word = " ".join(parts[label])
    if not (word.isascii() and word.isdigit() and low <= int(word) <= high):
        raise ValueError(f"{label} '{word}' is wrong: expected a number from {low} to {high}")
    return int(word)


def _check_variant(game: "Okey", parts: dict[str, list[str]], phase: str) -> None:
    """Parts and phases that only some variants have."""
    for label in ("scores", "starter"):
        if (label in parts) != bool(game.match):
            wrong = "only belongs to" if label in parts else "is missing in"
            raise ValueError(f"the {label} part {wrong} match play: expected it exactly there")
    if phase == "deal" and not game.match:
        raise ValueError("phase deal only belongs to match play: expected draw, fate, discard or over")
    if "first" in parts and not game.show_indicator:
        raise ValueError("the first part does not belong here: expected it only with show_indicator")
    if ("winner" in parts) != ("worth" in parts) or ("winner" in parts and phase != "over"):
        raise ValueError("winner and worth belong together: expected both, in phase over, or neither")


def _indicator(parts: dict[str, list[str]], phase: str) -> int:
    word = " ".join(parts["indicator"])
    if word == "-":
        if phase != "deal" or parts.get("centre") != ["106"]:
            raise ValueError("the indicator is missing: expected a tile such as r5, or phase deal and centre 106")
        return -1
    if word not in TILES[:JOKER]:
        raise ValueError(f"indicator '{word}' is wrong: expected a numbered tile such as r5 or y13")
    if parts.get("centre") == ["106"]:
        raise ValueError(f"indicator {word} cannot lie there with 106 tiles to deal: expected -")
    return TILES.index(word)


def _scores(game: "Okey", parts: dict[str, list[str]], phase: str) -> list[int]:
    """The score of each seat; zeros outside match play."""
    if not game.match:
        return [0] * game.players
    words, seats = parts["scores"], game.players
    try:
        scores = [int(word) for word in words]
    except ValueError:
        scores = []
    low = -7 if phase == "over" else 1
    if len(scores) != seats or not all(low <= score <= game.match for score in scores):
        raise ValueError(f"scores '{' '.join(words)}' are wrong: expected {seats} from {low} to {game.match}")
    if game.teams and scores[:2] != scores[2:]:
        raise ValueError(f"scores '{' '.join(words)}' are wrong: expected the same for partners")
    if phase == "over" and min(scores) > 0:
        raise ValueError("the match is over but nobody has reached 0: expected a score of 0 or less")
    return scores


def _rows(parts: dict[str, list[str]], label: str, seats: int, default: str = "") -> list[list[str]]:
    """The tiles of each seat as words."""
    rows = [row.split() for row in " ".join(parts.get(label, default.split())).split("/")]
    if len(rows) != seats:
        raise ValueError(f"{label} of {len(rows)} seats were given: expected {seats}, separated by /")
    return [[] if row == ["-"] else row for row in rows]


def _kind(word: str, indicator: int) -> int:
    if word == "false" and indicator >= 0:
        return _joker_face(indicator)
    if word not in TILES:
        raise ValueError(f"'{word}' is not a tile: expected r1 to r13, or b, g, y and a number, or okey")
    return TILES.index(word)


def _counts(words: list[str], indicator: int) -> list[int]:
    """How many there are of each kind, 53 numbers."""
    held = Counter(_kind(word, indicator) for word in words)
    return [held[kind] for kind in range(53)]


def _offer(parts: dict[str, list[str]], indicator: int, phase: str, before: Any) -> int:
    """The kind on offer, which must lie before the seat that moved last; -1 outside phase draw."""
    word = " ".join(parts.get("offer", ["-"]))
    if (word != "-") != (phase == "draw"):
        raise ValueError(f"offer '{word}' does not fit phase {phase}: expected a tile in phase draw and - in others")
    if word == "-":
        return -1
    offer = _kind(word, indicator)
    if before[offer] == 0:
        raise ValueError(f"offer {word} does not lie there: expected it among the discards of the seat before")
    return offer


def _read_hand(words: list[str], indicator: int, seat: int, size: int) -> tuple[list[int], list[int]]:
    """Counts of the tiles in sight and of those that everybody knows."""
    hidden = bool(words) and words[0].startswith("?")
    tiles = words[1:] if hidden else words
    if hidden and words[0] != f"?{size}":
        raise ValueError(f"seat {seat} cannot have a hand of {words[0]}: expected ?{size} in this phase")
    if len(tiles) != size and not (hidden and len(tiles) < size):
        fewer = "fewer than " if hidden else ""
        raise ValueError(f"seat {seat} has {len(tiles)} tiles: expected {fewer}{size} in this phase")
    known = [word.removesuffix("*") for word in tiles if hidden or word.endswith("*")]
    return _counts([word.removesuffix("*") for word in tiles], indicator), _counts(known, indicator)


def _check_tiles(visible: Any, indicator: int) -> None:
    """No more of a kind than exist."""
    for kind in range(53):
        most = 2 - (kind == indicator)
        if visible[kind] > most:
            besides = " besides the indicator" if kind == indicator else ""
            raise ValueError(f"{visible[kind]} tiles {TILES[kind]} are in sight{besides}: expected at most {most}")


def _check_course(phase: str, turn: int, starter: int, first: int, left: int, discards: Any, seats: int) -> None:
    """Whether turn, phase, discards and centre can have come about together."""
    if phase in ("draw", "fate") and left == 0:
        raise ValueError("the centre is empty: expected phase over, since there is nothing to draw")
    if phase == "fate" and not discards[turn - 1].any():
        raise ValueError(f"seat {turn} draws but nothing lies before the last seat: expected its discard")
    if phase == "deal" and (turn != starter or discards.any() or first not in (0, seats)):
        raise ValueError("fate deals: expected no discards, the starter's turn, and first to count all seats")
    still = seats - (turn - starter) % seats
    if phase != "over" and first not in (0, still):
        raise ValueError(f"first {first} does not fit turn {turn}: expected {still} or 0")
    if first == seats and (phase in ("draw", "fate") or discards.any()):
        raise ValueError(f"first {first} means that nobody has thrown a tile: expected phase discard, no discards")


def _check_end(game: "Okey", s: "State") -> None:
    """Whether the deal is over exactly when it should be, and what a finish counts."""
    phase, turn, winner, worth = PHASES[int(s.phase)], int(s.turn), int(s.winner), int(s.worth)
    hands, discards = np.asarray(s.hands), np.asarray(s.discards)
    for seat in range(game.players):
        finish = _finish(game, hands[seat]) if discards[seat].any() and phase != "deal" else 0
        if seat != winner and finish:
            raise ValueError(f"seat {seat} has thrown a tile and holds a finished hand: expected it to have won")
        if seat == winner:
            if not finish:
                raise ValueError(f"seat {seat} has not won: expected 14 tiles in sets or pairs, and a discard")
            last_joker = bool(game.joker_finish) and discards[seat][JOKER] > 0
            if worth not in (finish, finish << last_joker):
                raise ValueError(f"worth {worth} does not fit seat {seat}'s hand and discards: expected {finish}")
            if turn != (winner + 1) % game.players:
                raise ValueError(f"turn {turn} cannot follow: expected the seat after the winner")
    if phase == "over" and game.match:
        _check_match(game, s, winner)
    elif phase == "over" and winner < 0 and int(s.left) > 0:
        raise ValueError("nobody has won and the centre is not empty: expected a winner, or phase draw or discard")


def _finish(game: "Okey", hand: Any) -> int:
    """What 14 tiles count without a joker thrown: 4 in pairs, 2 in sets, else 0."""
    if hand.sum() != 14:
        return 0
    if game.pairs and bool(finished_by_pairs(jnp.array(hand))):
        return 4
    return 2 * bool(finished_by_sets(jnp.array(hand), longest_run=game.longest_run or 5))


def _check_match(game: "Okey", s: "State", winner: int) -> None:
    """Whether the one who earned points last, by a finish or by showing the twin, has ended the match."""
    earner = winner if winner >= 0 else int(s.turn)
    shown = game.show_indicator and int(s.first) > 0 and int(s.known[earner, int(s.indicator)]) > 0
    drops = np.asarray(game.points(s._replace(winner=jnp.int32(earner), worth=jnp.int32(1)))) < 0
    scores = np.asarray(s.scores)
    if not (winner >= 0 or shown) or (scores[~drops] <= 0).any():
        listed = " ".join(map(str, scores))
        raise ValueError(f"scores {listed} do not fit the end: expected those to reach 0 whose scores just fell")
