"""A small server of the page of a report, for this machine: it reads caches and changes nothing.

Only builds that have changed are read again.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import io
import ipaddress
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from turnkeyml.cache import BuildFolder, build_folders, journal_folder, thread_lock
from turnkeyml.errors import TurnkeyError
from turnkeyml.escaping import PAGE_KEEPS, spelled
from turnkeyml.report.builds import read_build
from turnkeyml.report.cache_report import read_inputs, rows_of
from turnkeyml.report.columns import ordered_columns
from turnkeyml.report.contract import Cell, Report
from turnkeyml.report.details import brief_of, detail_of
from turnkeyml.report.html.page import BuildFacts, live_page, page_data, page_json

HEADERS = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Of every answer: no other site may embed it, nor guess what it is."""
SECONDS = 30
"""After which a client that sends or reads nothing is left."""
Mark = tuple[int, ...]
"""What changes when a file is replaced: its inode, time and size."""


class ReportServer:
    """Serves the report of caches until it is interrupted. A context manager."""

    def __init__(
        self, caches: Sequence[Path], bind: str = "127.0.0.1", port: int = 0, every: bool = False
    ) -> None:
        self._report = LiveReport(caches, every)
        try:
            self._server = _Server((bind, port), self._report)
        except OSError as error:
            raise TurnkeyError(
                f"Cannot listen at {bind}, port {port} ({error.strerror or error}); "
                "choose another with --port or --bind."
            ) from None

    @property
    def address(self) -> str:
        """The address for a browser."""
        host, port = self._server.server_address[:2]
        name = f"[{host!s}]" if ":" in str(host) else str(host)
        shown = "127.0.0.1" if name == "0.0.0.0" else "[::1]" if name == "[::]" else name
        return f"http://{shown}:{port}/"

    def run(self) -> None:
        """Answer requests until ``stop`` or an interrupt."""
        self._server.serve_forever(poll_interval=0.2)

    def stop(self) -> None:
        """End ``run`` in another thread."""
        self._server.shutdown()

    def __enter__(self) -> ReportServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], report: LiveReport) -> None:
        self.report = report
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Forget a client that went away in the middle of an answer; other errors are shown."""
        import sys

        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Three answers: the page, its data, and the details of one build."""

    server: _Server
    server_version = "turnkey"
    sys_version = ""
    timeout = SECONDS

    def do_GET(self) -> None:
        if not is_own_host(self.headers.get("Host", ""), str(self.server.server_address[0])):
            self._fail(HTTPStatus.FORBIDDEN, "This server only answers to its own address.")
            return
        wanted = _split(self.path)
        if wanted.path == "/":
            self._send(_page(), "text/html; charset=utf-8")
        elif wanted.path == "/data":
            self._send_data()
        elif wanted.path == "/build":
            self._send_detail(parse_qs(wanted.query))
        else:
            self._fail(HTTPStatus.NOT_FOUND, "There is nothing here.")

    do_HEAD = do_GET

    def do_POST(self) -> None:
        self.close_connection = True  # what it wants to send is not read
        self._fail(HTTPStatus.METHOD_NOT_ALLOWED, "This server only reads.")

    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST

    def _send_data(self) -> None:
        version, data = self.server.report.current()
        tag = f'"{version}"'
        if self.headers.get("If-None-Match") == tag:
            self._begin(HTTPStatus.NOT_MODIFIED, {"ETag": tag})
            return
        self._send(_json(data), "application/json", {"ETag": tag})

    def _send_detail(self, words: dict[str, list[str]]) -> None:
        cache, name = (words.get(key, [""])[0] for key in ("cache", "name"))
        found = self.server.report.detail(cache, name)
        if found is None:
            self._fail(HTTPStatus.NOT_FOUND, "The report has no such build.")
        else:
            self._send(_json(found), "application/json")

    def _send(self, content: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        packed = "gzip" in self.headers.get("Accept-Encoding", "")
        body = gzip.compress(content, 4) if packed else content
        known = {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}
        self._begin(HTTPStatus.OK, known | ({"Content-Encoding": "gzip"} if packed else {}))
        if self.command != "HEAD":
            self.wfile.write(body)

    def _fail(self, status: HTTPStatus, sentence: str) -> None:
        body = f"{sentence}\n".encode()
        kind = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}
        self._begin(status, kind)
        if self.command != "HEAD":
            self.wfile.write(body)

    def _begin(self, status: HTTPStatus, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the terminal shows the address alone."""


def is_own_host(header: str, bound: str) -> bool:
    """Whether a Host header names this machine.

    A foreign site can point its own name at this machine, and then read what it serves. It cannot
    make a browser send an address in numbers, or the name of this machine, instead.
    """
    name = _split(f"//{header}").hostname or ""
    if name in ("localhost", bound):
        return True
    own = ipaddress.ip_address(bound) if _is_number(bound) else None
    if own is not None and own.is_loopback:
        return _is_number(name) and ipaddress.ip_address(name).is_loopback
    return name in _own_names() or (_is_number(name) and own is not None and own.is_unspecified)


def _split(address: str) -> SplitResult:
    """The parts of an address; of one that makes no sense, none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@functools.cache
def _own_names() -> tuple[str, ...]:
    return socket.gethostname().lower(), socket.getfqdn().lower()


def _json(data: Any) -> bytes:
    return page_json(data).encode("utf-8", "backslashreplace")


def _page() -> bytes:
    file = io.StringIO()
    live_page(file)
    return file.getvalue().encode("utf-8")


@dataclass(frozen=True)
class _Known:
    """A build as it was when it was last read."""

    marks: tuple[Mark, ...]
    folder: BuildFolder
    rows: list[dict[str, Cell]]
    brief: dict[str, Any]


class LiveReport:
    """The present report of caches. Several threads may ask for it."""

    def __init__(self, caches: Sequence[Path], every: bool = False) -> None:
        self._caches = list(caches)
        self._every = every
        self._known: dict[tuple[str, str], _Known] = {}
        self._version = ""
        self._data: dict[str, Any] = {}
        self._lock = thread_lock()

    def current(self) -> tuple[str, dict[str, Any]]:
        """A version, which changes when the report does, and the data of the page."""
        with self._lock:
            inputs = [_mark(journal_folder(cache)) for cache in self._caches]
            self._known = dict(self._builds())
            marks = [(key, known.marks) for key, known in self._known.items()]
            version = hashlib.sha256(repr((marks, inputs)).encode()).hexdigest()[:32]
            if version != self._version:
                self._version, self._data = version, self._page()
            return self._version, self._data

    def detail(self, cache: str, name: str) -> dict[str, Any] | None:
        """The details of a build of the report; None if it has no such build.

        The words of a request only choose among the builds that were found: they are no paths.
        """
        with self._lock:
            known = self._known.get((cache, name))
        return None if known is None else detail_of(read_build(known.folder, with_history=True))

    def _builds(self) -> Iterator[tuple[tuple[str, str], _Known]]:
        for cache in self._caches:
            for folder in build_folders(cache):
                key = (spelled(str(cache), PAGE_KEEPS), folder.name)  # as the page has it
                marks = (_mark(folder.stats), _mark(folder.history))
                known = self._known.get(key)
                same = known is not None and known.marks == marks
                yield key, known if known is not None and same else self._read(folder, marks)

    def _read(self, folder: BuildFolder, marks: tuple[Mark, ...]) -> _Known:
        build = read_build(folder, with_history=self._every)
        return _Known(marks, folder, list(rows_of(build, self._every)), brief_of(build))

    def _page(self) -> dict[str, Any]:
        builds = BuildFacts()
        for known in self._known.values():
            builds.add(known.brief)
        records = [row for known in self._known.values() for row in known.rows]
        columns = {name for record in records for name in record}
        inputs = [found for cache in self._caches for found in read_inputs(cache)]
        report = Report(
            columns=ordered_columns(columns),
            records=records,
            heading=tuple(("Cache", str(cache)) for cache in self._caches),
            facts={"inputs": inputs, "every": self._every},
        )
        return page_data(report, builds)


def _mark(path: Path) -> Mark:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size
