"""Trees on disk come back bit for bit, or not at all."""

from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core import storage


class Pair(NamedTuple):
    key: jax.Array
    counts: jax.Array


TREE = {
    "state": Pair(jax.random.split(jax.random.key(1), 2), jnp.arange(6, dtype=jnp.int32).reshape(2, 3)),
    "weights": (jnp.array([[0.1, -0.0], [jnp.inf, 1e-30]], jnp.float32), jnp.zeros((2, 0), jnp.float32)),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    storage.write(tmp_path / "tree.safetensors", TREE, {"lines": 3})
    return tmp_path / "tree.safetensors"


def test_everything_comes_back_bit_for_bit(path: Path) -> None:
    facts, arrays = storage.load(path)
    assert facts == {"lines": 3}
    state = storage.unpack(arrays, TREE["state"], part="state")
    weights = storage.unpack(arrays, TREE["weights"], part="weights")
    assert isinstance(state, Pair)
    assert (jax.random.key_data(state.key) == jax.random.key_data(TREE["state"].key)).all()
    for before, after in zip(
        jax.tree.leaves((TREE["state"].counts, TREE["weights"])), [state.counts, *weights], strict=True
    ):
        assert np.asarray(before).tobytes() == np.asarray(after).tobytes()


def test_one_row_of_a_part(path: Path) -> None:
    like = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), TREE["weights"])
    row = storage.unpack(storage.load(path)[1], like, part="weights", row=1)
    assert np.asarray(row[0]).tolist() == [np.inf, np.float32(1e-30)]
    with pytest.raises(ValueError, match=r"it holds no 'weights.0' of seed 2"):
        storage.unpack(storage.load(path)[1], like, part="weights", row=2)


def test_an_array_in_two_places_is_stored_once(tmp_path: Path) -> None:
    """Also in another shape; the same bytes of another type are something else."""
    large = jnp.arange(100_000, dtype=jnp.float32)
    square = large.reshape(1000, 100)
    bits = jax.lax.bitcast_convert_type(large[:4], jnp.int32)
    storage.write(tmp_path / "twice", {"a": large, "b": [square], "c": large[:4], "d": bits}, {})
    assert (tmp_path / "twice").stat().st_size < 500_000
    arrays = storage.load(tmp_path / "twice")[1]
    np.testing.assert_array_equal(storage.unpack(arrays, [square], part="b")[0], square)
    assert (arrays["c"].dtype, arrays["d"].dtype) == (np.float32, np.int32)


def test_what_does_not_fit_is_refused(path: Path) -> None:
    arrays = storage.load(path)[1]
    with pytest.raises(ValueError, match=r"it holds no 'weights.x'"):
        storage.unpack(arrays, {"x": jnp.zeros(1)}, part="weights")
    with pytest.raises(ValueError, match=r"its 'state.counts' is int32\[2, 3\], not float32\[2, 3\]"):
        storage.unpack(arrays, TREE["state"]._replace(counts=jnp.zeros((2, 3))), part="state")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_file_cut_short_is_refused(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(ValueError, match="expected a whole file of ludens"):
        storage.load(path)


def test_a_changed_bit_is_noticed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match="is not what was written there"):
        storage.load(path)


def test_a_failed_write_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(storage.os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        storage.write(path, {"a": jnp.zeros(3)}, {})
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]
