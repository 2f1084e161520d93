"""Measurements that need a clone of the repository; `ludens bench` finds them here (`ludens/cli/bench.py`)."""
