"""What JAX must be told before it starts."""

import os

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""Cores this process may use."""


def one_device_per_core() -> None:
    """Let JAX see each CPU core as a device of its own; accelerators do not heed it. Before JAX is imported."""
    flag, told = f"--xla_force_host_platform_device_count={CORES}", os.environ.get("XLA_FLAGS", "")
    if flag not in told:
        os.environ["XLA_FLAGS"] = f"{told} {flag}".strip()


def for_learning() -> None:
    """A device for each core, and loops compiled whole. Before JAX is imported."""
    one_device_per_core()
    from ludens.core.compiling import loops_in_one_kernel

    loops_in_one_kernel()
