"""Keeps the headers of a response as they came, for its capture."""

from scrapy import Request
from scrapy.http import Response

from crawler.crawl.request_meta import RECEIVED_HEADERS


class ReceivedHeadersMiddleware:
    """Nearer to the server than decompression, which takes Content-Encoding away."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Note the headers on the request, where some will be taken away."""
        request.meta.pop(RECEIVED_HEADERS, None)  # of a redirect that led here
        if "Content-Encoding" in response.headers:
            request.meta[RECEIVED_HEADERS] = response.headers.copy()
        return response
