"""A project in which the small workflow `gleaning` looks outside, and a server on this machine to look at."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import signoff.workflows
from signoff.core.events import Gathered
from signoff.core.state import State
from signoff.service import catalog, run_control, runs
from signoff.service.project import Project
from signoff.service.recordings import replays
from signoff.shell.run.live_run import LiveRun, Watcher

TOYS = Path(__file__).parent / "gathering_workflows"
RUN = "try"
FOLDER = f"_workflow/gleaning/{RUN}"


def desk_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A new project; the toy is known for as long as the test takes."""
    monkeypatch.setattr(signoff.workflows, "__path__", [*signoff.workflows.__path__, str(TOYS)])
    desk = Desk(folder / "project")
    desk.put("0-sources/brief.md", "What we want to write about: quenching, 淬火.")
    return desk


@dataclass
class Desk:
    """A project folder and its run."""

    root: Path
    told: list[str] = field(default_factory=list)

    def wants(
        self, queries: Sequence[str] = (), urls: Sequence[str] = (), *, again: bool = False, **params: Any
    ) -> None:
        if "source" in params:
            params["from"] = params.pop("source")
        wanted = {"params": params, "queries": list(queries), "urls": list(urls), "again": again}
        self.put("wanted.json", json.dumps(wanted, ensure_ascii=False))

    def put(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    async def _going(self) -> LiveRun:
        workflow = catalog.workflow("gleaning")
        project = Project(self.root, watcher=Watcher(notice=self.told.append))
        live = await run_control.begin_or_go_on(project, workflow, RUN, {})
        await runs.drive(live, run_control.runtime("offline", workflow))
        return live

    def run(self) -> LiveRun:
        return asyncio.run(self._going())

    def started(self, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """The same in a process of its own."""
        argv = [sys.executable, str(TOYS / "run_it.py"), str(self.root), RUN]
        return subprocess.Popen(argv, env={**os.environ, **(env or {})})

    def recording(self) -> replays.Recording:
        return asyncio.run(replays.load(Project(self.root), RUN))

    @property
    def found(self) -> dict[str, Any]:
        return dict(json.loads((self.root / "found.json").read_bytes()))


def gathered(live: LiveRun) -> list[Gathered]:
    return [event for event in live.events if isinstance(event, Gathered)]


def replayed(desk: Desk) -> State:
    """The state that a replay comes to; it must make the same files."""
    made = replays.replay(desk.recording())
    assert not made.differences
    return made.live.state


class Site:
    """A server on this machine: it answers what `pages` has, by path, and remembers what it was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[str] = []
        self.answered: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        self.before: Callable[[str], None] = lambda _path: None
        self.lock = threading.Lock()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def put(self, path: str, body: str | bytes, *, status: int = 200, **headers: str) -> str:
        data = body.encode() if isinstance(body, str) else body
        named = {"Content-Type": "text/html; charset=utf-8", **{k.replace("_", "-"): v for k, v in headers.items()}}
        self.pages[path] = (status, named, data)
        return f"{self.url}{path}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        with self.lock:
            self.asked.append(request.path)
            self.headers.append(dict(request.headers))
        self.before(request.path)
        status, headers, body = self.pages.get(request.path.partition("?")[0], (404, {}, b""))
        try:
            request.send_response(status)
            for name, value in headers.items():
                request.send_header(name, value)
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body)
        except ConnectionError:
            return  # the client had heard enough
        with self.lock:
            self.answered.append(request.path)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
