"""Searching the web by key (AR-5): against a loopback server that answers in the shape of the service."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from gathering_kit import Desk, Site, desk_in, gathered, replayed

from signoff.core.errors import UsageError
from signoff.core.events import Hit
from signoff.shell.outside.brave_search import BASE, KEY, MANNERS, Brave, key
from signoff.shell.outside.http import World, wire
from signoff.shell.outside.port import NothingError

PATH = "/res/v1/web/search"
SECRET = "BSA-example-key"


def result(url: str, title: str = "Title", description: str = "Text.") -> dict[str, Any]:
    """One result, with the fields that the service gives."""
    host = urlsplit(url).netloc
    return {
        "title": title, "url": url, "is_source_local": False, "is_source_both": False, "description": description,
        "page_age": "2025-01-15T00:00:00", "profile": {"name": host, "url": url, "long_name": host, "img": ""},
        "language": "en", "family_friendly": True, "type": "search_result", "subtype": "generic",
        "meta_url": {"scheme": "https", "netloc": host, "hostname": host, "favicon": "", "path": ""},
        "age": "January 15, 2025",
    }  # fmt: skip


def response(*results: dict[str, Any], query: str = "q") -> str:
    found = {
        "query": {"original": query, "show_strict_warning": False, "is_navigational": False, "country": "us",
                  "spellcheck_off": True, "more_results_available": True},
        "mixed": {"type": "mixed", "main": [{"type": "web", "index": 0, "all": False}], "top": [], "side": []},
        "type": "search",
        "web": {"type": "search", "results": list(results), "family_friendly": True},
    }  # fmt: skip
    return json.dumps(found)


def refusal(status: int, code: str, detail: str) -> str:
    error = {"id": "4a1f", "status": status, "code": code, "detail": detail, "meta": {"component": "authentication"}}
    return json.dumps({"type": "ErrorResponse", "error": error, "time": 1700000000})


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


async def _no_sleep(_seconds: float) -> None: ...


def search(site: Site, query: str = "quench oil", limit: int = 5, language: str = "en") -> list[Hit]:
    async def asked() -> list[Hit]:
        async with wire("research", MANNERS, World(sleep=_no_sleep), allow_private=True) as searching:
            return list(await Brave(searching, SECRET, site.url, language).search(query, limit))

    return asyncio.run(asked())


def problem(site: Site, **how: Any) -> str:
    with pytest.raises(NothingError) as error:
        search(site, **how)
    return error.value.problem


def asked(site: Site) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(site.asked[-1]).query).items()}


@pytest.mark.req("AR-5")
def test_results_are_hits_with_their_words(site: Site) -> None:
    one = result(
        "https://a.example/x", "Oils &amp; <strong>quench</strong>", "Hot <strong>oil</strong> &quot;fast&quot;"
    )
    site.put(PATH, response(one, result("https://b.example/")), Content_Type="application/json")
    assert search(site) == [
        Hit(url="https://a.example/x", title="Oils & quench", snippet='Hot oil "fast"'),
        Hit(url="https://b.example/", title="Title", snippet="Text."),
    ]
    assert asked(site) == {
        "q": "quench oil", "count": "5", "search_lang": "en", "text_decorations": "false", "result_filter": "web",
    }  # fmt: skip
    headers = site.headers[-1]
    assert (headers["X-Subscription-Token"], headers["Accept"]) == (SECRET, "application/json")
    assert headers["Accept-Encoding"] == "gzip"


@pytest.mark.parametrize(
    ("query", "limit", "language", "sent"),
    [
        ("淬火 变形", 3, "zh", ("淬火 变形", "3", "zh-hans")),
        ("x " * 80, 50, "en", (("x " * 50).strip(), "20", "en")),
        ("y" * 900, 0, "de", ("y" * 400, "1", "de")),
        ("a&q=b#c\ud800", 5, "en", ("a&q=b#c?", "5", "en")),
    ],
)
def test_a_query_is_sent_as_the_service_takes_it(
    site: Site, query: str, limit: int, language: str, sent: tuple[str, str, str]
) -> None:
    site.put(PATH, response(), Content_Type="application/json")
    assert search(site, query, limit, language) == []
    found = asked(site)
    assert (found["q"], found["count"], found["search_lang"]) == sent


def test_no_more_hits_are_taken_than_are_wanted(site: Site) -> None:
    site.put(PATH, response(*(result(f"https://a.example/{n}") for n in range(9))), Content_Type="application/json")
    assert [hit.url for hit in search(site, limit=2)] == ["https://a.example/0", "https://a.example/1"]


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '{"type": "search", "web": null}',
        '{"web": {"results": {"url": "x"}}}',
        '{"web": {"results": ["x", {"url": 1}, {"title": "no url"}, {"url": "javascript:alert(1)"}]}}',
    ],
)
def test_what_is_no_result_is_left_out(site: Site, body: str) -> None:
    site.put(PATH, body, Content_Type="application/json")
    assert search(site) == []


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, "", "the search was refused with 401: set BRAVE_API_KEY to a key that is valid"),
        (
            422,
            refusal(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid."),
            "refused with 422 (SUBSCRIPTION_TOKEN_INVALID The provided subscription token is invalid.): set BRAVE_API",
        ),
        (422, refusal(422, "VALIDATION", "Unable to validate request parameter(s)"), "(VALIDATION Unable to validate"),
        (
            429,
            refusal(429, "RATE_LIMITED", "Request rate limit exceeded for plan."),
            "(RATE_LIMITED Request rate limit exceeded for plan.): the plan of the key is used up for now",
        ),
        (500, "<html>oops</html>", "the search was refused with 500"),
        (200, "<html>oops</html>", "the answer is not a JSON object"),
        (200, "[]", "the answer is not a JSON object"),
        (200, "[" * 100_000, "the answer is not a JSON object"),
        (302, "", "more than 0 redirects"),
    ],
)
def test_a_search_that_fails_is_told_in_the_words_of_the_service(
    site: Site, status: int, body: str, words: str
) -> None:
    site.put(
        PATH, body, status=status, Content_Type="application/json", **({"Location": "/x"} if status == 302 else {})
    )
    told = problem(site)
    assert words in told
    assert SECRET not in told
    assert len(site.asked) == (3 if status in (429, 500) else 1)


def test_a_busy_service_is_asked_again(site: Site) -> None:
    site.put(PATH, refusal(429, "RATE_LIMITED", "x"), status=429)
    site.before = lambda _path: (
        None
        if len(site.asked) < 2
        else (site.put(PATH, response(result("https://a.example/")), Content_Type="application/json"), None)[1]
    )
    assert len(search(site)) == 1
    assert len(site.asked) == 2


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({}, f"searching the web needs a key, and {KEY} is not set. Repair: set {KEY} to a key"),
        ({KEY: "  "}, f"{KEY} is not set"),
        ({KEY: "two\nlines"}, f"{KEY} holds characters that no key has"),
        ({KEY: "schlüssel"}, f"{KEY} holds characters that no key has"),
    ],
)
def test_a_key_that_is_missing_or_broken_is_a_usage_error(environment: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why.replace(".", r"\.")):
        key(environment)
    assert key({KEY: f" {SECRET}\n"}) == SECRET


# --- in a run ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.delenv(KEY, raising=False)
    return desk_in(tmp_path, monkeypatch)


@pytest.mark.req("AR-5")
def test_a_missing_key_is_said_before_anything_is_spent(desk: Desk) -> None:
    desk.wants(["quench"], source="web")
    with pytest.raises(UsageError, match=KEY):
        desk.run()
    turns = desk.root / "_workflow/gleaning/try/turns"
    assert not list(turns.rglob("raw-*"))


@pytest.mark.req("AR-5", "AR-12")
def test_a_run_searches_fetches_and_asks_for_nothing_twice(
    desk: Desk, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = site.put("/page", "<title>Quench</title><p>Hot oil.</p>")
    site.put(PATH, response(result(page, "Quench")), Content_Type="application/json")
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv(BASE, site.url)
    desk.wants(["quench"], source="web", allow_private=True)
    live = desk.run()
    assert desk.found["hits"] == {"quench": [page]}
    assert desk.found["read"] == {page: ["Quench", "Hot oil."]}
    assert Counter(path.partition("?")[0] for path in site.asked) == {PATH: 1, "/robots.txt": 1, "/page": 1}
    everything = b"".join(file.read_bytes() for file in desk.root.rglob("*") if file.is_file())
    assert SECRET.encode() not in everything
    assert replayed(desk) == live.state


@pytest.mark.req("AR-5")
def test_a_refused_search_is_a_problem_in_the_event_and_the_run_goes_on(
    desk: Desk, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.put(PATH, refusal(422, "SUBSCRIPTION_TOKEN_INVALID", "invalid"), status=422)
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv(BASE, site.url)
    desk.wants(["quench"], source="web", allow_private=True)
    live = desk.run()
    assert live.state.stop == "complete"
    assert "SUBSCRIPTION_TOKEN_INVALID" in gathered(live)[0].problems["quench"]
