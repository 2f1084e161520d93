"""A small Othello program for the tests of `external.py`, run as `python engine.py PROTOCOL [HABIT]`.

It plays the last legal move by the plain rules of `reference/othello.py` over GTP or the NBoard protocol. A habit makes
it misbehave. It never imports Ludens.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from reference import othello

PROTOCOL, HABIT = sys.argv[1], (sys.argv[2:] or ["none"])[0]


def say(line):
    print(line, flush=True)


def choose(position):
    """The last legal move, or what the habit makes of it."""
    match HABIT:
        case "silent":
            time.sleep(3600)
        case "crashes":
            print("engine: out of ideas", file=sys.stderr)
            sys.exit(3)
        case "illegal":
            return "a1"
        case "garbage":
            return "??!"
        case "floods":
            while True:
                say("thinking")
    return othello.moves(position)[-1]


def followed(position, moves):
    """The position after moves whose passes may be left out."""
    for side, move in moves:
        if side != position.mover and othello.moves(position) == ["pass"]:
            position = othello.play(position, "pass")
        assert side == position.mover, (side, move)
        assert move in othello.moves(position), move
        position = othello.play(position, move)
    return position


def gtp():
    size, moves = 8, []
    for line in sys.stdin:
        command, *words = line.split()
        answer = ""
        match command:
            case "protocol_version":
                answer = "2"
            case "boardsize":
                size = int(words[0])
            case "clear_board":
                moves = []
            case "play":
                if words[1] == "pass":
                    say("? passes are not welcome\n")
                    continue
                moves.append(("XO"["bw".index(words[0])], words[1]))
                followed(othello.start(size), moves)
            case "genmove":
                side = "XO"["bw".index(words[0])]
                position = followed(othello.start(size), moves)
                if side != position.mover:
                    position = othello.play(position, "pass")
                answer = choose(position).upper()
                moves.append((side, answer.lower()))
            case "quit":
                say("=\n")
                return
            case _:
                say("? unknown command\n")
                continue
        say("not an answer" if HABIT == "babbles" else f"= {answer}\n")


def nboard():
    position = None
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        if command == "ping":
            say("status waiting")
            say(f"pong {rest}")
        elif line.startswith("set game "):
            position = from_ggf(rest)
        elif command == "go":
            move = choose(position)
            say("nodestats 35805 0.01")
            say(f"=== {move.upper()} -1.00 0.5")
        elif command == "quit":
            return


def from_ggf(text):
    """The position at the end of a GGF game."""
    size, cells, mover = re.search(r"BO\[(\d+) (\S+) (\S)\]", text).groups()
    board = zip(othello.squares(int(size)), cells.replace("*", "X"), strict=True)
    discs = {square: cell for square, cell in board if cell != "-"}
    position = othello.Position(int(size), discs, mover.replace("*", "X"))
    for side, move in re.findall(r"([BW])\[(\w+)\]", text[text.index("BO[") :]):
        assert "XO"["BW".index(side)] == position.mover
        position = othello.play(position, "pass" if move == "PA" else move.lower())
    return position


if HABIT == "deaf":
    time.sleep(3600)
if HABIT == "dies at once":
    sys.exit(7)
if HABIT == "starts slowly":
    time.sleep(1)
if HABIT == "chatters":
    print("loading the book\n" * 20_000, file=sys.stderr, flush=True)
if HABIT == "has children":
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)  # a child of the engine"])
    HABIT = "silent"
{"gtp": gtp, "nboard": nboard}[PROTOCOL]()
