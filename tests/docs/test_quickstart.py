"""The notebook for newcomers runs from top to bottom, and is kept without what it printed."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "quickstart.ipynb"


def _printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.outputs)


@pytest.mark.slow
def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_backend_optimization_level=0")  # the time goes into compiling, not into play
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.outputs or cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    start, random_game, training, match, analysis, curve = [each for each in notebook.cells if each.cell_type == "code"]
    assert "legal: ['b1', 'a2', 'd3', 'c4']" in _printed(start)
    assert "results of the two seats" in _printed(random_game)
    wins = [int(line.split()[-3]) for line in _printed(training).splitlines()]
    assert wins[-1] > 1.5 * wins[0]
    assert "with 95 % confidence" in _printed(match)
    assert _printed(analysis).count("'d1'") == 2
    assert any("image/png" in output.get("data", {}) for output in curve.outputs)
