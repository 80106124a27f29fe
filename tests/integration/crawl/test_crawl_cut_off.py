"""Hosts that hang, among others that answer, on real servers on loopback."""

from threading import Event

from tests.support.crawls.crawling import missed, run
from tests.support.crawls.serving import Handler, serving

GOOD, HANGS, DRIPS = (f"http://{name}.wenhen-test.test" for name in ("good", "hangs", "drips"))
OVER = Event()


class Hosts(Handler):
    def page(self) -> None:
        host = self.headers["Host"].partition(".")[0]
        if self.path == "/robots.txt":
            self.reply("")
        elif host == "good":
            links = "".join(f"<a href={HANGS}/{n}>{n}</a><a href={DRIPS}/{n}>{n}</a>" for n in range(20))
            self.reply(f"<p>第 {self.path} 页</p>{links if self.path == '/' else ''}")
        elif host == "hangs":
            OVER.wait(30)
            self.close_connection = True
        else:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            while not OVER.wait(0.1):
                self.wfile.write(b"x")


def test_hosts_that_hang_or_drip_are_cut_off_and_told_once_each_while_others_are_fetched() -> None:
    with serving(Hosts) as address:
        hosts = {url.partition("//")[2]: address for url in (GOOD, HANGS, DRIPS)}
        try:
            result = run(
                *(f"{GOOD}/{path}" for path in ("", *range(10))),
                host_map=hosts, hosts=list(hosts), timeout=2, retries=0, concurrency=4,
            )  # fmt: skip
        finally:
            OVER.set()
    assert set(result["pages"]) == {f"{GOOD}/{path}" for path in ("", *range(10))}
    counts = missed(result)
    assert counts["failed_timeout"] + counts["failed_cut_off"] == 40
    assert counts["failed_cut_off"] > 0, "a busy host asks for more before a host is cut off, and never for all"
    told = sorted(reason for reason in result["reasons"].values() if "in a row" in reason)
    assert [reason.partition(" ")[0] for reason in told] == [url.partition("//")[2] for url in (DRIPS, HANGS)]
