"""Handle headers: conditional requests, session cookies, and headers as received."""

from collections.abc import Sequence
from http.cookiejar import Cookie as JarCookie

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from crawler.addresses import canonical_url
from crawler.capture import CONDITIONAL_HEADERS, NOT_MODIFIED
from crawler.context import META_FEED_ITEM, META_HOPS, META_PAGE_CHANGE, META_RECEIVED_HEADERS, STORED_FLAG, context_of
from crawler.crawl_stats import Ledger
from crawler.job import RenderMode
from crawler.site_access import Cookie, cookie_from_jar


class ConditionalMiddleware:
    """Sends the validators of the last capture with the request for a page. It stands nearer to the server than
    redirects, so that each address on the way gets its own.
    """

    def __init__(self, ledger: Ledger, render: RenderMode) -> None:
        self._ledger = ledger
        self._renders = render is RenderMode.ALWAYS  # an unchanged shell tells nothing about its rendered page

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ConditionalMiddleware":
        """Scrapy's constructor."""
        context = context_of(crawler)
        if not context.ledger.remembers or context.job.spider:  # the spider reads each answer anew
            raise NotConfigured
        return cls(context.ledger, context.job.render)

    async def process_request(self, request: Request) -> Response | None:
        """Set the validators of this address, or answer from the store. Validators of a redirecting address are
        removed.
        """
        for name in CONDITIONAL_HEADERS:
            request.headers.pop(name, None)
        if META_HOPS not in request.meta:  # robots.txt
            return None
        url = canonical_url(request.url)
        remembered = await self._ledger.recall_page(url)
        if remembered.body is not None:
            request.meta.update({"handle_httpstatus_list": [NOT_MODIFIED], META_PAGE_CHANGE: remembered.change})
            return Response(
                request.url, status=NOT_MODIFIED, body=remembered.body, flags=[STORED_FLAG], request=request
            )
        known = None if self._renders or META_FEED_ITEM in request.meta else remembered.validators
        if known is not None:
            for name, value in zip(CONDITIONAL_HEADERS, (known.etag, known.last_modified), strict=True):
                if value:
                    request.headers[name] = value.encode("latin-1", "ignore")
            request.meta["handle_httpstatus_list"] = [NOT_MODIFIED]
        return None


# The session of a site during a crawl. A person began it, and the site may change it.


class SessionMiddleware(CookiesMiddleware):
    """Scrapy's cookies, begun with those of the job. At the end the sink gets the latest cookies of the site."""

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
            self.jars[None].set_cookie(_make_jar_cookie(cookie))

    def present(self) -> Sequence[Cookie]:
        """Return the current cookies without expired ones."""
        jar = self.jars[None]
        jar.jar.clear_expired_cookies()
        return tuple(map(cookie_from_jar, jar))

    def hand_over(self) -> None:
        """Report the session to the sink if the site changed it."""
        cookies = self.present()
        if set(cookies) != self._given:
            self._ledger.session(cookies)


def _make_jar_cookie(cookie: Cookie) -> JarCookie:
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


class ReceivedHeadersMiddleware:
    """Stands nearer to the server than decompression, which removes Content-Encoding."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Store the received headers on the request if decompression will change them."""
        request.meta.pop(META_RECEIVED_HEADERS, None)  # of a redirect that led here
        if "Content-Encoding" in response.headers:
            request.meta[META_RECEIVED_HEADERS] = response.headers.copy()
        return response
