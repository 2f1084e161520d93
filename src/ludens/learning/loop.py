"""The training loop, the same for every learner: play, learn, begin anew.

It is pure. One step makes a move in each of the `num_envs` games and lets the learner learn from them; a chunk is as
many steps as it takes to finish a number of games. Seeds are one more axis in front. What happens between chunks
(files, progress, evaluation) is on the host: `run.py`.

Everything random follows from the seed and the number of the step, so a run that goes on from what a chunk left is the
same as one that was never interrupted.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from inspect import signature
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ludens.core.game import step as play
from ludens.core.game import where
from ludens.core.types import Array, Key
from ludens.learning.learner import LANES, Clock, Learner, Mean, Means, Turn

STRIDE = 32
"""Steps between looks at how many games are finished where many games are played: on a GPU each look is a wait."""


class Training(NamedTuple):
    """Everything a run carries from one chunk to the next."""

    key: Key  # of the run; the loop never changes it
    clock: Clock
    learner: Any  # the learner's state
    memory: Any  # its memories of the games under way, `[B]`
    positions: Any  # of the games under way, `[B]`
    plies: Array  # moves made in each, `int32[B]`


def begin(learner: Learner[Any], seed: Array) -> Training:
    """A run before its first step, from its seed (`uint32[]`)."""
    key, state, deal = jax.random.split(jax.random.key(seed), 3)
    lanes = learner.config.num_envs
    return Training(
        key=key,
        clock=Clock(jnp.int32(0), jnp.int32(0)),
        learner=learner.init(state),
        memory=_repeat(learner.init_memory(), lanes),
        positions=jax.vmap(learner.game.init)(jax.random.split(deal, lanes)),
        plies=jnp.zeros(lanes, jnp.int32),
    )


def chunk(learner: Learner[Any], training: Training, target: Array) -> tuple[Training, Means]:
    """Train until `target` (`int32[]`) games are finished in all: what that leaves, and metrics of the steps made.

    With many games side by side a few more than `target` may be finished.
    """
    stride = 1 if learner.config.num_envs == 1 else STRIDE
    nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(lambda: _step(learner, training)[1]))

    def unfinished(carry: tuple[Training, Means]) -> Array:
        return carry[0].clock.games < target

    def one(carry: tuple[Training, Means]) -> tuple[Training, Means]:
        training, means = _step(learner, carry[0])
        return training, jax.tree.map(jnp.add, carry[1], means)

    def some(carry: tuple[Training, Means]) -> tuple[Training, Means]:
        return one(carry) if stride == 1 else lax.fori_loop(0, stride, lambda _, carry: one(carry), carry)

    return lax.while_loop(unfinished, some, (training, nothing))


def _step(learner: Learner[Any], training: Training) -> tuple[Training, Means]:
    """A move in every game, and an update."""
    game, clock, s = learner.game, training.clock, training.positions
    lanes = learner.config.num_envs
    key = jax.random.fold_in(training.key, clock.steps)
    if learner.devices > 1:
        key = jax.random.fold_in(key, lax.axis_index(LANES))
    keys = jax.random.split(key, 3 * lanes + 1)
    choices, fates, deals = keys[:-1].reshape(3, lanes)
    views = jax.vmap(lambda s: game.view(s, game.player(s)))(s)
    action, extra = learner.act(training.learner, training.memory, views, choices, clock)
    t = jax.vmap(lambda s, a, key: play(game, s, a, key))(s, action, fates)
    plies = training.plies + 1
    done = jax.vmap(game.done)(t) | (plies >= game.turn_limit)
    turn = Turn(
        s=views,
        action=action,
        extra=extra,
        t=jax.vmap(lambda t: game.view(t, game.player(t)))(t),
        done=done,
        returns=jax.vmap(game.returns)(t),
        ply=training.plies,
    )
    state, memory, means = learner.update(training.learner, training.memory, turn, keys[-1], clock)

    def anew(fresh: Any, old: Any) -> Any:
        return jax.vmap(where)(done, fresh, old)

    training = Training(
        key=training.key,
        clock=Clock(clock.games + _over_devices(learner, done.sum(dtype=jnp.int32)), clock.steps + 1),
        learner=state,
        memory=anew(_repeat(learner.init_memory(), lanes), memory),
        positions=anew(jax.vmap(game.init)(deals), t),
        plies=jnp.where(done, 0, plies),
    )
    return training, means | {"length": Mean.of(plies.astype(jnp.float32), done)}


def _over_devices(learner: Learner[Any], tree: Any) -> Any:
    """The sum of what each device has."""
    return lax.psum(tree, LANES) if learner.devices > 1 else tree  # type: ignore[no-untyped-call]  # as jax has it


def _repeat(tree: Any, lanes: int) -> Any:
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (lanes, *jnp.shape(x))), tree)


# ---------------------------------------------------------------------- several seeds, compiled


@lru_cache(maxsize=32)
def compiled_begin(learner: Learner[Any]) -> Callable[[Any], Training]:
    """`begin` for seeds `uint32[R]`, everything `[R]`."""

    def several(seeds: Array) -> Training:
        if seeds.shape[0] == 1:  # without an axis it is compiled in half the time
            alone: Training = jax.tree.map(lambda x: x[None], begin(learner, seeds[0]))
            return alone
        return jax.vmap(lambda seed: begin(learner, seed))(seeds)

    return jax.jit(several)


@lru_cache(maxsize=32)
def compiled_chunk(learner: Learner[Any], seeds: int) -> Callable[[Training, Any], tuple[Training, Means]]:
    """`chunk` for so many seeds, everything `[R]`, shared out among the devices where they divide the seeds.

    What goes in is given away: its memory is used for what comes out. One seed of a learner that several devices can
    train together is trained by all.
    """
    if _sharers(learner, seeds) > 1:
        return _together(learner, _sharers(learner, seeds))

    def one(training: Training, target: Array) -> tuple[Training, Means]:
        return chunk(learner, training, target)

    def several(training: Training, target: Array) -> tuple[Training, Means]:
        if jax.tree.leaves(training.clock)[0].shape[0] == 1:
            # Without an axis: a loop under `vmap` copies all it carries, and small operations lose their one kernel.
            alone: tuple[Training, Means] = jax.tree.map(
                lambda x: x[None], one(jax.tree.map(lambda x: x[0], training), target)
            )
            return alone
        if learner.one_seed_at_a_time or jax.default_backend() == "cpu":
            in_turn: tuple[Training, Means] = lax.map(lambda training: one(training, target), training)
            return in_turn
        return jax.vmap(one, in_axes=(0, None))(training, target)

    return on_all_devices(several, seeds, whole=(1,), donate=(0,))


def on_all_devices(
    function: Callable[..., Any], seeds: int, *, whole: tuple[int, ...], donate: tuple[int, ...] = ()
) -> Callable[..., Any]:
    """`function` of arguments `[R]`, compiled, its seeds shared out; of `whole` arguments every device gets all."""
    mesh = _mesh(seeds)
    if mesh.size > 1:
        shared, all_of_it = PartitionSpec("seeds"), PartitionSpec()  # type: ignore[no-untyped-call]  # jax 0.10 leaves it untyped
        count = len(signature(function).parameters)
        specs = tuple(all_of_it if number in whole else shared for number in range(count))
        function = jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=shared, check_vma=False)
    return jax.jit(function, donate_argnums=donate)


def _sharers(learner: Learner[Any], seeds: int) -> int:
    """How many devices share the games of one seed."""
    if learner.lane_axes is None or seeds > 1:
        return 1
    return next(n for n in range(jax.local_device_count(), 0, -1) if learner.config.num_envs % n == 0)


def _lane_specs(learner: Learner[Any]) -> Any:
    """How a `Training` `[1]` is cut up among devices that share its games."""

    def spec(axis: int) -> PartitionSpec:
        return PartitionSpec(*[None] * (axis + 1), LANES) if axis >= 0 else PartitionSpec()  # type: ignore[no-untyped-call]  # as jax has it

    games, all_of_it = spec(0), spec(-1)
    state = jax.tree.map(spec, learner.lane_axes)
    parts: dict[str, Any] = {"key": all_of_it, "clock": all_of_it, "learner": state, "plies": games}
    return Training(**parts, memory=games, positions=games)


def _together(learner: Learner[Any], devices: int) -> Callable[[Training, Any], tuple[Training, Means]]:
    """`chunk` for one seed, its games shared out among devices."""
    config = replace(learner.config, num_envs=learner.config.num_envs // devices)
    share = replace(learner, config=config, devices=devices)

    def one(training: Training, target: Array) -> tuple[Training, Means]:
        training, means = chunk(share, jax.tree.map(lambda x: x[0], training), target)
        found: tuple[Training, Means] = jax.tree.map(lambda x: x[None], (training, _over_devices(share, means)))
        return found

    specs, all_of_it = _lane_specs(learner), PartitionSpec()  # type: ignore[no-untyped-call]  # as jax has it
    mesh = Mesh(np.array(jax.local_devices()[:devices]), (LANES,))
    function = jax.shard_map(one, mesh=mesh, in_specs=(specs, all_of_it), out_specs=(specs, all_of_it), check_vma=False)
    return jax.jit(function, donate_argnums=(0,))


def share_out(learner: Learner[Any], training: Training, seeds: int) -> Training:
    """`training` `[R]` on the devices on which chunks leave it, so that the first chunk is compiled like the others."""
    if (devices := _sharers(learner, seeds)) > 1:
        mesh = Mesh(np.array(jax.local_devices()[:devices]), (LANES,))
        prefix = jax.tree.map(lambda spec: NamedSharding(mesh, spec), _lane_specs(learner))
        cut: Training = jax.device_put(training, prefix)
        return cut
    mesh = _mesh(seeds)
    spec = PartitionSpec("seeds")  # type: ignore[no-untyped-call]  # jax 0.10 leaves it untyped
    shared: Training = jax.device_put(training, NamedSharding(mesh, spec) if mesh.size > 1 else None)
    return shared


def _mesh(seeds: int) -> Mesh:
    devices = next(n for n in range(jax.local_device_count(), 0, -1) if seeds % n == 0)
    return Mesh(np.array(jax.local_devices()[:devices]), ("seeds",))
