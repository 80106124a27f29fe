"""Settings of crawls (`crawler.*`) and of the search for copies elsewhere (`discover.*`)."""

import os.path
from pathlib import Path
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, SecretStr

from wenhen.settings import ExpandedPath, Section

RegionName = Annotated[str, Field(pattern=r"^[^\s,=:/*-][^\s,=:/*]{0,39}$")]
BUILT_IN_ENGINES: Final = ("searxng", "brave", "baidu", "bocha")  # search engines that need no plug-in


class CrawlerSettings(Section):
    """How websites are fetched."""

    user_agent: str = Field("wenhen/0.1 (copyright monitoring)", description="What the crawler calls itself.")
    contact: str = Field(
        "", description="How the sites' owners can reach you: an address of a page, or mail; stands in the user agent."
    )
    delay: float = Field(1.0, description="Seconds between two requests to one host.", ge=0)
    internal_delay: float = Field(0.0, description="The same for sites marked internal.", ge=0)
    concurrency: int = Field(4, description="Requests to one host at a time.", ge=1, le=64)
    crawlers: int = Field(
        1, description="Crawlers that share one site, on as many crawl workers as there are.", ge=1, le=64
    )
    sites: int | None = Field(
        None,
        description="Sites that `wenhen up` crawls at the same time; without it as many as the machine has room "
        "for, at most four for each processor.",
        ge=1,
        le=256,
    )
    timeout: float = Field(30, description="Seconds that a response may take.", gt=0)
    max_body_mb: int = Field(32, description="Largest body that is fetched, in MB.", ge=1, le=512)
    retries: int = Field(2, description="Further tries of an address, where the failure may pass.", ge=0, le=10)
    backoff: float = Field(2.0, description="Seconds before the second try; doubled with each.", ge=0)
    obey_robots: bool = Field(True, description="Obey robots.txt.")
    proxies: list[str] = Field(
        default_factory=list,
        description="Proxies that all sites without their own are fetched through: ['http://user:word@host:port'].",
        repr=False,
    )
    regions: dict[RegionName, str] = Field(
        default_factory=dict,
        description="Proxies by region, through which pages are captured side by side: "
        "{'jp': 'http://user:word@host:port'}.",
        repr=False,
    )
    browser: ExpandedPath | None = Field(
        None, description="Program of the browser that renders pages; without one, a Chromium on PATH."
    )
    browser_seconds: float = Field(20, description="Seconds that a page may take in the browser.", gt=0, le=300)
    render_empty: bool = Field(
        False, description="Render pages of any site that hold next to no text, but scripts; needs a browser."
    )
    render_learn: bool = Field(
        True,
        description="Where there is a browser, render a few pages of a site that hold next to no text, but scripts; "
        "and all such pages of it once one showed a text.",
    )
    pictures: int = Field(
        300,
        description="Pictures that one crawl of a site fetches to read the text in them, of pages with little text of "
        "their own; needs wenhen[pictures]; 0 fetches none.",
        ge=0,
    )
    reference_font: Annotated[Path, BeforeValidator(os.path.expanduser)] | None = Field(
        None,
        description="Font by whose outlines fonts of sites are read that show other characters than are written; "
        "without one, a Noto Sans CJK or Source Han Sans where the machine has it.",
    )
    spiders: ExpandedPath | None = Field(
        None, description="Folder with spiders of your own in Python; without one, `spiders` in the data folder."
    )
    warc: ExpandedPath | None = Field(
        None,
        description="Folder for WARC files with every response as it came; without one, `warc` in the data folder; "
        "`off` writes none.",
    )
    warc_store: str | None = Field(
        None,
        description="URL (s3://bucket/warc) to which closed WARC files move; without one they stay.",
        pattern=r"^[a-z0-9]+://.",
    )
    host_map: dict[str, str] = Field(
        default_factory=dict,
        description="Host names that stand for other addresses: {'a.test': '127.0.0.1:8080'}. A site of such hosts "
        "alone counts as internal.",
    )


class DiscoverSettings(Section):
    """The search for copies outside the watched sites."""

    engine: str = Field(
        "searxng",
        description="What search engine is asked: a SearXNG (searxng), Brave (brave), Baidu by Qianfan (baidu) or "
        "Bocha (bocha) by their APIs, or the name of a plug-in.",
        pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$",
    )
    url: str | None = Field(
        None,
        description="Its address: of a SearXNG whose settings allow the format json; for the others only where the API "
        "is reached at another address than its own.",
    )
    key: SecretStr | None = Field(None, description="Key of the API of Brave, Baidu or Bocha.")
    sentences: int = Field(5, description="Sentences of a work that are asked for.", ge=1, le=100)
    results: int = Field(10, description="Addresses that are taken of an answer, at most.", ge=1, le=1000)
    delay: float = Field(1.0, description="Seconds between two questions.", ge=0)
    timeout: float = Field(15.0, description="Seconds that an answer may take.", gt=0)
    questions_a_day: int = Field(
        0, description="Questions that an engine is asked in a day (of China), at most; 0: as many as there are.", ge=0
    )
    cache_hours: float = Field(
        24, description="Hours for which an answer is used again in searches for copies; 0: never.", ge=0
    )
    relook_days: int = Field(
        3,
        description="Days until a search engine is asked again whether it lists what a notice to it names; 0: never.",
        ge=0,
    )
    relook_found: int = Field(
        50,
        description="Addresses found by search, of copies under no notice to a search engine, that are looked up again "
        "in a day, at most; 0: none.",
        ge=0,
    )

    @property
    def can_ask(self) -> bool:
        """Return whether the engine is configured."""
        if self.engine not in BUILT_IN_ENGINES:
            return True  # the plug-in reads what it needs itself
        return self.url is not None if self.engine == "searxng" else self.key is not None

    def answers_for(self, engine: str | None) -> bool:
        """Return whether another engine's listings can be checked: a SearXNG can query any, the others themselves."""
        return self.can_ask and self.engine in ("searxng", engine)
