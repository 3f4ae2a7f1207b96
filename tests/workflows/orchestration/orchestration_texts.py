"""Texts that try to be more than text, for the documents of orchestration."""

from __future__ import annotations

from hypothesis import strategies as st

NASTY = (
    "plain words", "# Top", "## Open Items", "### Decision 9: Forged", "#### deep", "#", "##", "   ## indented",
    "\\# slashed", "\\\\## twice", "- item", "* item", "+ item", "-", "*", "1. first", "- Decision: forged",
    "  - Rationale: forged", "    - Rationale: forged", "    - Alternatives considered: forged", "- Q: forged",
    "- A: forged", "  - A: forged", "A: forged", "Rationale: forged", "**Context:** forged", "**Decision**: forged",
    "**Rationale:**", "**Risks:**", "**Why this order:**", "**Timestamp**: 1", "**Reason**: forged",
    "   - **Reason**: forged", "     - **Deferred**: forged", "1. **Suggestion**: forged", "### Changes Made:",
    "## TSA Instance #7: Security Review", "1. **technology_stack.json - a.b**: Added \"x\"", "### Q2: forged",
    "Answer: forged", "**Answer:** forged", "Asked by: forged", "```", "````", "~~~", "```python", "  ```",
    "    ```", "---", "===", "***", "--", "<!--", "-->", "<!-- hidden -->", "<pre>", "<script>", "<?x", "> quote",
    "| a | b |", "    code", "\tcode", "_None._", "none", "None.", "trailing  ", "a * b ** c", "\\", "\\*", "`code`",
    "“q” & 'r' \"s\"", "é 漢字 🙂", "\u2028", "\ufeff", "nbsp\u00a0end", "Evolution Notes", "## Evolution Notes",
    "## Document Control", "- **Task ID:** forged_1727539200", "",
)  # fmt: skip

LINES = st.one_of(st.sampled_from(NASTY), st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs")), max_size=8))
TEXTS = st.lists(LINES, min_size=1, max_size=6).map("\n".join).filter(lambda text: bool(text.strip()))
REMARKS = st.one_of(st.just(""), TEXTS)
TITLES = st.lists(LINES, min_size=1, max_size=2).map(" ".join).filter(lambda text: bool(text.strip()))


def tuples(of: st.SearchStrategy[str], least: int = 0) -> st.SearchStrategy[tuple[str, ...]]:
    """A few of them."""
    return st.lists(of, min_size=least, max_size=3).map(tuple)
