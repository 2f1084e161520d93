"""Dealing Okey's tiles: who gets what, when only counts matter and no order exists."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from ludens.core.types import Array


def share_out(pool: Array, sizes: Array, noise: Array) -> Array:
    """Deal `sizes[p]` (`int32[P]`) tiles of `pool` (`int8[53]`) by `noise` (`float32[106]`) to seats: `int8[P, 53]`.

    Tile after tile falls to a seat, or stays, in proportion to the places left: all deals are equally likely.
    Scalars that march through the tiles vectorise over games; sorting tiles per game takes three times as long.
    """
    seats = sizes.shape[0]
    there = (jnp.arange(2)[:, None] < pool).reshape(-1)

    def place(carry: tuple[list[Array], Array], tile: tuple[Array, Array]) -> tuple[Any, Array]:
        """The tile's seat (`seats`: none), given places left with seats up to each, `ends`, and tiles left, `rest`."""
        (ends, rest), (here, share) = carry, tile
        point = jnp.where(here, share * rest, jnp.inf)
        below = [point < end for end in ends]
        seat = seats - sum((flag.astype(jnp.int8) for flag in below), start=jnp.int8(0))
        return ([end - flag for end, flag in zip(ends, below, strict=True)], rest - here), seat

    ends = jnp.cumsum(sizes).astype(jnp.float32)
    places = ([ends[seat] for seat in range(seats)], pool.sum(dtype=jnp.float32))
    _, owner = lax.scan(place, places, (there, noise))
    dealt = owner == jnp.arange(seats, dtype=jnp.int8)[:, None]
    return dealt.reshape(seats, 2, -1).sum(axis=1, dtype=jnp.int8)
