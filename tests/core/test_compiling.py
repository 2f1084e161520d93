"""Loops compiled whole: what is told to XLA, and that it changes nothing but speed."""

import os
import subprocess
import sys

import pytest

from ludens.core.compiling import loops_in_one_kernel

LOOP = """
import sys
if sys.argv[1] == "whole":
    from ludens.core.compiling import loops_in_one_kernel
    loops_in_one_kernel()
import jax, jax.numpy as jnp
step = lambda i, w: w + 0.01 * jnp.outer(jnp.tanh(w @ jnp.ones(8)), jnp.arange(8.0)) * (i % 3 - 1)
print(jax.lax.fori_loop(0, 200, step, jnp.full((8, 8), 0.1)).sum())
"""


def test_what_xla_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
    loops_in_one_kernel()
    told = os.environ["XLA_FLAGS"]
    assert told.startswith("--xla_force_host_platform_device_count=2 --xla_backend_extra_options=")
    loops_in_one_kernel()
    assert os.environ["XLA_FLAGS"] == told
    monkeypatch.setenv("XLA_FLAGS", "--xla_backend_extra_options=xla_cpu_mine=1")
    loops_in_one_kernel()
    assert os.environ["XLA_FLAGS"] == "--xla_backend_extra_options=xla_cpu_mine=1"


def test_the_same_comes_out() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"} | {"JAX_PLATFORMS": "cpu"}
    plain, whole = (
        float(
            subprocess.run(
                [sys.executable, "-c", LOOP, how], env=environment, capture_output=True, text=True, check=True
            ).stdout
        )
        for how in ("plain", "whole")
    )
    assert plain == pytest.approx(whole, rel=1e-5)
    assert plain != pytest.approx(6.4, rel=1e-3)  # something happened in the loop
