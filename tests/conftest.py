"""Shared by all tests: Ctrl-C as in a terminal, and JAX's compilation cache, so that nothing is compiled twice.

What is compiled stays mapped into memory for as long as JAX remembers it, each program in several pieces, and Linux
lets a process have 65,530 such pieces. All tests of a worker together would need more, and XLA crashes then. So JAX is
made to forget, after a file of tests, once there are many; what is asked for again comes from the cache on disk.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parent.parent / ".cache" / "jax"))
# Small programs are kept as well: tests call many outside of `jit`, and compiling them takes a third of a warm run.
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So it is for commands that a script begins in the background, and for all that these begin in turn. Tests that
    # interrupt a command must not depend on how they were begun themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def what_xla_is_told() -> Iterator[None]:
    """As before after every test: the cache knows programs by it too, and would compile all that follows again."""
    before = os.environ.get("XLA_FLAGS")
    yield
    if before is None:
        os.environ.pop("XLA_FLAGS", None)
    else:
        os.environ["XLA_FLAGS"] = before


# ---------------------------------------------------------------------- -n: which process runs what

PAGE = "page"
LONGEST = (PAGE, "tests/learning/test_every_learner.py")
"""Groups that take longest. They come first, so that no process still has one of them when all others are done."""


def group_of(nodeid: str) -> str:
    """What one process runs. The tests of a file share fixtures and compiled programs, so that is a file, but the tests
    of the page have one server and one browser for all of them, and in the conformance tests each game is a group."""
    file, _, test = nodeid.partition("::")
    if "/web/" in file and "presenters" not in file:
        return PAGE
    return test[test.find("[") :] if file.endswith("test_conformance.py") else file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {group: number for number, group in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(group_of(item.nodeid), len(order)))


@pytest.hookimpl(optionalhook=True)  # where xdist is not installed, nobody asks
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Groups in the order of their tests. xdist's own `loadgroup` does nothing: it marks node ids, which pytest 9.2 no
    longer lets it do, and says nothing about it."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    config.option.loadscopereorder = False  # not those with most tests first
    return ByGroup(config, log)


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
