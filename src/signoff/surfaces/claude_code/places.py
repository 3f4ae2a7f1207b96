"""Where Signoff is installed for Claude Code: a project, a person's own folder, or a folder of plugins."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from signoff.service.files.installation import Kit, Place
from signoff.service.project import find_root
from signoff.surfaces.claude_code import installed_files

SERVERS = {"project": ".mcp.json", "user": ".claude.json"}


@dataclass(frozen=True, slots=True)
class Target:
    """What the person named: the project, themselves (`user`), or a marketplace folder (`plugin`)."""

    project: Path
    plugin: Path | None = None
    user: bool = False

    def place(self) -> Place:
        """The folder that is written to, and the file with the list of servers, if it is elsewhere."""
        if self.plugin is not None:
            home = (self.project / self.plugin).absolute()
            return Place(home=home, root=home.parent)
        if not self.user:
            root = find_root(self.project)
            return Place(home=root / ".claude", root=root, elsewhere={SERVERS["project"]: root / ".mcp.json"})
        chosen = os.environ.get("CLAUDE_CONFIG_DIR")
        home = Path(chosen) if chosen else Path.home() / ".claude"
        return Place(home=home, elsewhere={SERVERS["user"]: (home if chosen else Path.home()) / ".claude.json"})

    def kit(self, workflows: Sequence[str], *, short: bool) -> Kit:
        """What is to be installed there for these workflows; `short` says that commands get no prefix."""
        root = Path.home() if self.user else find_root(self.project)
        if self.plugin is not None:
            return installed_files.marketplace(root, "signoff", workflows)
        servers = SERVERS["user" if self.user else "project"]
        return installed_files.folder(root, _command(), servers, workflows, short=short)


def _command() -> str:
    """How the host starts us: by name if that is on the path, else by the place of this installation."""
    here = Path(sys.executable).with_name("signoff")
    return str(here) if not shutil.which("signoff") and here.exists() else "signoff"
