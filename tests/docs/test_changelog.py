"""The renamed options in CHANGELOG.md are those the command line knows: who types the old name is told the new."""

import re
from pathlib import Path

from ludens.core.run_files import _RENAMED, renamed
from ludens.learning import LEARNERS

TEXT = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| `--([a-z-]+)` \| `--([a-z0-9-]+)` \|$", TEXT, re.MULTILINE)


def test_the_table_of_renamed_options_is_complete_and_true() -> None:
    listed = {
        (learner, old): new
        for learners, old, new in ROWS
        for learner in (LEARNERS if learners == "all" else re.findall(r"`([a-z0-9-]+)`", learners))
    }
    for (learner, old), new in listed.items():
        assert renamed(learner, f"--{old}") == f"--{old} is now --{new}", learner
    known = {(learner, old.replace("_", "-")) for learner, names in _RENAMED.items() for old in names}
    assert known <= set(listed)
