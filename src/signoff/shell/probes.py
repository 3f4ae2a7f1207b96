"""Asking web addresses whether they are there: politely, with limits, and never inside a private network.

A host is resolved once per hop, every address it resolves to is judged, and the connection goes to the address that
was judged: a name that changes its mind between the two (DNS rebinding) gains nothing. Redirects are followed by hand,
so each hop is judged like the first. Proxies of the environment are not used: they would resolve names unseen.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from signoff.core.workflow import Probe

if TYPE_CHECKING:
    import httpx

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
METADATA = frozenset({ipaddress.ip_address("168.63.129.16")})
"""Services of cloud hosts at addresses that look public. The usual 169.254.169.254 is link-local anyway."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_TEXT = ("text/", "application/json", "application/xml", "application/xhtml", "application/ld+json")
_HEADERS = {
    "User-Agent": "signoff-link-check/1 (+https://pypi.org/project/signoff)",
    "Accept": "text/html,text/plain;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "identity",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How much is asked of the network and of one host. Times are seconds; `tries` counts the first one."""

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
    """What is outside: names, time and the wire. Tests put their own in place."""

    resolve: Resolve = resolve
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    transport: httpx.AsyncBaseTransport | None = None


async def probe(
    urls: list[str], params: Mapping[str, Any], *, manners: Manners | None = None, world: World | None = None
) -> Mapping[str, Probe]:
    """Asks every http(s) address once; the result has them as keys, as they were given. Other schemes are left out."""
    wanted = [url for url in dict.fromkeys(urls) if url[:8].lower().startswith(("http://", "https://"))]
    if not wanted:
        return {}
    manners, world = manners or Manners(), world or World()
    async with _client(manners, world) as client:
        prober = _Prober(client, manners, world, allow_private=bool(params.get("allow_private")))
        return dict(zip(wanted, await asyncio.gather(*map(prober.probe, wanted)), strict=True))


def _client(manners: Manners, world: World) -> httpx.AsyncClient:
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpx

    # Connections are to addresses, not to hosts: one kept alive would be taken for another host at the same address.
    return httpx.AsyncClient(
        headers=_HEADERS,
        timeout=manners.timeout,
        limits=httpx.Limits(max_keepalive_connections=0),
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        trust_env=False,
        transport=world.transport,
    )


# --- what is private ---------------------------------------------------------------------------------------------


def why_private(address: str) -> str:
    """What kind of address it is when it must not be asked; empty for a public one."""
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
    wrapped: Iterable[Address | None] = (ip.sixtofour, *(ip.teredo or ()), _nat64(ip))
    return [ip, *(inner for inner in wrapped if inner)]


def _nat64(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None


# --- asking ------------------------------------------------------------------------------------------------------


class _RefusedError(Exception):
    """Why an address was not asked, or gave no answer."""

    def __init__(self, problem: str, *, private: bool = False, again: bool = False) -> None:
        super().__init__(problem)
        self.problem, self.private, self.again = problem, private, again


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    text: str = ""
    location: str = ""
    retry_after: str = ""


@dataclass(slots=True)
class _Host:
    """The turns at one host: so many at once, and a pause between any two."""

    slots: asyncio.Semaphore
    free_at: float = 0.0


@dataclass(slots=True)
class _Prober:
    client: httpx.AsyncClient
    manners: Manners
    world: World
    allow_private: bool
    everyone: asyncio.Semaphore = field(init=False)
    hosts: dict[str, _Host] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.everyone = asyncio.Semaphore(self.manners.at_once)

    async def probe(self, url: str) -> Probe:
        try:
            answer = await self._follow(url)
        except _RefusedError as why:
            return Probe(url=url, problem=why.problem, private=why.private)
        return Probe(url=url, status=answer.status, text=answer.text)

    async def _follow(self, url: str) -> _Answer:
        """The answer at the end of the redirects."""
        for _ in range(self.manners.hops + 1):
            answer = await self._patiently(url)
            if answer.status not in REDIRECTS or not answer.location:
                return answer
            url = urljoin(url, answer.location)
        raise _RefusedError(f"more than {self.manners.hops} redirects, the last to {url}")

    async def _patiently(self, url: str) -> _Answer:
        """Asks again where the server says it is busy or broken, or the connection is lost."""
        for attempt in range(1, self.manners.tries + 1):
            last = attempt == self.manners.tries
            wait = self.manners.backoff * 2 ** (attempt - 1)
            try:
                answer = await self._politely(url)
            except _RefusedError as why:
                if last or not why.again:
                    raise
            else:
                if last or (answer.status != 429 and answer.status < 500):
                    return answer
                wait = max(wait, self._asked_to_wait(answer.retry_after))
            await self.world.sleep(min(wait, self.manners.longest_wait))
        raise _RefusedError("it was never asked")  # only with `tries` below one

    def _asked_to_wait(self, retry_after: str) -> float:
        """The seconds in Retry-After, which is a number or a date."""
        if retry_after.strip().isdigit():
            return float(retry_after)
        try:
            return (parsedate_to_datetime(retry_after) - self.world.now()).total_seconds()
        except (ValueError, TypeError):  # no date, or one without a zone
            return 0.0

    async def _politely(self, url: str) -> _Answer:
        """One request, in its turn."""
        import httpx

        try:
            target = httpx.URL(url)
        except (httpx.InvalidURL, ValueError) as error:
            raise _RefusedError(f"'{url}' is no valid address: {error}") from None
        if target.scheme not in ("http", "https") or not target.host:
            raise _RefusedError(f"'{url}' is no web address")
        host = self.hosts.setdefault(target.host, _Host(asyncio.Semaphore(self.manners.per_host)))
        async with host.slots:
            await self._pause(host)
            async with self.everyone:
                return await self._in_time(target)

    async def _pause(self, host: _Host) -> None:
        now = self.world.clock()
        start = max(now, host.free_at)
        host.free_at = start + self.manners.gap
        if start > now:
            await self.world.sleep(start - now)

    async def _in_time(self, target: httpx.URL) -> _Answer:
        """The limit is for the whole request: a server that sends a byte now and then is cut off too."""
        try:
            async with asyncio.timeout(self.manners.timeout):
                return await self._ask(target, await self._addresses(target))
        except TimeoutError:
            raise _RefusedError(f"no answer within {self.manners.timeout:g} s") from None

    async def _addresses(self, target: httpx.URL) -> list[str]:
        port = target.port or (443 if target.scheme == "https" else 80)
        try:
            found = await self.world.resolve(target.raw_host.decode("ascii").strip("[]"), port)
        except (OSError, UnicodeError) as error:
            raise _RefusedError(f"the host '{target.host}' cannot be resolved: {error}") from None
        if not found:
            raise _RefusedError(f"the host '{target.host}' has no address")
        for address in found:
            if not self.allow_private and (why := why_private(address)):
                raise _RefusedError(f"'{target.host}' is {address}, {why}", private=True)
        return found

    async def _ask(self, target: httpx.URL, addresses: list[str]) -> _Answer:
        """The first address that takes the connection answers."""
        import httpx

        for address in addresses:
            try:
                return await self._get(target, address)
            except httpx.TimeoutException:
                raise TimeoutError from None
            except httpx.ConnectError as error:
                problem, again = f"'{target.host}' cannot be reached: {error}", False
            except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
                problem, again = f"'{target.host}' broke the connection off: {error}", True
                break
            except httpx.InvalidURL as error:  # of the redirect: httpx reads it even where it does not follow
                problem, again = f"'{target.host}' redirects to no web address: {error}", False
                break
            except httpx.HTTPError as error:
                problem, again = f"'{target.host}' cannot be asked: {error}", False
                break
        raise _RefusedError(problem, again=again)

    async def _get(self, target: httpx.URL, address: str) -> _Answer:
        pinned = target.copy_with(host=address, fragment=None)
        headers = {"Host": target.netloc.decode("ascii")}
        extensions = {"sni_hostname": target.raw_host.decode("ascii")}
        async with self.client.stream("GET", pinned, headers=headers, extensions=extensions) as response:
            return _Answer(
                response.status_code,
                await self._text(response) if response.status_code == 200 else "",
                response.headers.get("Location", ""),
                response.headers.get("Retry-After", ""),
            )

    async def _text(self, response: httpx.Response) -> str:
        """The beginning of a text; nothing of pictures, archives and the like."""
        if not response.headers.get("Content-Type", "text/plain").lower().startswith(_TEXT):
            return ""
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) >= self.manners.max_bytes:
                break
        return _decoded(bytes(body[: self.manners.max_bytes]), response.charset_encoding)


def _decoded(body: bytes, charset: str | None) -> str:
    try:
        return body.decode(charset or "utf-8", errors="replace")
    except LookupError:
        return body.decode("utf-8", errors="replace")
