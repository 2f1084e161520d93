"""What XLA is told before its first program, for the sake of loops of small steps on CPUs.

XLA's CPU backend dispatches the operations in the body of a loop one by one, to several threads. In a loop whose
operations take less than a microsecond each, as in a single game that learns with every move, the dispatch is most
of the time. Loops whose data are small it compiles into one kernel instead; only its idea of small is a thousand
bytes. With a larger one the learning loops here run 4 to 8 times as fast (`benchmarks/loops.py`).

The price is that such a loop runs on one core. Ludens shares work among cores by giving JAX a device for each.
"""

import os

THRESHOLD = 2 * 10**9
"""Bytes of data up to which a loop becomes one kernel: tables of learners included."""
_OPTION = "--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold="


def loops_in_one_kernel() -> None:
    """Let XLA compile whole loops on CPUs; accelerators do not heed it. Before JAX compiles anything."""
    told = os.environ.get("XLA_FLAGS", "")
    if "xla_backend_extra_options" not in told:  # whoever sets it by hand knows why
        os.environ["XLA_FLAGS"] = f"{told} {_OPTION}{THRESHOLD}".strip()
