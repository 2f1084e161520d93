"""Ctrl-C while JAX is at work.

JAX has Python call it whenever garbage is collected. What is raised inside such a call is printed and forgotten, and a
signal that arrived while something was compiled is often noticed there first: then Ctrl-C would do nothing.
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import NoReturn

FORGETFUL = "_xla_gc_callback"
"""What JAX calls the function that Python calls."""
SOON = 0.02  # seconds
INTERRUPTED = 130
"""Exit code of whoever was interrupted."""


def heed() -> None:
    """From now on an interrupt that JAX would lose comes again a little later; one that is ignored stays so."""
    handled_here = threading.current_thread() is threading.main_thread()
    if handled_here and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def leave() -> NoReturn:
    """End at once: what is still compiled or computed in other threads would crash while Python is taken down."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # whoever read us has left
            stream.flush()
    os._exit(INTERRUPTED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    while frame is not None and frame.f_code.co_name != FORGETFUL:
        frame = frame.f_back
    if frame is None:
        raise KeyboardInterrupt
    again = threading.Timer(SOON, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()
