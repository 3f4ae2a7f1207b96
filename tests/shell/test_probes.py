"""Probing web addresses (SP-13): against a server on this machine, and with pretended names for what is refused."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from signoff.core.declarations import Probe
from signoff.shell.outside.http import Manners, World, resolve, why_private
from signoff.shell.outside.link_probes import probe

PRIVATE = {"allow_private": True}


class Site:
    """A server that answers by path, and remembers what it was asked and how many at once."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        self.now = self.most = 0
        self.lock, self.release, self.full = threading.Lock(), threading.Event(), threading.Barrier(2)
        self.came = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        with self.lock:
            self.asked.append(request.path)
            self.came.set()
            self.headers.append(dict(request.headers))
            self.now += 1
            self.most = max(self.most, self.now)
            times = Counter(self.asked)[request.path]
        try:
            self.respond(request, request.path, times)
        except ConnectionError:
            pass  # the client had heard enough
        finally:
            with self.lock:
                self.now -= 1

    def respond(self, request: BaseHTTPRequestHandler, path: str, times: int) -> None:
        if path == "/slow":
            self.release.wait(60)
        if path.startswith("/pair"):
            self.full.wait(60)
        if path == "/drop":
            request.close_connection = True
            return
        status = {"/404": 404, "/500": 500, "/204": 204}.get(path, 200)
        headers: dict[str, str] = {"Content-Type": "text/html; charset=utf-8"}
        body = "<p>Guten Tag, 6小时</p>".encode()
        if path == "/busy" and times == 1:
            status, headers["Retry-After"] = 429, "7"
        if path == "/always-busy":
            status, headers["Retry-After"] = 503, "9999"
        if path == "/dated" and times == 1:
            status, headers["Retry-After"] = 503, "Thu, 01 Jan 2026 00:00:12 GMT"
        if path == "/odd" and times == 1:
            status, headers["Retry-After"] = 503, "soon"
        if path.startswith("/to/"):
            status, headers["Location"] = int(path[4:7]), path[7:]
        if path == "/loop":
            status, headers["Location"] = 302, "/loop"
        if path == "/nowhere":
            status = 302
        if path == "/mail":
            status, headers["Location"] = 302, "mailto:a@b.example"
        if path == "/ftp":
            status, headers["Location"] = 302, "ftp://a.example/"
        if path == "/picture":
            headers["Content-Type"] = "image/png"
        if path == "/gbk":
            headers["Content-Type"], body = "text/plain; charset=gbk", "小时".encode("gbk")
        if path == "/strange":
            headers["Content-Type"] = "text/plain; charset=klingon"
        if path == "/big":
            body = b"x" * 5000
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", "0" if status == 204 else str(len(body)))
        request.end_headers()
        if status != 204:
            request.wfile.write(body)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.release.set()
    site.server.shutdown()
    site.server.server_close()


class Naps:
    """Sleeping that only notes how long."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        await asyncio.sleep(0)


def ask(
    urls: list[str], params: Mapping[str, Any] = PRIVATE, naps: Naps | None = None, **kept: Any
) -> Mapping[str, Probe]:
    world = {"sleep": naps or Naps(), "clock": lambda: 0.0, "now": lambda: datetime(2026, 1, 1, tzinfo=UTC)}
    manners = {name: kept.pop(name) for name in list(kept) if name in Manners.__dataclass_fields__}
    return asyncio.run(probe(urls, params, manners=Manners(**{"gap": 0, **manners}), world=World(**{**world, **kept})))


def one(url: str, **kept: Any) -> Probe:
    return ask([url], **kept)[url]


# --- answers ---


@pytest.mark.req("SP-13")
def test_an_address_that_answers_gives_its_status_and_text(site: Site) -> None:
    url = f"{site.url}/page#part"
    assert one(url) == Probe(url=url, status=200, text="<p>Guten Tag, 6小时</p>")
    assert site.asked == ["/page"]
    assert site.headers[0]["Host"] == site.url.removeprefix("http://")
    assert site.headers[0]["User-Agent"].startswith("signoff-link-check/")


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(("path", "status"), [("/404", 404), ("/204", 204), ("/nowhere", 302)])
def test_another_status_is_given_as_it_is_and_not_asked_again(site: Site, path: str, status: int) -> None:
    assert one(site.url + path) == Probe(url=site.url + path, status=status)
    assert site.asked == [path]


@pytest.mark.req("SP-13")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_to_their_end(site: Site, status: int) -> None:
    assert one(f"{site.url}/to/{status}/to/301/page").status == 200
    assert site.asked == [f"/to/{status}/to/301/page", "/to/301/page", "/page"]


def test_a_redirect_to_a_missing_page_is_that_pages_status(site: Site) -> None:
    assert one(f"{site.url}/to/301/404").status == 404


@pytest.mark.req("SP-13")
def test_redirects_end_after_their_limit(site: Site) -> None:
    found = one(f"{site.url}/loop", hops=2)
    assert (found.status, found.problem) == (None, f"more than 2 redirects, the last to {site.url}/loop")
    assert len(site.asked) == 3
    assert one(f"{site.url}/to/301/to/301/page", hops=2).status == 200


def test_a_redirect_away_from_the_web_is_no_answer(site: Site) -> None:
    found = one(f"{site.url}/mail")
    assert (found.status, found.private) == (None, False)
    assert found.problem.startswith("'127.0.0.1' redirects to something that is not a web address: ")
    assert site.asked == ["/mail"]
    ftp = one(f"{site.url}/ftp")
    assert (ftp.status, ftp.problem) == (None, "'ftp://a.example/' is not a web address")


@pytest.mark.parametrize(
    ("path", "text"), [("/picture", ""), ("/gbk", "小时"), ("/strange", "<p>Guten Tag, 6小时</p>")]
)
def test_only_texts_are_read_in_their_charset(site: Site, path: str, text: str) -> None:
    assert one(site.url + path) == Probe(url=site.url + path, status=200, text=text)


@pytest.mark.parametrize("limit", [1, 4999, 5000, 5001])
def test_a_text_is_read_up_to_its_limit(site: Site, limit: int) -> None:
    assert len(one(f"{site.url}/big", max_bytes=limit).text) == min(limit, 5000)


# --- patience and manners ---


@pytest.mark.req("SP-13")
def test_a_busy_server_is_asked_again_after_the_time_it_names(site: Site) -> None:
    naps = Naps()
    assert one(f"{site.url}/busy", naps=naps).status == 200
    assert (site.asked, naps.taken) == (["/busy"] * 2, [7.0])


@pytest.mark.req("SP-13")
def test_a_broken_server_is_asked_three_times_with_growing_pauses(site: Site) -> None:
    naps = Naps()
    assert one(f"{site.url}/500", naps=naps) == Probe(url=f"{site.url}/500", status=500)
    assert (len(site.asked), naps.taken) == (3, [0.5, 1.0])


def test_a_server_cannot_make_us_wait_for_long(site: Site) -> None:
    naps = Naps()
    assert one(f"{site.url}/always-busy", naps=naps, longest_wait=20.0).status == 503
    assert naps.taken == [20.0, 20.0]


@pytest.mark.parametrize(("path", "wait"), [("/dated", 12.0), ("/odd", 0.5)])
def test_the_time_to_wait_may_be_a_date_or_nonsense(site: Site, path: str, wait: float) -> None:
    naps = Naps()
    assert one(site.url + path, naps=naps).status == 200
    assert naps.taken == [wait]


def test_a_dropped_connection_is_tried_again_and_then_told(site: Site) -> None:
    naps = Naps()
    found = one(f"{site.url}/drop", naps=naps)
    assert found.status is None
    assert found.problem.startswith("'127.0.0.1' broke the connection off: ")
    assert (len(site.asked), naps.taken) == (3, [0.5, 1.0])


@pytest.mark.req("SP-13")
def test_a_server_that_does_not_answer_in_time_is_given_up(site: Site) -> None:
    assert one(f"{site.url}/slow", timeout=0.5) == Probe(url=f"{site.url}/slow", problem="no answer within 0.5 s")
    assert site.came.wait(60)
    assert site.asked == ["/slow"]


def test_a_closed_port_is_told_and_not_tried_again() -> None:
    naps = Naps()
    found = one("http://127.0.0.1:1/", naps=naps)
    assert found.status is None
    assert found.problem.startswith("'127.0.0.1' cannot be reached: ")
    assert naps.taken == []


@pytest.mark.req("SP-13")
def test_two_requests_at_once_reach_one_host_and_never_more(site: Site) -> None:
    urls = [f"{site.url}/pair{number}" for number in range(6)]
    assert all(found.status == 200 for found in ask(urls).values())
    assert site.most == 2


class Counting(httpx.AsyncBaseTransport):
    """Answers 200 and notes how many requests are open at once."""

    def __init__(self) -> None:
        self.now = self.most = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(5):
            await asyncio.sleep(0)
        self.now -= 1
        return httpx.Response(200, request=request)


async def public(host: str, port: int) -> list[str]:  # noqa: ARG001 (the shape of a resolver)
    return ["93.184.216.34"]


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(("at_once", "hosts", "most"), [(8, 20, 8), (3, 20, 3), (8, 1, 2), (8, 3, 6)])
def test_requests_at_once_are_bounded_in_all_and_per_host(at_once: int, hosts: int, most: int) -> None:
    wire = Counting()
    urls = [f"http://h{number % hosts}.example/{number}" for number in range(40)]
    found = ask(urls, {}, at_once=at_once, transport=wire, resolve=public)
    assert (len(found), wire.most) == (40, most)
    assert Manners().at_once == 8


def test_requests_to_one_host_keep_a_gap() -> None:
    naps = Naps()
    urls = [f"http://{host}.example/{number}" for number in range(3) for host in "ab"]
    ask(urls, {}, naps=naps, gap=0.5, clock=lambda: 100.0, transport=Counting(), resolve=public)
    assert sorted(naps.taken) == [0.5, 0.5, 1.0, 1.0]


def test_the_gap_is_over_when_its_time_has_passed() -> None:
    naps, times = Naps(), iter(range(100))
    ask([f"http://a.example/{n}" for n in range(3)], {}, naps=naps, gap=1.0, clock=lambda: next(times),
        transport=Counting(), resolve=public)  # fmt: skip
    assert naps.taken == []


@pytest.mark.req("SP-13")
def test_only_web_addresses_are_probed_each_once(site: Site) -> None:
    found = ask([f"{site.url}/a", "mailto:a@b.example", "tel:+49", f"{site.url}/a", "ftp://a.example/"])
    assert list(found) == [f"{site.url}/a"]
    assert site.asked == ["/a"]
    assert ask(["mailto:a@b.example"]) == {}


# --- what is refused ---


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1", "a loopback address"),
        ("::1", "a loopback address"),
        ("::ffff:127.0.0.1", "a loopback address"),
        ("64:ff9b::7f00:1", "a loopback address"),
        ("2002:7f00:1::", "a loopback address"),
        ("169.254.169.254", "a link-local address"),
        ("fe80::1%eth0", "a link-local address"),
        ("168.63.129.16", "a cloud metadata address"),
        ("::ffff:168.63.129.16", "a cloud metadata address"),
        ("10.0.0.1", "a private or reserved address"),
        ("172.16.0.1", "a private or reserved address"),
        ("192.168.1.1", "a private or reserved address"),
        ("100.100.100.200", "a private or reserved address"),
        ("0.0.0.0", "a private or reserved address"),
        ("::", "a private or reserved address"),
        ("fd00:ec2::254", "a private or reserved address"),
        ("224.0.0.1", "a private or reserved address"),
        ("ff0e::1", "a private or reserved address"),
        ("2001:0:a00:1::", "a private or reserved address"),
        ("93.184.216.34", ""),
        ("172.32.0.1", ""),
        ("::ffff:93.184.216.34", ""),
        ("64:ff9b::5db8:d822", ""),
        ("2606:2800:220:1:248:1893:25c8:1946", ""),
    ],
)
def test_addresses_inside_a_network_are_told_from_public_ones(address: str, why: str) -> None:
    assert why_private(address) == why


@pytest.mark.req("SP-13")
def test_a_private_address_is_refused_without_a_request(site: Site) -> None:
    for params in ({}, {"allow_private": False}):
        found = one(f"{site.url}/a", params=params)
        assert found == Probe(url=f"{site.url}/a", problem="'127.0.0.1' is 127.0.0.1, a loopback address", private=True)
    assert site.asked == []


class Names:
    """A resolver with a table; a name may change its answer from one question to the next."""

    def __init__(self, **names: list[list[str]]) -> None:
        self.names = {host.replace("_", "."): iter(answers) for host, answers in names.items()}

    async def __call__(self, host: str, port: int) -> list[str]:  # noqa: ARG002 (the shape of a resolver)
        return next(self.names[host])


def wired(answer: Any, seen: list[httpx.Request]) -> httpx.MockTransport:
    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(**answer(request))

    return httpx.MockTransport(handle)


@pytest.mark.req("SP-13")
def test_a_name_with_any_private_address_is_refused() -> None:
    seen: list[httpx.Request] = []
    names = Names(a_example=[["93.184.216.34", "10.0.0.1"]])
    found = one("https://a.example/", params={}, resolve=names, transport=wired(lambda _: {"status_code": 200}, seen))
    assert (found.problem, found.private, seen) == ("'a.example' is 10.0.0.1, a private or reserved address", True, [])


@pytest.mark.req("SP-13")
def test_a_redirect_into_a_private_network_is_refused_at_that_hop() -> None:
    seen: list[httpx.Request] = []
    names = Names(a_example=[["93.184.216.34"]], inside_example=[["192.168.0.1"]])
    wire = wired(lambda _: {"status_code": 302, "headers": {"Location": "http://inside.example/"}}, seen)
    found = one("https://a.example/", params={}, resolve=names, transport=wire)
    assert (found.status, found.private, len(seen)) == (None, True, 1)


@pytest.mark.req("SP-13")
def test_the_connection_goes_to_the_address_that_was_judged() -> None:
    seen: list[httpx.Request] = []
    names = Names(a_example=[["93.184.216.34"], ["127.0.0.1"]])
    found = one(
        "https://a.example:8443/x?y=1", params={}, resolve=names, transport=wired(lambda _: {"status_code": 200}, seen)
    )
    [request] = seen
    assert (found.status, str(request.url)) == (200, "https://93.184.216.34:8443/x?y=1")
    assert request.headers["Host"] == "a.example:8443"
    assert request.extensions["sni_hostname"] == "a.example"


def test_a_name_that_turns_private_between_two_tries_is_refused_then() -> None:
    names = Names(a_example=[["93.184.216.34"], ["127.0.0.1"]])
    found = one("http://a.example/", params={}, resolve=names, transport=wired(lambda _: {"status_code": 500}, []))
    assert (found.status, found.private) == (None, True)


def test_the_next_address_is_tried_when_one_cannot_be_reached(site: Site) -> None:
    port = site.url.rpartition(":")[2]
    names = Names(a_example=[["127.0.0.9", "127.0.0.1"]])
    assert one(f"http://a.example:{port}/x", resolve=names).status == 200


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError("no such name"), "the host 'a.example' cannot be resolved: no such name"),
        (None, "the host 'a.example' has no address"),
    ],
)
def test_a_name_that_leads_nowhere_is_told(error: OSError | None, says: str) -> None:
    async def nobody(host: str, port: int) -> list[str]:  # noqa: ARG001 (the shape of a resolver)
        if error:
            raise error
        return []

    assert one("http://a.example/", params={}, resolve=nobody) == Probe(url="http://a.example/", problem=says)


def test_the_port_of_the_scheme_is_asked_for_when_none_is_given() -> None:
    ports: dict[str, int] = {}

    async def noting(host: str, port: int) -> list[str]:
        ports[host] = port
        return ["93.184.216.34"]

    urls = ["http://a.example/", "https://b.example/", "http://c.example:81/"]
    ask(urls, {}, resolve=noting, transport=wired(lambda _: {"status_code": 200}, []))
    assert ports == {"a.example": 80, "b.example": 443, "c.example": 81}


async def only_here(host: str, port: int) -> list[str]:
    """A resolver that knows no names."""
    if host != "127.0.0.1":
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return await resolve(host, port)


@pytest.mark.parametrize("url", ["http://", "http://a b.example/", "http://[::1", "http://a.example:port/"])
def test_what_is_no_address_is_told_and_stops_nothing(site: Site, url: str) -> None:
    found = ask([url, f"{site.url}/a"], resolve=only_here)
    assert found[url].status is None
    assert found[url].problem
    assert found[f"{site.url}/a"].status == 200


def test_cookies_are_not_carried_from_one_request_to_the_next() -> None:
    seen: list[httpx.Request] = []
    wire = wired(lambda _: {"status_code": 200, "headers": {"Set-Cookie": "a=b"}}, seen)
    ask(["http://a.example/1", "http://a.example/2"], {}, at_once=1, resolve=public, transport=wire)
    assert [request.headers.get("Cookie") for request in seen] == [None, None]
