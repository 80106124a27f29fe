"""Redirects that servers answer with, and what all redirects share."""

from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import BaseRedirectMiddleware, RedirectMiddleware


class FollowedRedirects(BaseRedirectMiddleware):
    """Redirects that are followed even to an address seen before: a page that sets a cookie and sends back to itself.

    The limit on redirects ends circles.
    """

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        following = super()._redirect(redirected, request, reason)
        following.dont_filter = True
        return following


class FollowingRedirectMiddleware(FollowedRedirects, RedirectMiddleware):
    """Goes where a server sends."""
