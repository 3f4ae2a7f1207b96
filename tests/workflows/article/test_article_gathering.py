"""What research fetches of what was found, and what it skips (AR-5)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from signoff.core.events import Hit
from signoff.workflows.article.steps.research import chosen, domain, skips


def hits(*urls: str) -> list[Hit]:
    return [Hit(url=url) for url in urls]


A, B, C = (f"https://steel.example/{name}" for name in "abc")
CACHED = "it was fetched before"


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    ("found", "known", "urls", "skipped"),
    [
        ([], (), (), {}),
        ([A], (), (A,), {}),
        ([A, A], (), (A,), {}),
        ([A, f"{A}#part"], (), (A,), {}),
        ([A], (A,), (), {A: CACHED}),
        ([f"{A}#part"], (A,), (), {A: CACHED}),
        (["https://STEEL.example/a"], (A,), (), {A: CACHED}),
        ([A, B, C], (), (A, B), {C: "2 pages of steel.example are enough"}),
        ([B, C], (A,), (B,), {C: "2 pages of steel.example are enough"}),
        ([C], (A, B), (), {C: "2 pages of steel.example are enough"}),
        (
            [A, B, "https://blog.steel.example/c"], (), (A, B),
            {"https://blog.steel.example/c": "2 pages of steel.example are enough"},
        ),
        (["https://a.co.uk/1", "https://b.co.uk/1", "https://c.co.uk/1"], (),
         ("https://a.co.uk/1", "https://b.co.uk/1", "https://c.co.uk/1"), {}),
        (["https://a.github.io/1", "https://b.github.io/1", "https://c.github.io/1"], (),
         ("https://a.github.io/1", "https://b.github.io/1", "https://c.github.io/1"), {}),
        (["0-sources/a.md", "0-sources/b.md", "0-sources/tag/c.md"], (),
         ("0-sources/a.md", "0-sources/b.md", "0-sources/tag/c.md"), {}),
        (["0-sources/a.md"], ("0-sources/a.md",), (), {"0-sources/a.md": CACHED}),
        (["0-sources/facebook.com.md"], (), ("0-sources/facebook.com.md",), {}),
    ],
)  # fmt: skip
def test_known_pages_and_third_pages_of_a_domain_are_skipped(
    found: Sequence[str], known: Sequence[str], urls: Sequence[str], skipped: dict[str, str]
) -> None:
    assert chosen(hits(*found), known, 10) == (urls, skipped)


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://www.facebook.com/steel", "facebook.com is a social network"),
        ("https://x.com/steel/status/1", "x.com is a social network"),
        ("https://m.weibo.cn/status/1", "weibo.cn is a social network"),
        ("https://www.youtube.com/watch?v=1", "youtube.com is a social network"),
        ("https://www.amazon.de/dp/1", "amazon.de is a shop"),
        ("https://www.amazon.co.uk/dp/1", "amazon.co.uk is a shop"),
        ("https://item.taobao.com/1", "taobao.com is a shop"),
        ("https://detail.1688.com/1", "1688.com is a shop"),
        ("https://steel.example/tag/quench", "/tag/ leads to no article"),
        ("https://steel.example/blog/Category/oil", "/category/ leads to no article"),
        ("https://steel.example/cart", "/cart/ leads to no article"),
        ("https://steel.example/%6Cogin?next=/a", "/login/ leads to no article"),
        ("https://steel.example/wp-login.php", "/wp-login.php/ leads to no article"),
        ("ftp://steel.example/a", "it is not the address of a page"),
        ("javascript:alert(1)", "it is not the address of a page"),
        ("https:///a", "it is not the address of a page"),
        ("http://[bad/", "it is not the address of a page"),
        ("", "it is not the address of a page"),
    ],
)
def test_social_networks_shops_and_lists_are_skipped(url: str, reason: str) -> None:
    assert chosen(hits(url, A), (), 10) == ((A,), {url: reason})


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    "url",
    [
        "https://notfacebook.com/a",
        "https://facebook.com.example/a",
        "https://steel.example/vintage/heritage",
        "https://steel.example/tagging",
        "https://steel.example/a?tag=1",
        "https://www.reddit.com/r/metallurgy/comments/1",
        "https://www.zhihu.com/question/1",
        "http://192.0.2.1/a",
        "https://[2001:db8::1]/a",
    ],
)
def test_what_only_looks_like_it_is_fetched(url: str) -> None:
    assert chosen(hits(url), (), 10) == ((url,), {})


def test_no_more_is_chosen_than_is_wanted_and_what_is_skipped_takes_no_place() -> None:
    found = hits("https://x.com/a", "https://one.example/", "https://two.example/", "https://three.example/")
    urls, skipped = chosen(found, (), 2)
    assert urls == ("https://one.example/", "https://two.example/")
    assert skipped == {"https://x.com/a": "x.com is a social network", "https://three.example/": "2 pages are enough"}


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("https://www.example.com/a", "example.com"),
        ("https://a.b.example.com.cn/", "example.com.cn"),
        ("https://example.com.cn/", "example.com.cn"),
        ("https://co.uk/", "co.uk"),
        ("https://user:pw@Example.COM:8080/", "example.com"),
        ("https://a.wordpress.com/x", "a.wordpress.com"),
        ("https://wordpress.com/x", "wordpress.com"),
        ("http://localhost/", "localhost"),
        ("http://192.0.2.1/", "192.0.2.1"),
        ("0-sources/a.md", ""),
        ("mailto:a@b.example", ""),
    ],
)
def test_a_domain_is_what_somebody_registered(url: str, home: str) -> None:
    assert domain(url) == home


def test_the_lists_are_sorted_and_say_each_name_once() -> None:
    rules = skips()
    assert not rules.social & rules.shop
    assert all(name == name.lower() for names in (rules.social, rules.shop, rules.paths) for name in names)
