"""The demo: a shipped example, copied and run, and what came of it in a few numbers."""

from __future__ import annotations

from typing import Any

from signoff.core.findings import failing
from signoff.shell.live import LiveRun
from signoff.workflows.solution_page import authority
from signoff.workflows.solution_page.gates import parse_page
from signoff.workflows.solution_page.page import draft, own_of
from signoff.workflows.solution_page.registry import PATH


def summary(live: LiveRun) -> dict[str, Any]:
    """What the gates said last, how many claims in use are verified, and one of them to look at."""
    own = own_of(live.state)
    claims = authority.registry_of(live.state, live.library).claims
    used = [claim_id for claim_id in claims if claim_id in _used(live)]
    return {
        "gates": {name: "fail" if failing(found) else "pass" for name, found in own.results.items()},
        "claims": {"used": len(used), "verified": sum(claims[claim_id].status == "verified" for claim_id in used)},
        "example_claim": next(iter(used), None),
        "registry": PATH if PATH in live.state.docs else None,
        "drafts": [path for lang in ("en", "cn") if (path := draft(own.slug, lang)) in live.state.docs],
    }


def _used(live: LiveRun) -> set[str]:
    """The claims that either draft carries."""
    own = own_of(live.state)
    refs = [ref for lang in ("en", "cn") if (ref := live.state.ref(draft(own.slug, lang)))]
    return {marker.claim_id for ref in refs for marker in live.library(ref, parse_page).markers}
