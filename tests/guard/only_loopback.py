"""Nothing but loopback: in the process of the tests and, by `sitecustomize` beside this, in every Python it starts.

An audit hook hears of every connection, datagram and look-up of a name before it happens, whoever asks: sockets,
asyncio, a library in C. It cannot be taken off again.
"""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

NAMES = ("localhost", "127.0.0.1", "::1")
NOBODY = "http://127.0.0.1:9"
_CONNECTING = ("socket.connect", "socket.sendto", "socket.sendmsg")
_ASKING = ("socket.getaddrinfo", "socket.gethostbyname")


def install() -> None:
    """From here on this process reaches nothing but this machine."""
    sys.addaudithook(_heard)


def _heard(event: str, args: tuple[Any, ...]) -> None:
    if event in _CONNECTING:
        _refuse(args[1])
    elif event in _ASKING:
        _refuse((args[0],))


def _refuse(address: Any) -> None:
    """An address is a pair of host and port; a path is a socket of this machine, and None is its own address."""
    if isinstance(address, tuple) and address and address[0] and not _here(address[0]):
        raise AssertionError(f"a test tried to reach {address}")


def _here(host: Any) -> bool:
    name = host.decode() if isinstance(host, bytes | bytearray) else str(host)
    if name in NAMES or name.endswith(".localhost"):
        return True
    try:
        found = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return found.is_loopback or found.is_unspecified
