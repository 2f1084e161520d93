"""What tests ask about processes that they began."""

import os
from pathlib import Path


def lives(process: int) -> bool:
    """Whether there is such a process, other than one that has ended and nobody has asked about."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
