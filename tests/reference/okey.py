"""Okey in plain Python: lists of tile names, one rule after the other. Slow on purpose; the engine's referee."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product

COLOURS = "rbgy"
FACES = [colour + str(number) for colour in COLOURS for number in range(1, 14)]


def joker_face(indicator):
    """The face that is wild: one above the indicator, and 1 after 13."""
    number = int(indicator[1:])
    return indicator[0] + str(1 if number == 13 else number + 1)


def box(indicator=None):
    """All tiles by what they are played as, without the indicator itself once there is one."""
    physical = FACES * 2 + ["false joker"] * 2
    if indicator is None:
        return physical
    physical.remove(indicator)
    wild = joker_face(indicator)
    return ["okey" if tile == wild else wild if tile == "false joker" else tile for tile in physical]


@cache
def sets_with(tile, longest_run):
    """Every set that contains this tile, as a list of the other tiles it needs."""
    found = []
    colour, number = tile[0], int(tile[1:])
    others = [other for other in COLOURS if other != colour]
    for take in product([False, True], repeat=3):
        group = [other + str(number) for other, taken in zip(others, take, strict=True) if taken]
        if len(group) >= 2:
            found.append(group)
    # Places 1 to 14 of a run, where place 14 is the 1 that may follow 13.
    for length in range(3, (longest_run or 14) + 1):
        for start in range(1, 16 - length):
            run = [colour + str((place - 1) % 13 + 1) for place in range(start, start + length)]
            if tile in run:
                run.remove(tile)
                found.append(run)
    return found


def all_in_sets(hand, longest_run):
    """Whether the tiles can be laid out in sets with nothing left over."""
    tiles = Counter(hand)
    jokers = tiles.pop("okey", 0)

    def lay(tiles, jokers):
        left = sorted(tile for tile in tiles if tiles[tile] > 0)
        if not left:
            return jokers == 0
        tile = left[0]
        for needed in sets_with(tile, longest_run):
            if sum(tiles[name] == 0 for name in needed) > jokers:
                continue
            for wild in range(jokers + 1):
                for played_by_jokers in combinations(needed, wild):
                    rest = tiles + Counter(played_by_jokers)
                    rest.subtract([tile, *needed])
                    if min(rest.values()) >= 0 and lay(rest, jokers - wild):
                        return True
        return False

    return lay(tiles, jokers)


def all_in_pairs(hand):
    """Whether the tiles are pairs of equals, a joker standing in for a missing one."""
    tiles = Counter(hand)
    jokers = tiles.pop("okey", 0)
    singles = sum(count % 2 for count in tiles.values())
    return singles <= jokers and (jokers - singles) % 2 == 0


class Table:
    """Some people around a table. Stages: draw, fate, discard, deal, over."""

    def __init__(
        self,
        players,
        longest_run,
        pairs,
        joker_finish,
        teams=False,
        match=0,
        losers_drop=False,
        show_indicator=False,
    ):
        self.players, self.longest_run, self.pairs, self.joker_finish = players, longest_run, pairs, joker_finish
        self.teams, self.match, self.losers_drop, self.gosterge = teams, match, losers_drop, show_indicator
        self.scores = [match] * players
        self.starter = 0
        self.clear()

    def clear(self):
        self.stage, self.turn, self.indicator = "deal", self.starter, None
        self.hands = [[] for _ in range(self.players)]
        self.public = [[] for _ in range(self.players)]  # tiles that all have seen go into a hand
        self.piles = [[] for _ in range(self.players)]
        self.centre = box()
        self.offer = None
        self.has_moved = [False] * self.players  # drew, took or threw something in this deal
        self.has_thrown = [False] * self.players
        self.winner, self.worth = None, 0

    def deal(self, indicator, hands):
        """Everything at once; the starter's hand has 15 tiles."""
        self.indicator, self.centre = indicator, box(indicator)
        for hand, tiles in zip(self.hands, hands, strict=True):
            for tile in tiles:
                self.centre.remove(tile)
                hand.append(tile)
        self.stage = "discard"

    # ------------------------------------------------------------------ fate

    def outcomes(self):
        """What fate may do, with probabilities."""
        if self.stage == "deal" and self.indicator is None:
            return {face: Fraction(1, 52) for face in FACES}
        if self.stage in ("deal", "fate"):
            return {tile: Fraction(n, len(self.centre)) for tile, n in Counter(self.centre).items()}
        return {}

    def fate(self, tile):
        if self.indicator is None:
            self.indicator, self.centre = tile, box(tile)
            return
        self.centre.remove(tile)
        if self.stage == "fate":
            self.hands[self.turn].append(tile)
            self.stage = "discard"
            return
        order = [(self.starter + i) % self.players for i in range(self.players)]
        sizes = {seat: 15 if seat == self.starter else 14 for seat in order}
        seat = next(seat for seat in order if len(self.hands[seat]) < sizes[seat])
        self.hands[seat].append(tile)
        if all(len(self.hands[seat]) == sizes[seat] for seat in order):
            self.stage = "discard"

    # ------------------------------------------------------------------ people

    def moves(self):
        hand = self.hands[self.turn]
        moves = set()
        if self.stage == "draw":
            moves = {"draw", "take"}
        if self.stage == "discard":
            moves = {"discard " + tile for tile in hand}
        opening = bool(moves) and not self.has_moved[self.turn]
        if self.gosterge and opening and self.indicator in hand and self.indicator not in self.public[self.turn]:
            moves.add("show")
        return moves

    def play(self, move):
        seat = self.turn
        if move == "show":
            self.public[seat].append(self.indicator)
            self.score(seat, 1)
            if self.match and min(self.scores) <= 0:
                self.stage, self.offer = "over", None
            return
        self.has_moved[seat] = True
        if move == "draw":
            self.stage, self.offer = "fate", None
        elif move == "take":
            tile = self.piles[(seat - 1) % self.players].pop()
            assert tile == self.offer
            self.hands[seat].append(tile)
            self.public[seat].append(tile)
            self.stage, self.offer = "discard", None
        else:
            self.throw(seat, move.removeprefix("discard "))

    def throw(self, seat, tile):
        hand = self.hands[seat]
        hand.remove(tile)
        self.has_thrown[seat] = True
        if tile in self.public[seat]:
            self.public[seat].remove(tile)
        self.piles[seat].append(tile)
        self.turn = (seat + 1) % self.players
        self.stage, self.offer = "draw", tile
        self.worth = self.finish(hand, tile)
        if self.worth:
            self.winner = seat
            self.public[seat] = list(hand)
            self.score(seat, self.worth)
        if self.worth or not self.centre:
            self.stage, self.offer = "over", None
            if self.match and min(self.scores) > 0:
                self.starter = (self.starter + 1) % self.players
                self.clear()

    def finish(self, hand, thrown):
        """Points for keeping this hand: 0 if it is not finished."""
        worth = 0
        if all_in_sets(hand, self.longest_run):
            worth = 2
        if self.pairs and all_in_pairs(hand):
            worth = 4
        if self.joker_finish and thrown == "okey":
            worth *= 2
        return worth

    def together(self, seat, other):
        return seat == other or (self.teams and (seat - other) % 2 == 0)

    def score(self, seat, worth):
        if self.match:
            for other in range(self.players):
                if self.together(seat, other) != self.losers_drop:
                    self.scores[other] -= worth

    def result(self):
        if self.stage != "over":
            return [Fraction(0)] * self.players
        if self.match:
            best = max(self.scores)
            winners = [score == best if self.losers_drop else score <= 0 for score in self.scores]
        elif self.winner is None:
            return [Fraction(0)] * self.players
        else:
            winners = [self.together(self.winner, seat) for seat in range(self.players)]
        if self.teams:
            return [Fraction(1 if wins else -1) for wins in winners]
        count = sum(winners)
        return [Fraction(1, count) if wins else Fraction(-1, self.players - count) for wins in winners]
