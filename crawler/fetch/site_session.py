"""The session of a site while it is crawled: begun with what a person brought along, and what the site makes of it."""

from collections.abc import Sequence
from http.cookiejar import Cookie as JarCookie

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware

from crawler.crawl.context import context_of
from crawler.crawl.count_and_report import Ledger
from crawler.fetch.cookie_text import of_jar
from store.records import Cookie


class SessionMiddleware(CookiesMiddleware):
    """Scrapy's, begun with the cookies of the job; at the end the sink gets those that the site has set last."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SessionMiddleware":
        """Scrapy's constructor."""
        middleware: SessionMiddleware = super().from_crawler(crawler)
        context = context_of(crawler)
        middleware._begin(context.job.cookies, context.ledger)
        if context.job.cookies:
            crawler.signals.connect(middleware.hand_over, signals.spider_closed)
        return middleware

    def _begin(self, cookies: Sequence[Cookie], ledger: Ledger) -> None:
        self._given = frozenset(cookies)
        self._ledger = ledger
        for cookie in cookies:
            self.jars[None].set_cookie(_for_jar(cookie))

    def present(self) -> Sequence[Cookie]:
        """The cookies as they stand now, without those that have expired."""
        jar = self.jars[None]
        jar.jar.clear_expired_cookies()
        return tuple(map(of_jar, jar))

    def hand_over(self) -> None:
        """Give the session to the sink, if the site changed it."""
        cookies = self.present()
        if set(cookies) != self._given:
            self._ledger.session(cookies)


def _for_jar(cookie: Cookie) -> JarCookie:
    return JarCookie(
        version=0,
        name=cookie.name,
        value=cookie.value,
        port=None,
        port_specified=False,
        domain=cookie.domain,
        domain_specified=cookie.domain.startswith("."),
        domain_initial_dot=cookie.domain.startswith("."),
        path=cookie.path,
        path_specified=True,
        secure=cookie.secure,
        expires=int(cookie.expires.timestamp()) if cookie.expires else None,
        discard=cookie.expires is None,
        comment=None,
        comment_url=None,
        rest={},
    )
