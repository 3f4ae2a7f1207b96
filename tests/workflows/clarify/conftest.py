"""Runs of the small inquiry at three moments, each made once; a test that changes one gets a copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from clarify_project import ALL, MIXED, Case, lay_out


def _made(factory: pytest.TempPathFactory, name: str, act: Callable[[Case], object] | None = None) -> Path:
    case = Case(lay_out(factory.mktemp(name) / "project"))
    case.run()
    if act:
        act(case)
    return case.root


@pytest.fixture(scope="session")
def researched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The questions are there, and nobody has answered."""
    return _made(tmp_path_factory, "researched")


@pytest.fixture(scope="session")
def refined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Most is answered, and refinements are asked."""

    def act(case: Case) -> None:
        case.answer(MIXED)
        case.choose("research")

    return _made(tmp_path_factory, "refined", act)


@pytest.fixture(scope="session")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything is answered and decided."""

    def act(case: Case) -> None:
        case.answer(ALL)
        assert case.choose("decide").stop == "complete"

    return _made(tmp_path_factory, "decided", act)


@pytest.fixture
def fresh(tmp_path: Path) -> Case:
    case = Case(lay_out(tmp_path / "project"))
    case.begin()
    return case


@pytest.fixture
def asked(researched: Path, tmp_path: Path) -> Case:
    return Case(Path(shutil.copytree(researched, tmp_path / "researched")))


@pytest.fixture
def answered(asked: Case) -> Case:
    asked.answer(MIXED)
    return asked


@pytest.fixture
def refining(refined: Path, tmp_path: Path) -> Case:
    return Case(Path(shutil.copytree(refined, tmp_path / "refined")))


@pytest.fixture
def done(decided: Path, tmp_path: Path) -> Case:
    return Case(Path(shutil.copytree(decided, tmp_path / "decided")))
