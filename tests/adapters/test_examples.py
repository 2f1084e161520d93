import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gymnasium_random", "20 games at random"),
        pytest.param("pettingzoo_random", "othello: ", marks=pytest.mark.slow),
        pytest.param("pgx_random", "the first player won", marks=pytest.mark.slow),
    ],
)
def test_example_runs(name: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert says in capsys.readouterr().out
