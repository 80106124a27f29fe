"""The words by which it is counted why addresses gave no capture; known also where Scrapy is not."""

from enum import StrEnum


class Reason(StrEnum):
    """The words that refusals and failures are counted by; a failed status counts as http_404 and so on."""

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
