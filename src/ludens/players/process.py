"""A program in a process of its own: lines go out, lines come in before a deadline, and in the end it is gone."""

import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import IO

GAMES_FOLDERS = ("/usr/games", "/usr/local/games")  # where Debian keeps games, often not in PATH
PATIENCE = 0.5  # seconds to leave when told to quit
LONGEST_QUOTE = 120  # characters of what a program said, in a message
LONGEST_LINE = 65_536  # characters; what is longer is cut up, so that no program fills our memory
MOST_LINES = 10_000  # that wait to be read; of a flood, the rest is lost


class ExternalError(ValueError):
    """A program that could not be asked; its text is one sentence that names the program and what happened."""


class Process:
    """One program and the conversation with it. It can be started again after it was stopped."""

    def __init__(self, words: list[str]) -> None:
        self.shown = shlex.join(words)
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), *GAMES_FOLDERS])
        program = shutil.which(words[0], path=path)
        if program is None:
            raise ExternalError(f"the program '{words[0]}' was not found: expected one that is installed")
        self.words = [program, *words[1:]]
        self.process: subprocess.Popen[str] | None = None
        self.streams: list[IO[str]] = []

    def start(self, seconds: float) -> None:
        """Run the program, and allow it so many seconds for all it is asked until `allow` is called."""
        try:
            # A session of its own, so that whatever it starts can be ended with it and Ctrl-C is ours to handle.
            self.process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise ExternalError(f"'{self.shown}' could not be started: {error.strerror}") from None
        self.streams = [each for each in (self.process.stdin, self.process.stdout, self.process.stderr) if each]
        self.heard: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.last_words: deque[str] = deque(maxlen=1)
        self.listeners = [
            _listener(self.streams[1], self._hear, at_end=lambda: self.heard.put(None)),
            _listener(self.streams[2], self._overhear),
        ]
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """From now on, everything that is asked must be answered within so many seconds."""
        self.seconds, self.deadline = seconds, time.monotonic() + seconds

    def write(self, line: str) -> None:
        try:
            self.streams[0].write(line + "\n")
            self.streams[0].flush()
        except OSError:
            raise self._ended(line) from None

    def read(self, question: str, until: Callable[[str], bool] = lambda line: True) -> str:
        """The next line for which `until` holds; ExternalError if it does not come in time."""
        while (left := self.deadline - time.monotonic()) > 0:
            with suppress(queue.Empty):
                line = self.heard.get(timeout=left)
                if line is None:
                    raise self._ended(question)
                if until(line):
                    return line
        raise self.failure(f"did not answer '{_short(question)}' within {self.seconds:g} s")

    def failure(self, what: str) -> ExternalError:
        """The error that says so of this program."""
        return ExternalError(f"'{self.shown}' {what}")

    def stop(self) -> None:
        """Ask it to quit, then end it and everything it started; nothing is left running or unreaped."""
        process, self.process = self.process, None
        if process is None:
            return
        with suppress(OSError):
            self.streams[0].write("quit\n")
        with suppress(OSError):
            self.streams[0].close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for listener, stream in zip(self.listeners, self.streams[1:], strict=True):
            listener.join(PATIENCE)
            if not listener.is_alive():  # else somebody who left the process group still holds the other end
                stream.close()

    def _hear(self, line: str) -> None:
        if self.heard.qsize() < MOST_LINES:
            self.heard.put(line)

    def _overhear(self, line: str) -> None:
        if line.strip():
            self.last_words.append(line.strip())

    def _ended(self, question: str) -> ExternalError:
        """The error for a program that is no longer there."""
        assert self.process
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        self.listeners[1].join(PATIENCE)
        code = self.process.poll()
        how = "closed its output" if code is None else f"ended with code {code}"
        said = f" (it said: {_short(self.last_words[-1])})" if self.last_words else ""
        return self.failure(f"{how} instead of answering '{_short(question)}'{said}")


def _listener(
    stream: IO[str], hear: Callable[[str], None], at_end: Callable[[], None] = lambda: None
) -> threading.Thread:
    """A thread that hears every line until there are no more, so that no pipe ever fills up."""

    def listen() -> None:
        while line := stream.readline(LONGEST_LINE):
            hear(line.rstrip("\r\n"))
        at_end()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    return thread


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."
