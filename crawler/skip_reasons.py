"""Name the reasons for which addresses give no capture."""

from enum import StrEnum


class SkipReason(StrEnum):
    """The words that refused and failed addresses are counted by. A failed status counts as http_404 and so on.

    This module needs no Scrapy, so that other packages can name the reasons.
    """

    ROBOTS = "robots"
    NO_ROBOTS = "no_robots"
    PRIVATE_ADDRESS = "private_address"
    NOT_WANTED = "not_wanted"
    OTHER_HOST = "other_host"
    TOO_LARGE = "too_large"
    REDIRECTS = "redirects"
    NOT_HTML = "not_html"
    SOFT_BLOCK = "soft_block"
    REMOVED = "removed"
    EMPTY_LIST = "empty_list"
    ASKED_TO_WAIT = "asked_to_wait"
    CUT_OFF = "cut_off"
    TRAP = "trap"
    PROXY = "proxy"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    NAME = "name_not_found"
    BROKEN = "broken_response"
    NOT_STORED = "not_stored"
    # Of spiders of the user's own.
    ITEM_WITHOUT_URL = "item_without_url"
    ITEM_WITHOUT_TEXT = "item_without_text"
    SPIDER_OUTPUT = "spider_output"  # neither an item nor a request that can wait
    SPIDER_FAILED = "spider_failed"
    TOO_DEEP = "too_deep"


PAGE_LIMIT_REASON = "page_limit"  # of addresses that are left out because the page limit is reached
DROPPED_REASON = "dropped"  # of addresses that a person dropped while they waited
INTENDED_REASONS = frozenset({PAGE_LIMIT_REASON, DROPPED_REASON})  # a person wants these left out: the site is in order
