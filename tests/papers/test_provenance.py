"""Where a figure comes from: never an error, and never somebody else's commit."""

import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import jax
import pytest

from ludens.papers.provenance import commit, provenance

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in a folder that no repository holds."""
    monkeypatch.delenv("LUDENS_COMMIT", raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    path = tmp_path / "package" / "__init__.py"
    path.parent.mkdir()
    path.write_text("one")
    return path


def git(folder: Path, *words: str) -> str:
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", *person, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_the_commit_and_whether_files_changed_since(source: Path) -> None:
    folder = source.parent.parent
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    head = git(folder, "rev-parse", "HEAD")
    assert commit(source) == head
    (folder / "results.json").write_text("new files do not matter")
    assert commit(source) == head
    source.write_text("two")
    assert commit(source) == f"{head}-dirty"


def test_outside_git_nobody_knows_unless_told(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert commit(source) is None
    monkeypatch.setenv("LUDENS_COMMIT", "abc")
    assert commit(source) == "abc"


def test_a_repository_that_only_contains_us_is_not_ours(source: Path) -> None:
    folder = source.parent.parent
    (folder / "theirs.txt").write_text("theirs")
    git(folder, "init", "-q")
    git(folder, "add", "theirs.txt")
    git(folder, "commit", "-qm", "theirs")
    assert commit(source) is None


def test_a_repository_without_a_commit(source: Path) -> None:
    git(source.parent, "init", "-q")
    git(source.parent, "add", ".")
    assert commit(source) is None


def test_without_git_and_in_folders_that_are_not_there(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert commit(source.parent / "missing" / "file.py") is None
    monkeypatch.setenv("PATH", "")
    assert commit(source) is None


def test_everything_about_this_process() -> None:
    made = provenance()
    assert list(made.versions) == ["ludens", "python", "jax", "jaxlib", "numpy", "equinox", "optax"]
    assert made.versions["jax"] == jax.__version__
    assert made.versions["optax"] == version("optax")
    assert (made.device.platform, made.device.count) == (jax.devices()[0].platform, jax.device_count())
    assert made.device.cores >= 1
    assert len(made.date) == len("2026-01-31T12:00:00Z")
