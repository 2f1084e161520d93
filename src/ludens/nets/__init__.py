"""Network architectures, as equinox modules."""
