"""Shared by all tests: Ctrl-C as in a terminal, and JAX's compilation cache, so that nothing is compiled twice.

What is compiled stays mapped into memory for as long as JAX remembers it, each program in several pieces, and Linux
lets a process have 65,530 such pieces. All tests of a worker together would need more, and XLA crashes then. So JAX is
made to forget, after a file of tests, once there are many; what is asked for again comes from the cache on disk.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parent.parent / ".cache" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.3")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So it is for commands that a script begins in the background, and for all that these begin in turn. Tests that
    # interrupt a command must not depend on how they were begun themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)

MANY = 20_000
"""Mappings of a process, out of the 65,530 that Linux allows unless told otherwise."""


@pytest.fixture(autouse=True, scope="module")
def room_for_compiled_programs() -> Iterator[None]:
    """Forget what was compiled, if that is much."""
    yield
    mappings = Path("/proc/self/maps")
    if mappings.exists() and mappings.read_bytes().count(b"\n") > MANY:
        import jax

        jax.clear_caches()
