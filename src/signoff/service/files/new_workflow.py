"""`signoff new workflow NAME`: a Python package with a workflow in one file, tests that pass, and its entry point."""

from __future__ import annotations

import importlib.resources
import re
from pathlib import Path

from signoff.core.errors import UsageError
from signoff.service import catalog
from signoff.shell.files import refuse_taken

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
FILES = {
    "{module}.py": "workflow.py.txt",
    "tests/test_{module}.py": "test_workflow.py.txt",
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
}


def create(name: str, folder: Path) -> list[str]:
    """Writes the package into a new folder, and gives the files that it wrote."""
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a name for a workflow", valid="small letters, digits and hyphens: press-release"
        )
    if name in catalog.names():
        raise UsageError(f"there is a workflow {name!r} already", repair="choose another name")
    refuse_taken(folder.absolute())
    texts = files(name)
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return list(texts)


def files(name: str) -> dict[str, str]:
    """The files of such a package, by path."""
    home = importlib.resources.files("signoff.service.files") / "workflow_template"
    module, words = name.replace("-", "_"), name.replace("-", " ")
    made = {}
    for path, file in FILES.items():
        text = (home / file).read_text(encoding="utf-8")
        text = text.replace("press_release", module).replace("press-release", name)
        text = text.replace("Press release", words.capitalize()).replace("press release", words)
        made[path.format(module=module)] = text
    return made
