"""What XLA is told before its first program: as how many devices to see the cores, and how to compile small loops.

XLA's CPU backend dispatches the operations in the body of a loop one by one, to several threads. In a loop whose
operations take less than a microsecond each, as in a single game that learns with every move, the dispatch is most
of the time. Loops whose data are small it compiles into one kernel instead; only its idea of small is a thousand
bytes. With a larger one the learning loops here run 4 to 8 times as fast (`benchmarks/loops.py`).

The price is that such a loop runs on one core. Ludens shares work among cores by giving JAX a device for each.
"""

import os

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""Cores this process may use."""
FLAGS, DEVICES = "XLA_FLAGS", "--xla_force_host_platform_device_count="
THRESHOLD = 2 * 10**9
"""Bytes of data up to which a loop becomes one kernel: tables of learners included."""
_OPTION = "--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold="


def cores_as_devices(count: int = CORES) -> None:
    """Let JAX see so many devices in the cores; accelerators do not heed it. Before JAX looks for devices."""
    others = [flag for flag in os.environ.get(FLAGS, "").split() if not flag.startswith(DEVICES)]
    os.environ[FLAGS] = " ".join([*others, f"{DEVICES}{count}"])


def loops_in_one_kernel() -> None:
    """Let XLA compile whole loops on CPUs; accelerators do not heed it. Before JAX compiles anything."""
    told = os.environ.get(FLAGS, "")
    if "xla_backend_extra_options" not in told:  # whoever sets it by hand knows why
        os.environ[FLAGS] = f"{told} {_OPTION}{THRESHOLD}".strip()
