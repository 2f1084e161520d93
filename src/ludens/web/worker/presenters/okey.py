"""Okey as the page draws it: the rack of whoever looks, what lies on the table, and what all know of the others.

A tile is `{"tile": "r5", "false": bool}`; the joker is `"okey"`, and every tile of the joker's own face is one of the
false jokers. A position only counts tiles, so the order in which discards lie is read from the acts; those that lay
there when a game began from a given position come first. Whose hand is complete in a view is shown, nobody else's.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

from ludens.core.game import Game
from ludens.games.okey import DISCARD, DRAW, FIRST_DISCARD, HAND, JOKER, OVER, SHOW, TAKE, Okey
from ludens.games.okey.text import PHASES, TILES
from ludens.web.worker.presenters.okey_layout import in_pairs, in_sets
from ludens.web.worker.render import JSON, Presenter, Scene

COLOURS = {"r": "red", "b": "black", "g": "green", "y": "yellow"}
SINGLE, DOUBLE = 2, 4
"""What a finish counts in sets and in pairs; a joker thrown last doubles it."""


class OkeyPresenter(Presenter):
    title: ClassVar[str] = "Okey"
    blurb: ClassVar[str] = (
        "The Turkish tile game: draw, discard, and be the first with fourteen tiles in sets or pairs."
    )

    def seats(self, game: Game[Any]) -> list[str]:
        """By number, as positions are written."""
        return [f"Seat {seat}" for seat in range(game.num_players)]

    def board(self, scene: Scene) -> dict[str, JSON]:
        """The table, the looking seat's rack, and all hands where all are in sight."""
        game, view = _okey(scene), scene.view
        indicator, phase, winner = int(view.indicator), int(view.phase), int(view.winner)
        tiles = _tiles(indicator)
        rows, sizes = view.hands.tolist(), _sizes(scene)
        complete = [sum(row) == size for row, size in zip(rows, sizes, strict=True)]
        hand = scene.seat if scene.seat is not None and complete[scene.seat] else None
        board: dict[str, JSON] = {
            "players": game.players,
            "teams": game.teams,
            "indicator": tiles[indicator],
            "joker": TILES[_joker_face(indicator)],
            "left": int(view.left),
            "phase": PHASES[phase],
            "hand": None if hand is None else _listed(rows[hand], tiles),
            "sizes": sizes,
            "hands": [_listed(row, tiles) if all(complete) else None for row in rows],
            "known": [_listed(row, tiles) for row in view.known.tolist()],
            "discards": [[tiles[kind] for kind in pile] for pile in _piles(scene)],
            "offer": tiles[int(view.offer)] if int(view.offer) >= 0 else None,
            "scores": view.scores.tolist() if game.match else None,
            "starter": int(view.starter),
            "winner": winner if winner >= 0 else None,
            "worth": int(view.worth),
            "arrangement": None,
            "pairs": False,
        }
        if winner >= 0:
            board |= _arranged(game, tuple(rows[winner]), tiles)
        return board

    def move(self, scene: Scene, action: int) -> dict[str, JSON]:
        """What is done, and the tile it is done to; which one a draw brings, nobody knows."""
        tiles = _tiles(int(scene.view.indicator))
        if action == TAKE:
            return {"kind": "take", "tile": tiles[int(scene.view.offer)]}
        if action == SHOW:
            return {"kind": "show", "tile": tiles[int(scene.view.indicator)]}
        if action >= FIRST_DISCARD:
            return {"kind": "discard", "tile": tiles[action - FIRST_DISCARD]}
        return {"kind": "draw", "tile": None}

    def change(self, before: Scene, action: int, after: Scene) -> dict[str, JSON]:
        """The tile drawn, for who may see it; in match play how a deal ended, since the next is dealt at once."""
        change: dict[str, JSON] = {"drawn": None}
        if action < TAKE:
            drawn = _drawn(before, after)
            change["drawn"] = None if drawn is None else _tiles(int(after.view.indicator))[drawn]
        if _dealt_anew(before, action, after):
            worth = _earned(before, after)
            change["deal"] = {"winner": before.mover if worth else None, "worth": worth}
        return change

    def said(self, before: Scene, action: int, after: Scene) -> str:
        """The act, and what it ended: `Seat 0 discards red 5 and finishes in sets (2 points)`."""
        who = self.seats(before.game)[before.mover]
        if action < TAKE:
            return f"{who} draws from the centre"
        joker = _joker_face(int(before.view.indicator))
        if action == TAKE:
            return f"{who} takes {_in_words(int(before.view.offer), joker)}"
        if action == SHOW:
            return f"{who} shows the twin of the indicator, {_in_words(int(before.view.indicator), joker)}"
        said = f"{who} discards {_in_words(action - FIRST_DISCARD, joker)}"
        if int(after.view.winner) >= 0:
            return f"{said} and {_finish(after)}"
        if _dealt_anew(before, action, after):
            worth = _earned(before, after)
            ended = f"and finishes ({worth} points)" if worth else "and nobody has finished"
            starter = self.seats(before.game)[int(after.view.starter)].lower()
            return f"{said} {ended}; a new deal, {starter} begins"
        return said

    def notice(self, scene: Scene) -> str | None:
        """That a deal began, that the centre is empty, or that the mover, who looks, may show a tile."""
        game, view = _okey(scene), scene.view
        if scene.over:
            return None
        notices = []
        opening = int(view.phase) == DISCARD and not view.discards.any()
        if opening and game.match and scene.actions:
            scores = " to ".join(str(score) for score in view.scores.tolist())
            notices.append(f"A new deal: the scores are {scores}, and seat {int(view.starter)} begins.")
        if int(view.phase) == DISCARD and int(view.left) == 0:
            notices.append("The centre is empty: a discard that does not finish ends the deal as a draw.")
        if game.show_indicator and scene.seat == scene.mover and _may_show(scene, opening):
            shown = _in_words(int(view.indicator), _joker_face(int(view.indicator)))
            notices.append(f"Seat {scene.mover} holds {shown} like the indicator, and may show it for a point.")
        return " ".join(notices) or None

    def result(self, scene: Scene, returns: Sequence[float]) -> str:
        """Who finished and how, and in match play the scores."""
        game, view = _okey(scene), scene.view
        winners = [seat for seat, gain in enumerate(returns) if gain > 0]
        if int(view.phase) != OVER:
            return f"A draw: the limit of {game.turn_limit:,} acts is reached"
        if not winners:
            return "A draw: the centre is empty, and nobody has finished"
        by = (
            f"seat {int(view.winner)} {_finish(scene)}" if int(view.winner) >= 0 else "a tile shown took the last point"
        )
        wins = "wins" if len(winners) == 1 else "win" if game.teams else "share the win of"
        if game.match:
            return f"{_several(winners)} {wins} the match: {by}; the scores are {_scores(view)}"
        return f"{_several(winners)} win: {by}" if game.teams else by.capitalize()


# ---------------------------------------------------------------------- tiles


@lru_cache(maxsize=64)
def _tiles(indicator: int) -> tuple[dict[str, JSON], ...]:
    """The 53 kinds as the page has them, when this tile is turned up."""
    joker = _joker_face(indicator)
    return tuple({"tile": name, "false": kind == joker} for kind, name in enumerate(TILES))


def _joker_face(indicator: int) -> int:
    """The face one above the indicator in its colour; after 13 comes 1."""
    return indicator // 13 * 13 + (indicator % 13 + 1) % 13


def _listed(counts: Sequence[int], tiles: Sequence[JSON]) -> list[JSON]:
    """Tiles by colour and number, each as often as it is there."""
    return [tiles[kind] for kind, count in enumerate(counts) if count for _ in range(count)]


def _in_words(kind: int, joker: int) -> str:
    """`red 5`, `a false joker (red 6)` or `the joker`."""
    if kind == JOKER:
        return "the joker"
    face = f"{COLOURS[TILES[kind][0]]} {TILES[kind][1:]}"
    return f"a false joker ({face})" if kind == joker else face


# ---------------------------------------------------------------------- the table


def _okey(scene: Scene) -> Okey:
    assert isinstance(scene.game, Okey)
    return scene.game


def _sizes(scene: Scene) -> list[int]:
    """Tiles each seat holds, as `Okey.hand_sizes` has it where somebody decides and at the end."""
    game, view = _okey(scene), scene.view
    phase = int(view.phase)
    to_discard = phase == DISCARD or (phase == OVER and int(view.first) == game.players)
    return [HAND + (to_discard and seat == int(view.turn)) for seat in range(game.players)]


def _piles(scene: Scene) -> list[list[int]]:
    """Kinds that lie before each seat, oldest first: what this deal's acts put there, before it what they did not."""
    players, view = _okey(scene).players, scene.view
    ordered: list[list[int]] = [[] for _ in range(players)]
    begin = _deal_begins(scene.actions) if view.discards.any() else len(scene.actions)
    for seat, action in zip(scene.movers[begin:], scene.actions[begin:], strict=True):
        if FIRST_DISCARD <= action < SHOW:
            ordered[seat].append(action - FIRST_DISCARD)
        elif action == TAKE and ordered[seat - 1]:
            ordered[seat - 1].pop()
    piles = []
    for seat, (counts, pile) in enumerate(zip(view.discards.tolist(), ordered, strict=True)):
        lying = Counter({kind: count for kind, count in enumerate(counts) if count})
        older = sorted((lying - Counter(pile)).elements())
        if not pile and int(view.offer) in older and seat == (int(view.turn) - 1) % players:
            older.remove(int(view.offer))
            older.append(int(view.offer))
        piles.append(older + pile)
    return piles


def _deal_begins(actions: Sequence[int]) -> int:
    """Where this deal's acts begin: only its starter throws a tile without having drawn one."""
    later: int | None = None
    for place in range(len(actions) - 1, -1, -1):
        if actions[place] == SHOW:
            continue
        throws = actions[place] >= FIRST_DISCARD
        if throws and later is not None:
            return later
        later = place if throws else None
    return 0


# ---------------------------------------------------------------------- what an act did


def _drawn(before: Scene, after: Scene) -> int | None:
    """The kind that the mover's hand has more of, if whoever looks sees that hand."""
    held = before.view.hands[before.mover]
    if before.seat != after.seat or int(held.sum()) != HAND:
        return None
    more = (after.view.hands[before.mover] - held).tolist()
    return more.index(1) if 1 in more else None


def _dealt_anew(before: Scene, action: int, after: Scene) -> bool:
    """Whether a tile was thrown and none lies there any more: in match play, the next deal has begun."""
    return FIRST_DISCARD <= action < SHOW and int(after.view.phase) == DISCARD and not after.view.discards.any()


def _earned(before: Scene, after: Scene) -> int:
    """What the mover's finish counted in match play, by the scores that dropped; 0 for a draw."""
    return int((before.view.scores - after.view.scores).max())


def _may_show(scene: Scene, opening: bool) -> bool:
    """Whether the mover holds the indicator's twin unshown as its first turn of the deal begins."""
    view, kind = scene.view, int(scene.view.indicator)
    first = opening or (int(view.phase) == DRAW and int(view.first) > 0)
    return first and int(view.hands[scene.mover][kind]) > int(view.known[scene.mover][kind])


# ---------------------------------------------------------------------- the end


def _finish(scene: Scene) -> str:
    """`finishes with pairs and a joker (8 points)`."""
    view = scene.view
    pairs = bool(_okey(scene).pairs) and in_pairs(tuple(view.hands[int(view.winner)].tolist())) is not None
    joker = int(view.worth) > (DOUBLE if pairs else SINGLE)
    how = ("with pairs" if pairs else "in sets") + (" and a joker thrown last" if joker else "")
    return f"finishes {how} ({int(view.worth)} points)"


def _arranged(game: Okey, hand: tuple[int, ...], tiles: Sequence[JSON]) -> dict[str, JSON]:
    """The winner's hand in sets or pairs."""
    pairs = in_pairs(hand) if game.pairs else None
    sets = pairs or in_sets(hand, int(game.longest_run or 0)) or ()
    laid = [{"tiles": [tiles[face] | {"wild": wild} for face, wild in chosen]} for chosen in sets]
    return {"arrangement": laid, "pairs": pairs is not None}


def _scores(view: Any) -> str:
    """`0 to 14`; of three seats `0, 14 and 6`."""
    scores = [str(score) for score in view.scores.tolist()]
    return " to ".join(scores) if len(scores) == 2 else f"{', '.join(scores[:-1])} and {scores[-1]}"


def _several(seats: Sequence[int]) -> str:
    """`Seat 1`, `Seats 0 and 2`, `Seats 0, 1 and 3`."""
    if len(seats) == 1:
        return f"Seat {seats[0]}"
    return f"Seats {', '.join(str(seat) for seat in seats[:-1])} and {seats[-1]}"
