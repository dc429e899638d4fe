"""``turnkey cache serve``: what the server answers, to whom, and that it follows the cache."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from urllib.parse import quote

import pytest

from turnkeyml.errors import TurnkeyError
from turnkeyml.report import ReportServer, is_own_host

from .test_compare import folder_of, measure, stream


@pytest.fixture
def cache(tmp_path):
    folder = tmp_path / "cache"
    measure(folder)
    return folder


@pytest.fixture
def served(cache):
    """Asks a server of the cache; the status, the headers and the body."""
    with ReportServer([cache]) as server:
        thread = threading.Thread(target=server.run)
        thread.start()
        port = int(server.address.rstrip("/").rpartition(":")[2])

        def ask(path, method="GET", **headers):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            return answer.status, dict(answer.getheaders()), body

        yield ask
        server.stop()
        thread.join()


def test_the_page_its_data_and_the_details_of_a_build(served, cache):
    status, headers, body = served("/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"connect-src 'self'" in body
    assert headers["X-Content-Type-Options"] == "nosniff"
    status, headers, body = served("/data")
    assert json.loads(body)["count"] == 1
    status, _, body = served(f"/build?cache={quote(str(cache))}&name=net_aaaaaaaa")
    assert json.loads(body)["evaluations"][0]["samples"]["count"] == 1000
    assert served("/", "HEAD")[2] == b""


def test_the_data_change_with_the_cache_and_not_without(served, cache):
    _, headers, _ = served("/data")
    tag = headers["ETag"]
    assert served("/data", **{"If-None-Match": tag})[0] == 304
    measure(cache, stream(2.0), digest="bbbbbbbb")
    status, headers, body = served("/data", **{"If-None-Match": tag})
    assert (status, json.loads(body)["count"]) == (200, 2)
    assert headers["ETag"] != tag
    folder_of(cache, "net", "bbbbbbbb").delete()
    assert json.loads(served("/data")[2])["count"] == 1


def test_it_only_reads(served):
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        status, _, body = served("/", method)
        assert (status, body) == (405, b"This server only reads.\n")


@pytest.mark.parametrize(
    "path",
    [
        *("/../../etc/passwd", "/etc/passwd", "//etc/passwd", "/net_aaaaaaaa/turnkey_stats.yaml"),
        *("/%2e%2e/%2e%2e/etc/passwd", "/build", "/build?cache=/&name=etc"),
        *("/build?name=../cache/net_aaaaaaaa", "/data/../build?name=net_aaaaaaaa", "/\\..\\x"),
    ],
)
def test_no_path_leaves_the_cache(served, path):
    served("/data")
    status, _, body = served(path)
    assert status == 404
    assert b"root" not in body


def test_foreign_names_are_refused(served):
    for name in ("evil.example", "127.0.0.1.evil.example", "10.0.0.1", "", "[::ffff"):
        assert served("/data", Host=name)[0] in (400, 403), name
    for name in ("localhost", "LOCALHOST:9000", "127.0.0.1:1", "[::1]:80"):
        assert served("/data", Host=name)[0] == 200, name


@pytest.mark.parametrize(
    ("header", "bound", "own"),
    [
        ("10.1.2.3:8717", "0.0.0.0", True),
        ("evil.example", "0.0.0.0", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("10.9.9.9", "10.1.2.3", False),
        ("[fe80::1]:80", "::", True),
    ],
)
def test_a_server_for_others_answers_to_addresses_but_not_to_foreign_names(header, bound, own):
    assert is_own_host(header, bound) is own


def test_a_port_that_is_taken_is_one_sentence(cache):
    with ReportServer([cache]) as server:
        port = int(server.address.rstrip("/").rpartition(":")[2])
        with pytest.raises(TurnkeyError, match=rf"Cannot listen at 127.0.0.1, port {port} \(.*--p"):
            ReportServer([cache], port=port)


def test_the_command_prints_its_address_and_ends_quietly(cache):
    process = subprocess.Popen(
        [sys.executable, "-m", "turnkeyml", "cache", "serve", "-d", str(cache), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    line = process.stdout.readline()
    assert line.startswith("Report at http://127.0.0.1:")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out.strip(), err) == (0, "", "")
