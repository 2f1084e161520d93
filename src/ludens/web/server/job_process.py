"""A job's process: it runs a command until that ends by itself, or until whoever holds its standard input lets go.

    python -m ludens.web.server.job_process COMMAND WORD ...

When standard input closes, because the server closed it or is no more (however it ended), the command is interrupted
as Ctrl-C would, and killed if it does not heed that. So nothing that a server has started outlives it.
"""

import os
import signal
import subprocess
import sys
import threading

PATIENCE = 4.0
"""Seconds that an interrupted command may take to tidy up."""
NICENESS = 5
"""By how much it yields to others, so that a person who plays meanwhile does not wait for it."""
KILLED = 128
"""What a shell adds to the number of the signal that ended a command."""


def main() -> None:
    """Run the command; its exit code is ours."""
    # Programs in the background may be told to ignore Ctrl-C, and hand that down to those they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.nice(NICENESS)
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    threading.Thread(target=_end_when_let_go, args=(command,), daemon=True).start()
    code = command.wait()
    sys.exit(code if code >= 0 else KILLED - code)


def _end_when_let_go(command: "subprocess.Popen[bytes]") -> None:
    while os.read(sys.stdin.fileno(), 1):  # raw: a buffered read would hold up the end of this process
        pass
    command.send_signal(signal.SIGINT)
    try:
        command.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        command.kill()


if __name__ == "__main__":
    main()
