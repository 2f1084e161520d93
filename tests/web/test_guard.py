"""Who may ask and how much: hosts, origins, sizes, headers, and sentences instead of tracebacks."""

import socket
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from ludens.web.opponents import resolve
from ludens.web.server.middleware import LARGEST_BODY, Guard
from ludens.web.server.sockets import LARGEST_MESSAGE
from web.table_client import lay


def test_every_answer_carries_the_policy(http: httpx.Client) -> None:
    for path in ("/", "/static/css/theme.css", "/api/health", "/api/nothing", "/nothing", "/api/openapi.json"):
        headers = http.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_files_are_checked_anew(http: httpx.Client) -> None:
    first = http.get("/static/css/theme.css")
    assert first.headers["cache-control"] == "no-cache"
    again = http.get("/static/css/theme.css", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert http.get("/static/js/dom.js").headers["content-type"].startswith("text/javascript")


def test_other_names_for_this_server_are_refused(http: httpx.Client) -> None:
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", ""):
        answer = http.get("/api/health", headers={"Host": host})
        assert answer.status_code == 400
        assert "expected" in answer.json()["detail"]
    assert http.get("/api/health", headers={"Host": "localhost:1234"}).status_code == 200


def test_pages_from_elsewhere_are_refused(server: Any, http: httpx.Client) -> None:
    body = {"game": "othello", "seats": [{"kind": "person"}, {"kind": "person"}]}
    before = len(http.get("/api/tables").json()["tables"])
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
    ):
        answer = http.post("/api/tables", json=body, headers=headers)
        assert answer.status_code == 403
        assert "expected" in answer.json()["detail"]
    assert len(http.get("/api/tables").json()["tables"]) == before
    assert http.get("/api/health", headers={"Origin": server.url}).status_code == 200


def test_foreign_and_lost_sockets_are_refused(server: Any, http: httpx.Client) -> None:
    table = lay(http, "othello", None, None)["table"]
    address = f"ws{server.url.removeprefix('http')}/api/tables/{table}/socket"
    with pytest.raises(InvalidStatus) as refused, connect(address, origin="http://evil.example"):
        pass
    assert refused.value.response.status_code == 403
    with pytest.raises(InvalidStatus) as refused, connect(address.replace(table, "no-such-table-00")):
        pass
    assert refused.value.response.status_code == 404
    with connect(address, origin=server.url) as welcome:
        welcome.recv()
        welcome.send("x" * (LARGEST_MESSAGE + 1))
        with pytest.raises(ConnectionClosed):
            welcome.recv()


def test_large_bodies_are_refused_however_they_are_sent(server: Any, http: httpx.Client) -> None:
    large = b'{"game": "' + b"x" * LARGEST_BODY + b'"}'
    whole = http.post("/api/tables", content=large)
    chunked = http.post("/api/tables", content=iter([large[:1000], large[1000:]]))
    for answer in (whole, chunked):
        assert answer.status_code == 413
        assert "expected" in answer.json()["detail"]
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=30) as line:  # only claims to be large
        head = f"POST /api/tables HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 99999999\r\n\r\n"
        line.sendall(head.encode())
        assert b" 413 " in line.recv(100)


def test_wrong_bodies_are_answered_with_one_sentence(http: httpx.Client) -> None:
    for content in (
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"game": 1}',
        b'{"seats": "x", "game": "othello"}',
        b"NaN",
    ):
        answer = http.post("/api/tables", content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422, (content, answer.text)
        detail = answer.json()["detail"]
        assert "\n" not in detail
        assert "expected" in detail or "should" in detail, detail
    for method, path, status in (
        ("GET", "/api/nothing", 404),
        ("GET", "/nothing", 404),
        ("PATCH", "/api/tables", 405),
        ("GET", "/static/../app.py", 404),
        ("GET", "/static/%2e%2e/app.py", 404),
        ("GET", "/static/..%2fapp.py", 404),
        ("GET", "/api/tables/%00", 404),
        ("GET", "/api/tables/..%2f..%2fetc", 404),
        ("GET", "/docs", 404),
        ("POST", "/api/games/chess/check", 422),
    ):
        answer = http.request(method, path)
        assert answer.status_code == status, (path, answer.text)
        assert isinstance(answer.json()["detail"], str)


@pytest.mark.parametrize(
    "spec",
    [
        *("run:../etc", "run:/etc/passwd", "run:.hidden", "run:a/b", "run:", "run:a@x", "run:a\\b", "run:a%2fb"),
        *("alphabeta:4:run:../x", "run:..", "gtp:rm -rf", "gtp@1:sh", "nboard:sh", "Random", "mcts:400\n", "run:a:b"),
        *("random ", "x" * 101, "optimal:../../x", "run:né"),
    ],
)
def test_specs_that_are_tricks_are_refused(http: httpx.Client, spec: str) -> None:
    answer = http.post("/api/games/othello/check", json={"spec": spec})
    assert answer.status_code == 422
    assert "\n" not in answer.json()["detail"]
    assert "etc" not in answer.json()["detail"] or spec in answer.json()["detail"]


def test_run_names_stay_among_the_runs(tmp_path: Any) -> None:
    assert resolve("run:mine@2", tmp_path) == (f"run:{tmp_path}/mine@2", 0)
    assert resolve("alphabeta:4:run:mine", tmp_path) == (f"alphabeta:4:run:{tmp_path}/mine", 0)


def test_refusals_are_single_lines_in_the_log(server: Any, http: httpx.Client) -> None:
    before = len(server.log)
    http.get("/api/no%0Athing%1b")
    http.post("/api/tables", content=b"{")
    lines = server.log[before:].splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("404 GET /api/no\\nthing\\x1b")
    assert lines[1].startswith("422 POST /api/tables")
    assert "Traceback" not in server.log


def test_any_name_does_where_the_server_is_open_to_all() -> None:
    guard = Guard(lambda *_: None, ["*"])  # type: ignore[arg-type, return-value] # never called
    assert guard._wrong_host(httpx.Headers({"host": "anything"})) is None  # type: ignore[arg-type] # like enough
