"""The little web over HTTP."""

import http.client
from collections.abc import Iterator

import pytest

from wenhen.demo.website import HOSTS, DemoServer, build_pages


@pytest.fixture(scope="module")
def server() -> Iterator[DemoServer]:
    with DemoServer() as running:
        yield running


def ask(server: DemoServer, host: str, path: str, method: str = "GET") -> tuple[int, str | None, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        connection.request(method, path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read()
    finally:
        connection.close()


def test_every_page_is_answered_at_its_host_as_it_was_built(server: DemoServer) -> None:
    for page in build_pages():
        assert ask(server, page.host, page.path) == (200, page.content_type, page.body)


def test_the_port_in_the_host_header_and_the_query_do_not_matter(server: DemoServer) -> None:
    plain = ask(server, HOSTS[0], "/")
    assert ask(server, f"{HOSTS[0].upper()}:{server.port}", "/?from=share") == plain


@pytest.mark.parametrize(
    ("host", "path"), [("other.test", "/"), ("127.0.0.1", "/"), (HOSTS[0], "/nowhere"), (HOSTS[0], "/post/running/")]
)
def test_what_the_host_does_not_have_is_not_found(server: DemoServer, host: str, path: str) -> None:
    assert ask(server, host, path)[0] == 404


def test_head_says_the_same_without_a_body(server: DemoServer) -> None:
    status, kind, body = ask(server, HOSTS[1], "/", "HEAD")
    assert (status, kind, body) == (200, "text/html", b"")


def test_each_host_forbids_a_path_in_robots_txt(server: DemoServer) -> None:
    for host in HOSTS:
        assert b"Disallow: /" in ask(server, host, "/robots.txt")[2]


def test_the_server_remembers_what_was_asked_for() -> None:
    with DemoServer() as server:
        ask(server, HOSTS[2], "/tw/")
        ask(server, HOSTS[2], "/", "HEAD")
        assert server.visited == [(HOSTS[2], "/tw/")]


def test_the_names_map_to_the_server_and_the_port_is_closed_in_the_end() -> None:
    with DemoServer() as server:
        assert server.addresses() == dict.fromkeys(HOSTS, f"127.0.0.1:{server.port}")
    with pytest.raises(ConnectionRefusedError):
        ask(server, HOSTS[0], "/")
