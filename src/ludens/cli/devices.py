"""What JAX must be told before it starts."""

from ludens.core.compiling import cores_as_devices, loops_in_one_kernel


def for_learning() -> None:
    """A device for each core, and loops compiled whole. Before JAX is imported."""
    cores_as_devices()
    loops_in_one_kernel()
