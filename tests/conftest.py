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
# Small programs are kept as well: tests call many outside of `jit`, and compiling them takes a third of a warm run.
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So it is for commands that a script begins in the background, and for all that these begin in turn. Tests that
    # interrupt a command must not depend on how they were begun themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)


LONGEST = ("page", "learning/test_every_learner.py")
"""Groups that take longest. They come first, so that no process still has one of them when all others are done."""


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook, and this file's comes after it otherwise
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a file share what is compiled, so one process runs them all, unless the file says otherwise."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group("/".join(item.path.parts[-2:])))
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    """When the item's group is begun; groups of the same turn are begun in the order of their files."""
    group = next(item.iter_markers("xdist_group")).args[0]
    return LONGEST.index(group) if group in LONGEST else len(LONGEST)


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


# ---------------------------------------------------------------------- --rooms: what each room's tests take


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rooms", action="store_true", help="print the CPU seconds that each room's tests take")


def _cpu_seconds() -> float:
    """Of this process and of those it has waited for: the commands, servers and workers that tests begin."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.begun = _cpu_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    report.cpu_seconds = _cpu_seconds() - item.begun  # fixtures that many share count where they are made
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A table for docs/contributing.md. CPU seconds, since wall time depends on what else runs."""
    if not terminalreporter.config.getoption("--rooms"):
        return
    rooms: dict[str, list[float]] = {}
    for report in (each for many in terminalreporter.stats.values() for each in many if hasattr(each, "cpu_seconds")):
        if report.when == "teardown":
            row = rooms.setdefault(report.location[0].split("/")[1], [0, 0.0, 0, 0.0])
            column = 2 if "slow" in report.keywords else 0
            row[column] += 1
            row[column + 1] += report.cpu_seconds
    rooms["all"] = [sum(column) for column in zip(*rooms.values(), strict=True)]
    terminalreporter.write_line("| room | tests | CPU s | slow tests | CPU s |\n|---|---|---|---|---|")
    for room, (tests, seconds, slow, slow_seconds) in sorted(rooms.items(), key=lambda each: (each[0] == "all", each)):
        terminalreporter.write_line(f"| {room} | {tests} | {seconds:.0f} | {slow} | {slow_seconds:.0f} |")
