"""One file per paper: its numbers beside ours."""
