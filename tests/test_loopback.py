"""Tests reach nothing but loopback, by whatever way they try, and what they start does not either."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable

import pytest

ELSEWHERE, PORT = "192.0.2.1", 80  # an address that nobody may have


async def _by_asyncio() -> None:
    await asyncio.open_connection(ELSEWHERE, PORT)


async def _by_sock_connect() -> None:
    with socket.socket() as found:
        found.setblocking(False)
        await asyncio.get_running_loop().sock_connect(found, (ELSEWHERE, PORT))


async def _by_datagram() -> None:
    await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=(ELSEWHERE, PORT))


def _with(kind: int, act: Callable[[socket.socket], object]) -> None:
    with socket.socket(socket.AF_INET, kind) as found:
        act(found)


WAYS: dict[str, Callable[[], object]] = {
    "connect": lambda: _with(socket.SOCK_STREAM, lambda one: one.connect((ELSEWHERE, PORT))),
    "connect_ex": lambda: _with(socket.SOCK_STREAM, lambda one: one.connect_ex((ELSEWHERE, PORT))),
    "sendto": lambda: _with(socket.SOCK_DGRAM, lambda one: one.sendto(b"x", (ELSEWHERE, PORT))),
    "sendmsg": lambda: _with(socket.SOCK_DGRAM, lambda one: one.sendmsg([b"x"], [], 0, (ELSEWHERE, PORT))),
    "create_connection": lambda: socket.create_connection((ELSEWHERE, PORT), 1),
    "getaddrinfo": lambda: socket.getaddrinfo("example.org", PORT),
    "gethostbyname": lambda: socket.gethostbyname("example.org"),
    "asyncio": lambda: asyncio.run(_by_asyncio()),
    "sock_connect": lambda: asyncio.run(_by_sock_connect()),
    "datagram": lambda: asyncio.run(_by_datagram()),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_leads_out_of_this_machine(way: str) -> None:
    with pytest.raises(AssertionError, match="a test tried to reach"):
        WAYS[way]()


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for host in ("127.0.0.1", "localhost"):
            with socket.create_connection((host, port), 5):
                assert server.accept()[0].close() is None
    assert socket.getaddrinfo(None, 80)


def test_a_python_that_a_test_starts_is_held_to_it() -> None:
    code = f"import socket; socket.create_connection(({ELSEWHERE!r}, {PORT}), 1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "a test tried to reach" in done.stderr


def test_other_programs_are_led_to_a_proxy_that_is_not_there() -> None:
    assert {os.environ[name] for name in ("HTTP_PROXY", "https_proxy", "ALL_PROXY")} == {"http://127.0.0.1:9"}
    assert urllib.request.getproxies_environment()["https"] == "http://127.0.0.1:9"
    assert urllib.request.proxy_bypass_environment("127.0.0.1")


def test_a_thread_is_held_to_it_too() -> None:
    caught: list[BaseException] = []

    def reach() -> None:
        try:
            socket.create_connection((ELSEWHERE, PORT), 1)
        except AssertionError as error:
            caught.append(error)

    thread = threading.Thread(target=reach)
    thread.start()
    thread.join()
    assert len(caught) == 1
