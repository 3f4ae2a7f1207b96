"""Pages of the web (AR-5): against a server on this machine, with robots, limits, and no address asked twice."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from gathering_kit import FOLDER, RUN, Desk, Site, desk_in, gathered, replayed
from test_gathering_folder import pdf

from signoff.core.commands import Gather
from signoff.core.events import Gathered, Page
from signoff.core.refs import digest
from signoff.evidence.sources.fetched_pages import PageText, place
from signoff.service import catalog, run_control, runs
from signoff.service.project import Project
from signoff.service.recordings import forks
from signoff.shell.outside import web_pages
from signoff.shell.outside.gather_jobs import Gatherer
from signoff.shell.outside.http import Manners, World, wire
from signoff.shell.outside.port import NothingError

LONG = 60


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return desk_in(tmp_path, monkeypatch)


class Memory:
    """Notes that nobody keeps."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, Any]] = {}

    def known(self, what: str) -> dict[str, Any] | None:
        return self.found.get(what)

    def keep(self, what: str, *, passing: bool = False, **received: Any) -> dict[str, Any]:
        assert passing, "what a host says about robots holds for one gather"
        return self.found.setdefault(what, received)


async def _no_sleep(_seconds: float) -> None: ...


def fetch(*urls: str, allow_private: bool = True, most: int = 2_000_000, **world: Any) -> list[PageText | str]:
    """What comes of each address: the page, or the problem."""

    async def one(pages: web_pages.WebPages, url: str) -> PageText | str:
        try:
            return await pages.fetch(url)
        except NothingError as nothing:
            return nothing.problem

    async def all_of_them() -> list[PageText | str]:
        manners = Manners(per_host=1, gap=0, tries=1, hops=3, max_bytes=most)
        outside = World(sleep=_no_sleep, **world)
        async with wire(
            web_pages.NAME, manners, outside, accept=web_pages.ACCEPT, allow_private=allow_private
        ) as asking:
            pages = web_pages.WebPages(asking, Memory())
            return list(await asyncio.gather(*(one(pages, url) for url in urls)))

    return asyncio.run(all_of_them())


# --- pages ------------------------------------------------------------------------------------------------------------


HTML, PLAIN = "text/html", "text/plain"
GBK = "<html><head><meta http-equiv='Content-Type' content='text/html; charset=gb2312'></head><p>淬火</p>"


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    ("kind", "body", "title", "text"),
    [
        ("text/html; charset=utf-8", b"<title>A &amp; B</title><p>Hot <b>oil</b>s.</p>", "A & B", "Hot oils."),
        (HTML, GBK.encode("gbk"), None, "淬火"),
        ("text/html; charset=GB2312", "<p>淬火</p>".encode("gbk"), None, "淬火"),
        ("text/html; charset=klingon", "<p>淬火</p>".encode(), None, "淬火"),
        (HTML, b"<p>bad \xff byte", None, "bad \ufffd byte"),
        ("application/xhtml+xml", b"<h1>X</h1><p>y</p>", "X", "X y"),
        (PLAIN, b"One\n\n\n\nTwo", "One", "One\n\nTwo"),
        ("text/markdown", b"# M\n\n- a\n    - b\n", "M", "# M\n\n- a\n    - b"),
        ("application/pdf", pdf("Hot oil"), "Hot oil", "Hot oil"),
    ],
)
def test_a_page_is_read_as_a_reader_sees_it(site: Site, kind: str, body: bytes, title: str | None, text: str) -> None:
    url = site.put("/page", body, Content_Type=kind)
    assert fetch(url) == [PageText(url, url if title is None else title, text)]
    assert site.headers[-1]["User-Agent"].startswith("signoff-research/1 ")


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    ("status", "kind", "body", "problem"),
    [
        (404, HTML, b"<p>gone</p>", "the server answered 404"),
        (500, HTML, b"", "the server answered 500"),
        (200, "image/png", b"x", "it is image/png, and only text/html, "),
        (200, "application/json", b"{}", "it is application/json, and only text/html, "),
        (200, "", b"x", "it is of no kind, and only "),
        (200, HTML, b"<script>only()</script>", "there is no text in it"),
        (200, "application/pdf", b"no pdf", "not a readable PDF"),
        (200, HTML, b"x" * 1001, "it has more than 1,000 bytes"),
    ],
)
def test_what_is_no_page_is_a_problem(site: Site, status: int, kind: str, body: bytes, problem: str) -> None:
    (found,) = fetch(site.put("/page", body, status=status, Content_Type=kind), most=1000)
    assert isinstance(found, str)
    assert found.startswith(problem)


def test_a_page_of_just_the_limit_is_whole(site: Site) -> None:
    (found,) = fetch(site.put("/page", b"x" * 1000, Content_Type=PLAIN), most=1000)
    assert isinstance(found, PageText)
    assert len(found.text) == 1000


@pytest.mark.parametrize("url", ["ftp://a.example/x", "0-sources/a.md", "https://", "mailto:a@b.example", "http://[x/"])
def test_what_is_no_web_address_is_a_problem(url: str) -> None:
    (found,) = fetch(url)
    assert isinstance(found, str)


# --- private addresses and redirects ----------------------------------------------------------------------------------


@pytest.mark.req("AR-5")
def test_a_private_address_is_not_asked_for_anything(site: Site) -> None:
    url = site.put("/page", "<p>secret</p>")
    assert fetch(url, allow_private=False) == ["'127.0.0.1' is 127.0.0.1, a loopback address"]
    assert site.asked == []


@pytest.mark.req("AR-5")
def test_a_redirect_into_a_private_network_is_not_followed() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.headers['Host']}{request.url.path}")
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        return httpx.Response(302, headers={"Location": "http://inside.example/secret"})

    async def resolve(host: str, _port: int) -> list[str]:
        return ["10.0.0.7"] if host == "inside.example" else ["93.184.216.34"]

    (found,) = fetch(
        "http://out.example/a", allow_private=False, transport=httpx.MockTransport(answer), resolve=resolve
    )
    assert found == "'inside.example' is 10.0.0.7, a private or reserved address"
    assert asked == ["out.example/robots.txt", "out.example/a"]


# --- robots -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-5")
def test_robots_are_obeyed_and_asked_for_once(site: Site) -> None:
    rules = "User-agent: signoff-research\nDisallow: /private/\n\nUser-agent: *\nDisallow: /\n"
    site.put("/robots.txt", rules, Content_Type=PLAIN)
    urls = [site.put(path, f"<p>{path}</p>") for path in ("/a", "/private/b", "/c")]
    a, b, c = fetch(*urls)
    assert isinstance(a, PageText)
    assert isinstance(c, PageText)
    assert b == f"the robots.txt of {site.url} asks us to stay away from it"
    assert Counter(site.asked) == {"/robots.txt": 1, "/a": 1, "/c": 1}


@pytest.mark.req("AR-5")
def test_robots_hold_for_every_hop(site: Site) -> None:
    site.put("/robots.txt", "User-agent: *\nDisallow: /private/\n", Content_Type=PLAIN)
    url = site.put("/a", b"", status=302, Location="/private/b")
    assert fetch(url) == [f"the robots.txt of {site.url} asks us to stay away from it"]
    assert site.asked == ["/robots.txt", "/a"]


@pytest.mark.parametrize(
    ("status", "text", "page"),
    [
        (404, "", True),
        (403, "", True),
        (200, "", True),
        (200, "<html>no rules</html>", True),
        (200, "User-agent: *\nDisallow: /", False),
        (200, "User-agent: *\nAllow: /", True),
        (500, "", False),
        (503, "", False),
        (429, "", False),
    ],
)
def test_a_host_that_cannot_say_what_it_wants_is_left_alone(site: Site, status: int, text: str, page: bool) -> None:
    site.put("/robots.txt", text, status=status, Content_Type=PLAIN)
    (found,) = fetch(site.put("/a", "<p>a</p>"))
    assert isinstance(found, PageText) == page
    assert ("/a" in site.asked) == page


# --- in a run ---------------------------------------------------------------------------------------------------------


def put_pages(site: Site, count: int) -> list[str]:
    return [site.put(f"/{n}", f"<title>Page {n}</title><p>Text of {n}, 淬火.</p>") for n in range(1, count + 1)]


@pytest.mark.req("AR-5")
def test_pages_are_documents_of_the_run_and_a_problem_is_told_with_its_address(desk: Desk, site: Site) -> None:
    url, *_ = put_pages(site, 1)
    gone = f"{site.url}/gone"
    desk.wants([], [url, f"{url}#part", gone], source="web", allow_private=True)
    live = desk.run()
    path = place("pages/", url)
    assert desk.found["pages"] == {url: path, f"{url}#part": path, gone: "the server answered 404"}
    assert desk.found["read"] == {url: ["Page 1", "Text of 1, 淬火."]}
    assert (desk.root / path).read_text().startswith(f'---\nurl: "{url}"\ntitle: "Page 1"\n---\n\n')
    assert Counter(site.asked) == {"/robots.txt": 1, "/1": 1, "/gone": 1}
    assert replayed(desk) == live.state


@pytest.mark.req("AR-5", "AR-12")
def test_a_later_gather_fetches_no_page_again(desk: Desk, site: Site) -> None:
    url, other = put_pages(site, 2)
    desk.wants([], [url, other, f"{site.url}/gone"], source="web", allow_private=True, again=True)
    live = desk.run()
    fetched, again = gathered(live)[-2:]
    assert again.pages == fetched.pages
    assert Counter(site.asked) == {"/robots.txt": 2, "/1": 1, "/2": 1, "/gone": 2}
    assert replayed(desk) == live.state


@pytest.mark.req("AR-12")
def test_a_page_that_is_known_stays_what_a_person_made_of_it(desk: Desk, site: Site) -> None:
    (url,) = put_pages(site, 1)
    desk.wants([], [url], source="web", allow_private=True)
    desk.run()
    path = place("pages/", url)
    desk.put(path, (desk.root / path).read_text() + "A remark.\n")
    asked = list(site.asked)

    async def again() -> Page:
        live = await Project(desk.root).open(RUN)
        await live.refresh()
        gather = Gather(key="k", urls=(url,), into="pages/", params={"from": "web"}, gather="k-9")
        make = await Gatherer(live).gathered(gather)
        assert make(live.state, "now") is None, "a gather that is no longer open has no event"
        event = make(replace(live.state, gathers={"k-9": gather}), "now")
        assert isinstance(event, Gathered)
        return event.pages[url]

    page = asyncio.run(again())
    assert page == Page(path=path, sha256=digest((desk.root / path).read_bytes()), title="Page 1")
    assert site.asked == asked


@pytest.mark.req("AR-12")
def test_a_kill_in_the_middle_of_a_gather_fetches_nothing_again(desk: Desk, site: Site) -> None:
    urls = put_pages(site, 4)
    desk.wants([], urls, source="web", allow_private=True)
    third, go_on = threading.Event(), threading.Event()

    def hold(path: str) -> None:
        if path == "/3" and not go_on.is_set():
            third.set()
            go_on.wait(LONG)

    site.before = hold
    process = desk.started()
    assert third.wait(LONG), "the third page is never asked for"
    process.send_signal(signal.SIGKILL)
    assert process.wait(LONG) == -signal.SIGKILL
    receipts = [json.loads(file.read_bytes())["what"] for file in (desk.root / FOLDER / "gathered").iterdir()]
    kept = [url for url in urls if f"page {url}" in receipts]
    assert f"robots {site.url}" in receipts
    assert urls[0] in kept
    asked = len(site.asked)
    go_on.set()
    assert desk.started().wait(LONG) == 0
    again = [f"{site.url}{path}" for path in site.asked[asked:]]
    assert sorted(again) == [url for url in urls if url not in kept]
    assert set(desk.found["read"]) == set(urls)
    replayed(desk)


def test_a_kill_after_the_last_page_asks_for_nothing(desk: Desk, site: Site) -> None:
    urls = put_pages(site, 2)
    desk.wants([], urls, source="web", allow_private=True)
    desk.run()
    journal = desk.root / FOLDER / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    before = next(number for number, line in enumerate(lines) if b'"gather":"fetch-' in line)
    journal.write_bytes(b"".join(lines[:before]))
    for path in (desk.root / FOLDER / "status.json", desk.root / "found.json", *(desk.root / "pages").iterdir()):
        path.unlink()
    asked = list(site.asked)
    live = desk.run()
    assert live.state.stop == "complete"
    assert site.asked == asked
    assert set(desk.found["read"]) == set(urls)


@pytest.mark.req("AR-12")
@pytest.mark.parametrize("harm", ["no bytes", "no JSON", "another address"])
def test_a_receipt_that_cannot_be_relied_on_is_none(desk: Desk, site: Site, harm: str) -> None:
    (url,) = put_pages(site, 1)
    desk.wants([], [url], source="web", allow_private=True, again=True)
    desk.run()
    assert site.asked.count("/1") == 1
    (receipt,) = [file for file in (desk.root / FOLDER / "gathered").iterdir() if b'"page ' in file.read_bytes()]
    noted = json.loads(receipt.read_bytes())
    assert noted == {"what": f"page {url}", "sha256": noted["sha256"], "title": "Page 1"}
    kept = desk.root / FOLDER / "objects" / f"{noted['sha256']}.md"
    assert kept.is_file()
    if harm == "no bytes":
        kept.unlink()
    else:
        receipt.write_text("[]" if harm == "no JSON" else json.dumps({**noted, "what": "page https://b.example/"}))

    async def again() -> None:
        live = await Project(desk.root).open(RUN)
        params = {"from": "web", "allow_private": True}
        await Gatherer(live).gathered(Gather(key="k", urls=(url,), into="pages/", params=params, gather="k-9"))

    asyncio.run(again())
    assert site.asked.count("/1") == 2
    assert kept.is_file()


def test_two_processes_fetch_each_page_once(desk: Desk, site: Site) -> None:
    urls = put_pages(site, 3)
    desk.wants([], urls, source="web", allow_private=True)
    processes = [desk.started(), desk.started()]
    assert [process.wait(LONG) for process in processes] == [0, 0]
    assert Counter(site.asked) == {"/robots.txt": 1, "/1": 1, "/2": 1, "/3": 1}


def test_a_gather_that_takes_too_long_ends_with_what_it_has(desk: Desk, site: Site) -> None:
    url, slow = put_pages(site, 2)
    release = threading.Event()
    site.before = lambda path: None if path != "/2" else (release.wait(LONG), None)[1]
    desk.wants([], [url, slow], source="web", allow_private=True, seconds=3.0)
    live = desk.run()
    release.set()
    pages = gathered(live)[-1].pages
    assert pages[url].problem == ""
    assert pages[slow].problem == "the gather had 3 s, and they were over"


def test_a_private_address_is_refused_in_a_run_too(desk: Desk, site: Site) -> None:
    (url,) = put_pages(site, 1)
    desk.wants([], [url], source="web")
    assert gathered(desk.run())[-1].pages[url].problem == "'127.0.0.1' is 127.0.0.1, a loopback address"
    assert site.asked == []


def test_a_fork_after_a_gather_has_its_pages_and_asks_for_none(desk: Desk, site: Site, tmp_path: Path) -> None:
    urls = put_pages(site, 2)
    desk.wants([], urls, source="web", allow_private=True)
    desk.run()
    asked = list(site.asked)
    made = asyncio.run(forks.fork(Project(desk.root), RUN, "2", tmp_path / "fork"))

    async def going() -> str | None:
        live = await Project(made.root).open(RUN)
        workflow = catalog.workflow("gleaning")
        return (await runs.drive(live, run_control.runtime("offline", workflow))).stop

    assert asyncio.run(going()) == "complete"
    assert site.asked == asked
    assert json.loads((made.root / "found.json").read_bytes()) == desk.found
