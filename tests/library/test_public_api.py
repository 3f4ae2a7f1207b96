"""What `import signoff` gives: typed, documented, few names, fast; and what we use ourselves."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import signoff
import signoff.evidence
import signoff.testing

SRC = Path(signoff.__file__).parent
NAMED = ["Workflow", "Agent", "step", "turn", "gate", "edge", "Ask", "Finding", "Write", "Finish", "Now"]


@pytest.mark.req("LB-1")
def test_the_public_names_are_there_documented_and_under_150() -> None:
    assert set(NAMED) <= set(signoff.__all__)
    names = [*signoff.__all__, *signoff.testing.__all__]
    assert len(names) < 150
    for name in signoff.__all__:
        value = getattr(signoff, name)
        assert value is not None
        if callable(value) and getattr(value, "__module__", "").startswith("signoff"):
            assert value.__doc__, f"{name} has no docstring"
    assert all(getattr(signoff.testing, name).__doc__ for name in signoff.testing.__all__)


@pytest.mark.req("LB-1")
def test_the_lazy_names_and_the_typed_ones_are_the_same() -> None:
    for module in (SRC / "__init__.py", SRC / "testing" / "__init__.py"):
        tree = ast.parse(module.read_text())
        [block] = [node for node in tree.body if isinstance(node, ast.If)]
        typed = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        lazy = set(signoff.__all__ if module.parent == SRC else signoff.testing.__all__) - {"__version__"}
        assert typed == lazy


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Workflows'"):
        signoff.Workflows  # noqa: B018
    assert "Workflow" in dir(signoff)


@pytest.mark.req("LB-1")
def test_importing_it_imports_nothing_else_of_ours() -> None:
    code = "import sys, signoff; print(sorted(m for m in sys.modules if m.startswith('signoff')))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "['signoff']"
