"""HTTP requests: polite, with limits, and never inside a private network.

A host is resolved once per hop, all its addresses are judged, and the connection goes to a judged address, so DNS
rebinding gains nothing. Redirects are followed one by one, so each hop is judged like the first. Proxies of the
environment are not used: they would resolve names unseen.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

if TYPE_CHECKING:
    import httpx

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
METADATA = frozenset({ipaddress.ip_address("168.63.129.16")})
"""Services of cloud hosts at addresses that look public. The usual 169.254.169.254 is link-local."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """Limits for the network and for one host. Times are in seconds; `tries` counts the first one."""

    at_once: int = 8
    per_host: int = 2
    gap: float = 0.1
    timeout: float = 10.0
    tries: int = 3
    backoff: float = 0.5
    longest_wait: float = 30.0
    hops: int = 5
    max_bytes: int = 1_000_000


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, in the order in which the system would try them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What requests depend on: names, time and the connection. Tests bring their own."""

    resolve: Resolve = resolve
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    transport: httpx.AsyncBaseTransport | None = None


def agent(name: str) -> str:
    """The User-Agent that we send."""
    return f"signoff-{name}/1 (+https://pypi.org/project/signoff)"


@asynccontextmanager
async def wire(
    name: str, manners: Manners, world: World, *, accept: str = "*/*", allow_private: bool = False
) -> AsyncIterator[Wire]:
    """Makes requests for as long as the block lasts; `name` is in the User-Agent, `accept` says what we can read."""
    async with _client(manners, world, {"User-Agent": agent(name), "Accept": accept}) as client:
        yield Wire(client, manners, world, allow_private)


def _client(manners: Manners, world: World, headers: Mapping[str, str]) -> httpx.AsyncClient:
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpx

    # Connections are to addresses, not to hosts: one kept alive would be taken for another host at the same address.
    return httpx.AsyncClient(
        headers={**headers, "Accept-Encoding": "identity"},
        timeout=manners.timeout,
        limits=httpx.Limits(max_keepalive_connections=0),
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        trust_env=False,
        transport=world.transport,
    )


# --- what is private ---------------------------------------------------------------------------------------------


def why_private(address: str) -> str:
    """What kind of address it is if it must not be asked; empty for a public one."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    return next(filter(None, map(_why, reversed(_meant(ip)))), "")  # a wrapped address says more than its wrapping


def _why(ip: Address) -> str:
    if ip.is_loopback:
        return "a loopback address"
    if ip in METADATA:
        return "a cloud metadata address"
    if ip.is_link_local:
        return "a link-local address"
    return "" if ip.is_global and not ip.is_multicast else "a private or reserved address"


def _meant(ip: Address) -> list[Address]:
    """The address and those that are wrapped in it: IPv4 travels inside several kinds of IPv6."""
    if isinstance(ip, ipaddress.IPv4Address):
        return [ip]
    if ip.ipv4_mapped:
        return [ip.ipv4_mapped]
    translated = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None
    wrapped: Iterable[Address | None] = (ip.sixtofour, *(ip.teredo or ()), translated)
    return [ip, *(inner for inner in wrapped if inner)]


# --- asking ------------------------------------------------------------------------------------------------------


class NoAnswerError(Exception):
    """Why an address was not asked, or gave no answer."""

    def __init__(self, problem: str, *, private: bool = False, again: bool = False) -> None:
        super().__init__(problem)
        self.problem, self.private, self.again = problem, private, again


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A server's answer. `body` is its beginning if it is not `whole`; `url` is the one that was asked last."""

    url: str
    status: int
    type: str = ""
    charset: str = ""
    body: bytes = b""
    whole: bool = True
    location: str = ""
    retry_after: str = ""

    @property
    def text(self) -> str:
        """The body as text; invalid bytes are replaced by a mark."""
        try:
            return self.body.decode(self.charset or "utf-8", errors="replace")
        except LookupError:
            return self.body.decode("utf-8", errors="replace")


Judge = Callable[[str], Awaitable[None]]
"""Called before each hop; raises NoAnswerError if we should not go there."""
Reads = Callable[[Answer], bool]
"""Whether the body of an answer is wanted, by its status and type."""


async def anywhere(_url: str) -> None:
    """Every address may be asked."""


@dataclass(slots=True)
class _Host:
    """The queue at one host: a number of requests at once, and a pause between any two."""

    slots: asyncio.Semaphore
    free_at: float = 0.0


@dataclass(frozen=True, slots=True)
class _Request:
    target: httpx.URL
    reads: Reads
    headers: Mapping[str, str]


@dataclass(slots=True)
class Wire:
    """Sends requests within the limits of its manners."""

    client: httpx.AsyncClient
    manners: Manners
    world: World
    allow_private: bool
    everyone: asyncio.Semaphore = field(init=False)
    hosts: dict[str, _Host] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.everyone = asyncio.Semaphore(self.manners.at_once)

    async def get(
        self, url: str, *, reads: Reads, judge: Judge = anywhere, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """The answer at the end of the redirects. Raises NoAnswerError.

        `headers` go to the address that is named, and to none that it redirects to: they may hold a key.
        """
        sent = headers or {}
        for _ in range(self.manners.hops + 1):
            await judge(url)
            answer = await self._patiently(url, reads, sent)
            if answer.status not in REDIRECTS or not answer.location:
                return answer
            url, sent = urljoin(url, answer.location), {}
        raise NoAnswerError(f"more than {self.manners.hops} redirects, the last to {url}")

    async def _patiently(self, url: str, reads: Reads, headers: Mapping[str, str]) -> Answer:
        """Asks again if the server is busy or broken, or the connection is lost."""
        for attempt in range(1, self.manners.tries + 1):
            last = attempt == self.manners.tries
            wait = self.manners.backoff * 2 ** (attempt - 1)
            try:
                answer = await self._politely(url, reads, headers)
            except NoAnswerError as why:
                if last or not why.again:
                    raise
            else:
                if last or (answer.status != 429 and answer.status < 500):
                    return answer
                wait = max(wait, self._asked_to_wait(answer.retry_after))
            await self.world.sleep(min(wait, self.manners.longest_wait))
        raise NoAnswerError("it was never asked")  # only with `tries` below one

    def _asked_to_wait(self, retry_after: str) -> float:
        """The seconds in Retry-After, which is a number or a date."""
        if retry_after.strip().isdigit():
            return float(retry_after)
        try:
            return (parsedate_to_datetime(retry_after) - self.world.now()).total_seconds()
        except (ValueError, TypeError):  # no date, or one without a zone
            return 0.0

    async def _politely(self, url: str, reads: Reads, headers: Mapping[str, str]) -> Answer:
        """One request, in its turn."""
        import httpx

        try:
            target = httpx.URL(url)
        except (httpx.InvalidURL, ValueError) as error:
            raise NoAnswerError(f"'{url}' is not a valid address: {error}") from None
        if target.scheme not in ("http", "https") or not target.host:
            raise NoAnswerError(f"'{url}' is not a web address")
        host = self.hosts.setdefault(target.host, _Host(asyncio.Semaphore(self.manners.per_host)))
        async with host.slots:
            await self._pause(host)
            async with self.everyone:
                return await self._in_time(_Request(target, reads, headers))

    async def _pause(self, host: _Host) -> None:
        now = self.world.clock()
        start = max(now, host.free_at)
        host.free_at = start + self.manners.gap
        if start > now:
            await self.world.sleep(start - now)

    async def _in_time(self, request: _Request) -> Answer:
        """The limit is for the whole request: a server that sends a byte now and then is cut off too."""
        try:
            async with asyncio.timeout(self.manners.timeout):
                return await self._ask(request, await self._addresses(request.target))
        except TimeoutError:
            raise NoAnswerError(f"no answer within {self.manners.timeout:g} s") from None

    async def _addresses(self, target: httpx.URL) -> list[str]:
        port = target.port or (443 if target.scheme == "https" else 80)
        try:
            found = await self.world.resolve(target.raw_host.decode("ascii").strip("[]"), port)
        except (OSError, UnicodeError) as error:
            raise NoAnswerError(f"the host '{target.host}' cannot be resolved: {error}") from None
        if not found:
            raise NoAnswerError(f"the host '{target.host}' has no address")
        for address in found:
            if not self.allow_private and (why := why_private(address)):
                raise NoAnswerError(f"'{target.host}' is {address}, {why}", private=True)
        return found

    async def _ask(self, request: _Request, addresses: list[str]) -> Answer:
        """The answer of the first address that takes the connection."""
        import httpx

        target = request.target
        for address in addresses:
            try:
                return await self._get(request, address)
            except httpx.TimeoutException:
                raise TimeoutError from None
            except httpx.ConnectError as error:
                problem, again = f"'{target.host}' cannot be reached: {error}", False
            except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
                problem, again = f"'{target.host}' broke the connection off: {error}", True
                break
            except httpx.InvalidURL as error:  # of the redirect, which httpx reads even if it does not follow it
                problem, again = f"'{target.host}' redirects to something that is not a web address: {error}", False
                break
            except httpx.HTTPError as error:
                problem, again = f"'{target.host}' cannot be asked: {error}", False
                break
        raise NoAnswerError(problem, again=again)

    async def _get(self, request: _Request, address: str) -> Answer:
        target = request.target
        pinned = target.copy_with(host=address, fragment=None)
        headers = {**request.headers, "Host": target.netloc.decode("ascii")}
        extensions = {"sni_hostname": target.raw_host.decode("ascii")}
        async with self.client.stream("GET", pinned, headers=headers, extensions=extensions) as response:
            answer = Answer(
                url=str(target),
                status=response.status_code,
                type=response.headers.get("Content-Type", "").partition(";")[0].strip().lower(),
                charset=response.charset_encoding or "",
                location=response.headers.get("Location", ""),
                retry_after=response.headers.get("Retry-After", ""),
            )
            if not request.reads(answer):
                return answer
            body, most = bytearray(), self.manners.max_bytes
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > most:
                    break
            return replace(answer, body=bytes(body[:most]), whole=len(body) <= most)
