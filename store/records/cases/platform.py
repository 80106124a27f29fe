"""To whom notices go, and what they ask for."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class NoticeLaw(StrEnum):
    """The law that gives a notice its shape."""

    CHINA = "china"  # 信息网络传播权保护条例 art. 14, 民法典 art. 1195
    DMCA = "dmca"  # 17 U.S.C. § 512(c)(3)(A): six elements


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """A platform, or what runs plain sites: the form of its notices, and when somebody last looked that it is so."""

    id: str
    name: str
    hosts: tuple[str, ...] = ()  # each with the hosts below it
    law: NoticeLaw = NoticeLaw.CHINA
    required: tuple[str, ...] = ()  # what it wants to have, in its own words
    links: int | None = None  # the most pages of one notice; None: as many as there are
    entry: str | None = None  # where its form is: an address, or the way to it in words
    mail: str | None = None  # address that takes notices
    days: int = 7  # that a notice gives
    delists: bool = False  # a search engine: it takes pages out of its results, and removes no copy
    engine: str | None = None  # of a search engine: what SearXNG calls it
    source: str | None = None  # where this was read
    checked_at: datetime | None = None  # when a person last compared it with what the platform says; None: never
