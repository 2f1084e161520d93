"""`ludens serve`: the page, where people play, watch and understand."""

import errno
import os
import socket
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from ludens.cli.app import bad_input
from ludens.web.server.app import ServerSettings
from ludens.web.server.app import serve as serve_page

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # addresses that mean every network of this machine
PORT = 8000
TRIES = 20
"""Ports that are looked at, one after the other, where any will do."""


@bad_input()
def serve(
    *,
    host: Annotated[
        str, Parameter(help="Address to listen on; only this machine can reach the usual one.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, Parameter(help="Port to listen on; the first free one from 8000 on if not given.")
    ] = None,
    name: Annotated[
        tuple[str, ...],
        Parameter(help="A name under which others reach this machine, if it is not known; may be given several times."),
    ] = (),
    open_browser: Annotated[
        bool, Parameter(name="--open", help="Open the page in a browser, where there is a screen.")
    ] = True,
    folder: Annotated[Path, Parameter(help="Where runs, tournaments, results and games are kept.")] = Path(),
) -> None:
    if port is not None and not 0 <= port < 65536:
        raise ValueError(f"--port is {port}: expected 0 to 65535")
    if not host:
        raise ValueError("--host is empty: expected an address, such as 127.0.0.1 or 0.0.0.0")
    found = _free(host, port)
    usual = ServerSettings()
    settings = ServerSettings(
        runs=folder / usual.runs,
        tournaments=folder / usual.tournaments,
        results=tuple(folder / each for each in usual.results),
        games=folder / usual.games,
        hosts=(*usual.hosts, *_names(host), *name),
    )
    console = Console(highlight=False)

    def ready(url: str) -> None:
        console.print(f"\nThe page is at [bold]{url}[/]. Ctrl-C ends it; games are kept.")
        if host in LOOPBACK:
            said = (
                "Only this machine can reach it. `ludens serve --host 0.0.0.0` opens it to your network: whoever "
                "reaches it can then play, start training and use this machine; there are no passwords."
            )
        else:
            said = (
                f"It answers on {host}: whoever reaches this machine can play, start training and use it; there are no "
                f"passwords. Names it answers to: {', '.join(settings.hosts)}; --name adds another."
            )
        console.print(said, markup=False)

    serve_page(settings, host, found, open_browser=open_browser and can_open(), ready=ready)


def can_open() -> bool:
    """Whether there is a screen to open a browser on."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _free(host: str, port: int | None) -> int:
    """The port asked for, or, where any will do, the first that is free from the usual one on."""
    for number in [port] if port is not None else range(PORT, PORT + TRIES):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            with socket.socket(family, socket.SOCK_STREAM) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind((host, number))
                return number
        except OSError as error:
            if port is not None or error.errno != errno.EADDRINUSE:
                raise ValueError(f"{host} port {number} cannot be used ({error.strerror}): expected another") from None
    raise ValueError(f"ports {PORT} to {PORT + TRIES - 1} are all taken: expected a free one after --port")


def _names(host: str) -> list[str]:
    """What this machine is called, if others may reach it."""
    if host in LOOPBACK:
        return []
    if host not in EVERYWHERE:
        return [host]
    name = socket.gethostname()
    try:
        addresses = {str(each[4][0]) for each in socket.getaddrinfo(name, None)}
    except OSError:
        addresses = set()
    return [name, *sorted(f"[{each}]" if ":" in each else each for each in addresses)]
