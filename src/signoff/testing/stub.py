"""A model provider on loopback: enough of Anthropic's and OpenAI's APIs for their real clients, scripted by a play.

    with Stub([give({"agent": "editor"})]) as stub:
        os.environ |= stub.environment()
        ...
    assert "final_result" in stub.asked[0].tools

Every request is kept in `asked`. Nothing here sleeps: slow answers wait for an event that the test sets.
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from signoff.testing import stub_wire as wire
from signoff.testing.stub_play import Asked, Call, Play, Step, call, give, in_order, read_play, refuse, say

__all__ = ["Asked", "Call", "Play", "Step", "Stub", "call", "give", "in_order", "read_play", "refuse", "say"]

KEY = "a-key-that-the-stub-takes"
PATHS = (wire.MESSAGES, wire.COUNT, wire.CHAT)


class Stub:
    """The server, in threads of its own. `models` limits which names it knows; None knows every name."""

    def __init__(self, play: Play, *, key: str = KEY, models: tuple[str, ...] | None = None) -> None:
        self.answer = play if callable(play) else in_order(play)
        self.key, self.models = key, models
        self.asked: list[Asked] = []
        self.refused: list[Asked] = []
        self.mistakes: list[Exception] = []
        self._prefixes: set[str] = set()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def environment(self, key: str | None = None) -> dict[str, str]:
        """The variables that lead the clients of all providers here."""
        given = self.key if key is None else key
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": given,
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": given,
            "OLLAMA_BASE_URL": f"{self.url}/v1",
            "OLLAMA_API_KEY": given,
        }

    def __enter__(self) -> Stub:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if self.mistakes and error is None:
            raise self.mistakes[0]

    # --- what the handler asks ---

    def take(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Asked:
        """Notes a request that was let in."""
        with self._lock:
            self.asked.append(asked := Asked(len(self.asked) + 1, path, headers, body))
        return asked

    def objects(self, asked: Asked) -> Step | None:
        """The refusal of a request with a wrong key or an unknown model, else None."""
        name = str(asked.body.get("model"))
        step = None
        if asked.key != self.key:
            step = refuse(401, message="invalid x-api-key")
        elif self.models is not None and name not in self.models:
            step = refuse(404, message=f"model: {name}")
        if step:
            self.refused.append(asked)
        return step

    def played(self, asked: Asked) -> Step:
        """The play's answer. An exception of the play is raised where the stub was opened."""
        try:
            return self.answer(asked)
        except Exception as error:  # whatever a play does, the client gets an answer
            self.mistakes.append(error)
            return refuse(400, message=f"the play failed: {error!r}")

    def used(self, asked: Asked, said: list[wire.Block]) -> wire.Used:
        """Tokens, four characters each; a standing part that came before counts as cached, as with real providers."""
        tokens = _tokens(json.dumps(dict(asked.body), ensure_ascii=False))
        prefix = _prefix(asked)
        with self._lock:
            known = prefix in self._prefixes
            self._prefixes.add(prefix)
        size = min(_tokens(prefix), tokens) if prefix else 0
        written = size if asked.path == wire.MESSAGES and not known else 0
        return wire.Used(tokens, _tokens("".join(block.text for block in said)), size if known else 0, written)


class _Server(ThreadingHTTPServer):
    """A server that ignores clients that go away in the middle of an answer."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _tokens(text: str) -> int:
    return max(1, len(text) // 4)


def _prefix(asked: Asked) -> str:
    """What a provider would cache: for Anthropic what is before the last marker, for OpenAI what comes first."""
    if asked.path == wire.CHAT:
        return asked.system
    system = asked.body.get("system")
    if not isinstance(system, list):
        return ""
    marked = [index for index, block in enumerate(system) if "cache_control" in block]
    if not marked:
        return ""
    return json.dumps([asked.body.get("tools"), system[: marked[-1] + 1]], ensure_ascii=False, sort_keys=True)


class _Handler(BaseHTTPRequestHandler):
    """One connection, one request."""

    owner: Stub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature is the library's
        """Nothing is printed."""

    def do_GET(self) -> None:
        found = self.path.partition("?")[0].startswith(wire.MODELS)
        self._send(200 if found else 404, {"data": [], "object": "list", "has_more": False})

    def do_HEAD(self) -> None:
        self._send(200, {})

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        if path not in PATHS:
            self._send(404, wire.error(path, 404, f"the stub does not speak {path}"))
            return
        if path == wire.COUNT:
            self._send(200, {"input_tokens": _tokens(json.dumps(body))})
            return
        shut_out = self.owner.objects(Asked(0, path, headers, body))
        if shut_out is not None:
            self._send(shut_out.status, wire.error(path, shut_out.status, shut_out.message))
            return
        asked = self.owner.take(path, headers, body)
        self._play(asked, self.owner.played(asked))

    def _play(self, asked: Asked, step: Step) -> None:
        if step.gate is not None:
            step.gate.wait()
        if step.status != 200:
            more = {} if step.retry_after is None else {"retry-after": f"{step.retry_after:g}"}
            self._send(step.status, wire.error(asked.path, step.status, step.message), more)
            return
        said = wire.blocks(step, asked)
        used = self.owner.used(asked, said)
        if asked.stream:
            self._stream(asked, step, said, used)
        elif step.cut is not None:
            self.close_connection = True
        else:
            self._send(200, wire.whole(asked, said, used, step.stop))

    def _stream(self, asked: Asked, step: Step, said: list[wire.Block], used: wire.Used) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")
        self.end_headers()
        left = step.cut
        for lines, piece in wire.streamed(asked, said, used, step.stop):
            if left is not None and left <= 0:
                self.close_connection = True
                return
            self._chunk(lines.encode())
            left = None if left is None else left - len(piece)
        self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _send(self, status: int, value: dict[str, Any], more: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()  # escapes invalid Unicode
        self.send_response(status)
        for name, text in {"content-type": "application/json", "connection": "close", **(more or {})}.items():
            self.send_header(name, text)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
