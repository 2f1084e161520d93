"""Train in a process of its own, to be killed: GAME VARIANT LEARNER SETTINGS FOLDER EVERY."""

import json
import sys
from pathlib import Path

from ludens.games import make
from ludens.learning import learner
from ludens.learning.run import train

if __name__ == "__main__":
    game, variant, name, settings, folder, every = sys.argv[1:]
    who = learner(name, make(game, **json.loads(variant)), json.loads(settings))
    for _ in train(who, Path(folder), every=int(every)):
        pass
