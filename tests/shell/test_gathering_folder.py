"""Looking in a folder of documents (AR-5): full-text search in English and Chinese, and pages that are documents."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from gathering_kit import FOLDER, Desk, desk_in, gathered, replayed

from signoff.core.errors import DefinitionError
from signoff.core.events import Hit
from signoff.core.refs import digest
from signoff.evidence.sources.fetched_pages import PageText, parse_page, place, render
from signoff.shell.outside.folder_search import FolderCorpus, Index, matching
from signoff.shell.outside.port import NothingError, Wanted, wanted
from signoff.shell.run.folder_store import FolderStore

QUENCH = "# Quenching oils\n\nFast oils cool at 120 K/s. Hot oils distort less.\n"
TEMPER = "---\ntitle: Tempering charts\n---\n\nTempering at 200 °C keeps the hardness. Oils are no matter here.\n"
HTML = """<html><head><title>Salt baths &amp; steel</title><script>var oil = 1</script></head><body><h1>Salt</h1>
<p>A <b>salt</b> bath quenches evenly.</p></body></html>"""
ZH_QUENCH = "# 淬火介质的选择\n\n淬火油的冷却速度决定了变形量。水淬的冷却更快，但是容易开裂。\n"
ZH_TEMPER = "# 回火温度\n\n回火温度越高，硬度越低。真空炉可以避免氧化。\n"
DOCS = {
    "0-sources/en/quench.md": QUENCH,
    "0-sources/en/temper.md": TEMPER,
    "0-sources/en/salt.html": HTML,
    "0-sources/zh/quench.md": ZH_QUENCH,
    "0-sources/zh/temper.txt": ZH_TEMPER,
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = desk_in(tmp_path, monkeypatch)
    for path, text in DOCS.items():
        desk.put(path, text)
    return desk


def corpus(desk: Desk, folder: str = "0-sources/") -> FolderCorpus:
    return FolderCorpus(FolderStore(desk.root), folder)


def search(desk: Desk, query: str, limit: int = 5) -> list[str]:
    return [hit.url.removeprefix("0-sources/") for hit in asyncio.run(corpus(desk).search(query, limit))]


# --- searching --------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("oil", ["en/quench.md", "en/temper.md"]),
        ("quenching oil", ["en/quench.md", "en/salt.html", "en/temper.md"]),
        ("QUENCH", ["en/quench.md", "en/salt.html"]),
        ("salt bath", ["en/salt.html"]),
        ("tempering charts", ["en/temper.md"]),
        ("var", []),
        ("淬火", ["zh/quench.md"]),
        ("水淬", ["zh/quench.md"]),
        ("回火温度", ["zh/temper.txt"]),
        ("冷却速度和变形量有什么关系", ["zh/quench.md"]),
        ("真空炉", ["zh/temper.txt"]),
        ("炉", ["zh/temper.txt"]),
        ("火淬", []),
        ("淬火 tempering", ["en/temper.md", "zh/quench.md"]),
        ("nothing like it", []),
        ("", []),
        ("?!…", []),
    ],
)
def test_documents_are_found_in_both_languages_best_first(desk: Desk, query: str, found: list[str]) -> None:
    assert search(desk, query) == found


@pytest.mark.req("AR-5")
def test_a_document_that_is_about_it_comes_before_one_that_mentions_it(desk: Desk) -> None:
    desk.put("0-sources/en/long.md", "# Furnaces\n\n" + "A furnace has a door. " * 200 + "Oil burns.\n")
    assert search(desk, "oil")[0] == "en/quench.md"
    desk.put("0-sources/zh/long.md", "# 炉子\n\n" + "炉子有一扇门。" * 200 + "淬火也要油。\n")
    assert search(desk, "淬火油")[0] == "zh/quench.md"


@pytest.mark.parametrize(
    "query",
    ['"', "oil*", "oil AND", "NOT oil", "title:oil", "oil NEAR(", "(oil", "^oil", "oil + ", "{url}: x", "a-b", "o'il",
     "--", "\0oil", "oil\ud800", "; DROP TABLE documents", "url : quench", "x" * 10_000, "oil " * 5_000, "淬火" * 500],
)  # fmt: skip
def test_free_text_is_never_taken_for_the_syntax_of_the_search(desk: Desk, query: str) -> None:
    found = search(desk, query)
    if "oil" in query.lower().split():
        assert "en/quench.md" in found


@pytest.mark.parametrize(
    ("query", "expression"),
    [
        ("quench oil", '"quench" OR "oil"'),
        ("oil oil", '"oil"'),
        ("淬火", '"淬 火"'),
        ("淬火油", '"淬 火" OR "火 油"'),
        ("油", '"油"'),
        ("4140钢的HRC", '"4140" OR "钢 的" OR "HRC"'),
        ('"a" OR b*', '"a" OR "OR" OR "b"'),
        ("_ - .", ""),
    ],
)
def test_a_query_becomes_quoted_words_and_pairs_of_characters(query: str, expression: str) -> None:
    assert matching(query) == expression


def test_a_hit_shows_title_and_the_place_in_the_words_of_the_document(desk: Desk) -> None:
    (hit,) = asyncio.run(corpus(desk).search("真空炉", 5))
    assert hit == Hit(url="0-sources/zh/temper.txt", title="# 回火温度", snippet=hit.snippet)
    assert "真空炉可以避免氧化" in hit.snippet
    (salt,) = asyncio.run(corpus(desk).search("salt", 5))
    assert (salt.title, salt.snippet) == ("Salt baths & steel", "Salt A salt bath quenches evenly.")


def test_a_search_gives_at_most_as_many_hits_as_are_wanted(desk: Desk) -> None:
    assert len(search(desk, "oil quench temper salt 火", 2)) == 2


def test_the_brief_hidden_files_and_other_kinds_are_no_documents(desk: Desk) -> None:
    for path in ("0-sources/.hidden.md", "0-sources/picture.png", "0-sources/data.json", "oil.md"):
        desk.put(path, "unobtainium")
    desk.put("0-sources/brief.md", "unobtainium")
    assert search(desk, "unobtainium") == []
    desk.put("0-sources/en/brief.md", "unobtainium")
    assert search(desk, "unobtainium") == ["en/brief.md"]


@pytest.mark.req("AR-5")
def test_links_are_not_followed(desk: Desk, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("unobtainium")
    (desk.root / "0-sources/linked.md").symlink_to(secret)
    (desk.root / "0-sources/folder").symlink_to(tmp_path)
    desk.put("config.md", "unobtainium")
    (desk.root / "0-sources/within.md").symlink_to(desk.root / "config.md")
    assert search(desk, "unobtainium") == []
    for url in ("0-sources/linked.md", "0-sources/folder/secret.md", "0-sources/within.md"):
        with pytest.raises(NothingError, match="is not a document in 0-sources/"):
            asyncio.run(corpus(desk).fetch(url))


@pytest.mark.parametrize(
    "url", ["config.md", "0-sources/../config.md", "/etc/passwd", "https://a.example/", "0-sources/brief.md", ""]
)
def test_only_documents_of_the_folder_are_fetched(desk: Desk, url: str) -> None:
    desk.put("config.md", "secret")
    with pytest.raises(NothingError, match="is not a document in 0-sources/"):
        asyncio.run(corpus(desk).fetch(url))


def test_what_changed_is_found_as_it_is_now(desk: Desk) -> None:
    looking = corpus(desk)

    def found(query: str) -> list[str]:
        return [hit.url for hit in asyncio.run(looking.search(query, 5))]

    assert found("unobtainium") == []
    desk.put("0-sources/en/temper.md", "# Unobtainium\n\nIt is harder.\n")
    desk.put("0-sources/en/new.md", "# New\n\nUnobtainium, unobtainium.\n")
    assert sorted(found("unobtainium")) == ["0-sources/en/new.md", "0-sources/en/temper.md"]
    assert found("tempering charts") == []
    (desk.root / "0-sources/en/new.md").unlink()
    assert found("unobtainium") == ["0-sources/en/temper.md"]


def test_an_index_holds_one_version_of_a_document() -> None:
    index = Index()
    index.put("a", "1", "A", "old words")
    index.put("a", "2", "A", "new words")
    assert index.digests == {"a": "2"}
    assert [len(index.search(query, 5)) for query in ("old", "new", "words")] == [0, 1, 1]


# --- pages ------------------------------------------------------------------------------------------------------------


def pdf(text: str) -> bytes:
    """A PDF of one page that says this."""
    stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    xref = b"xref\n0 6\n0000000000 65535 f \n" + table
    return out + xref + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(out)


@pytest.mark.parametrize(
    ("path", "data", "title", "text"),
    [
        ("en/a.md", b"# One\n\nTwo  three.\n", "One", "# One\n\nTwo  three."),
        ("en/a.md", "﻿---\ntitle: \"T: 'x'\"\n---\n\nBody.".encode(), "T: 'x'", "Body."),
        ("en/a.txt", b"First line\r\n\r\n\r\n\r\nLast\r\n", "First line", "First line\n\nLast"),
        ("en/a.html", HTML.encode(), "Salt baths & steel", "Salt\nA salt bath quenches evenly."),
        ("en/a.htm", b"<h1>Only <i>this</i></h1>\n<p>x", "Only this", "Only this\nx"),
        ("zh/a.html", "<meta charset=gb2312><p>淬火</p>".encode("gbk"), "a", "淬火"),
        ("en/a.pdf", pdf("Hot oil at 180 C"), "Hot oil at 180 C", "Hot oil at 180 C"),
    ],
)
def test_a_document_is_fetched_as_a_reader_sees_it(desk: Desk, path: str, data: bytes, title: str, text: str) -> None:
    url = f"0-sources/{path}"
    desk.put(url, data)
    assert asyncio.run(corpus(desk).fetch(url)) == PageText(url, title, text)


@pytest.mark.parametrize(
    ("path", "data", "problem"),
    [
        ("a.md", b"\xff\xfe\x41\x00", "byte order mark of UTF-16"),
        ("a.md", b"  \n", "there is no text in it"),
        ("a.pdf", b"%PDF-1.4 broken", "not a readable PDF"),
        ("a.html", b"<script>x</script>", "there is no text in it"),
    ],
)
def test_a_document_that_cannot_be_read_is_a_problem_and_the_rest_is_searched(
    desk: Desk, path: str, data: bytes, problem: str
) -> None:
    desk.put(f"0-sources/{path}", data)
    with pytest.raises(NothingError, match=problem):
        asyncio.run(corpus(desk).fetch(f"0-sources/{path}"))
    looking = corpus(desk)
    assert asyncio.run(looking.search("oil", 5))
    assert problem in looking.unreadable[f"0-sources/{path}"]


def test_a_folder_without_documents_is_a_problem_that_says_so(desk: Desk) -> None:
    with pytest.raises(NothingError, match=r"there are no documents to read in 9-none/: put some there"):
        asyncio.run(corpus(desk, "9-none/").search("oil", 5))


@pytest.mark.parametrize(
    "page",
    [
        PageText("https://a.example/x?y=1#z", "A: 'title' \"quoted\"", "Text\n\n---\n\nmore"),
        PageText("0-sources/中文.md", "中文 — {x}", "淬火"),
    ],
)
def test_the_file_of_a_page_says_where_it_came_from(page: PageText) -> None:
    assert parse_page(render(page).encode(), "x.md") == page


def test_every_address_has_a_place_of_its_own_and_one_spelling_of_it() -> None:
    urls = ["https://a.example/x", "https://a.example/x/", "https://a.example/x?y", "http://a.example/x", "a/x.md",
            "a-x.md", "https://a.example/" + "long/" * 100, "https://a.example/" + "长" * 300, "", ".."]  # fmt: skip
    places = [place("into/", url) for url in urls]
    assert len(set(places)) == len(urls)
    assert all(len(path.encode()) < 250 and path.count("/") == 1 and path.endswith(".md") for path in places)
    assert place("into/", "https://A.example/x#part") == place("into/", "https://a.example/x")
    assert place("into/", "https://a.example/x") == f"into/a-example-x-{digest('https://a.example/x')[:8]}.md"


@pytest.mark.parametrize(
    ("params", "why"),
    [({"source": "folder"}, "'source'"), ({"form": "web"}, "'form'"), ({"from": "ftp"}, "'ftp'")],
)
def test_a_param_that_nobody_knows_is_a_mistake_of_the_workflow(params: dict[str, str], why: str) -> None:
    with pytest.raises(DefinitionError, match=why):
        wanted(params)
    assert wanted({}) == Wanted()
    assert wanted({"from": "web", "limit": 3}) == Wanted(source="web", limit=3)


def test_a_folder_is_named_with_its_slash(desk: Desk) -> None:
    with pytest.raises(DefinitionError, match="let its name end with a slash"):
        corpus(desk, "0-sources")


# --- in a run ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-5", "AR-12")
def test_a_run_searches_fetches_and_reads_without_any_network(desk: Desk) -> None:
    desk.wants(["quenching oil", "淬火"], ["0-sources/gone.md"], limit=2)
    live = desk.run()
    assert live.state.stop == "complete"
    found = desk.found
    assert set(found["hits"]) == {"quenching oil", "淬火"}
    assert found["hits"]["淬火"] == ["0-sources/zh/quench.md"]
    assert found["pages"]["0-sources/gone.md"] == "'0-sources/gone.md' is not a document in 0-sources/"
    path = found["pages"]["0-sources/zh/quench.md"]
    assert parse_page((desk.root / path).read_bytes(), path).text == ZH_QUENCH.strip()
    assert found["read"]["0-sources/zh/quench.md"] == ["淬火介质的选择", ZH_QUENCH.strip()]
    assert not (desk.root / FOLDER / "gathered").exists()
    assert replayed(desk) == live.state


def test_a_document_that_cannot_be_read_is_told(desk: Desk) -> None:
    desk.put("0-sources/bad.pdf", b"%PDF-1.4 broken")
    desk.wants(["oil"])
    desk.run()
    assert any("not searched" in text and "0-sources/bad.pdf" in text for text in desk.told)


def test_a_search_without_documents_is_a_problem_in_the_event_and_no_crash(desk: Desk) -> None:
    desk.wants(["oil"], folder="9-none/")
    live = desk.run()
    assert live.state.stop == "complete"
    assert gathered(live)[0].problems == {"oil": "there are no documents to read in 9-none/: put some there"}


def test_more_pages_than_a_gather_may_fetch_are_told(desk: Desk) -> None:
    urls = ["0-sources/en/quench.md", "0-sources/en/quench.md#part", "0-sources/en/temper.md"]
    desk.wants([], urls, pages=1)
    (_, fetched) = gathered(desk.run())
    assert [page.problem for page in fetched.pages.values()] == ["", "", "a gather fetches at most 1 pages"]
    assert len({page.path for page in fetched.pages.values() if page.path}) == 1


def test_a_replay_needs_neither_the_pages_nor_the_folder(desk: Desk) -> None:
    desk.wants(["oil"], [])
    state = desk.run().state
    for path in (desk.root / "pages").iterdir():
        path.unlink()
    made = desk.recording()
    assert made.played().state == state
