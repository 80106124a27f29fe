"""Define the settings that pipeline steps and use cases read. Their sources: `wenhen.runtime.settings_sources`."""

import os.path
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from matcher.model import MAX_SHORTEST_PASSAGE, MIN_SHORTEST_PASSAGE
from wenhen.kit.rights import Role

ExpandedPath = Annotated[str, AfterValidator(os.path.expanduser)]  # of a file or folder; ~ is the home of the user
TrustedNetwork = Annotated[str, AfterValidator(lambda value: str(ip_network(value, strict=False)))]
RegionName = Annotated[str, Field(pattern=r"^[^\s,=:/*-][^\s,=:/*]{0,39}$")]
GroupRole = Annotated[str, Field(pattern=rf"^.+=({'|'.join(Role)})$")]


class Section(BaseModel):
    """A group of settings. Unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PageIndexSettings(Section):
    """How long pages stay in the index."""

    page_days: int = Field(
        0, description="Days after which a page that was not seen again leaves the index over pages; 0 keeps all.", ge=0
    )


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


DEFAULT_SHORTEST_PASSAGE: Final = 40  # letters


class MatcherSettings(Section):
    """When a match becomes a case."""

    open_score: float = Field(0.2, description="Probability below which a match opens no case.", ge=0, le=1)
    certain_score: float = Field(
        0.9,
        description="Probability from which a case is certain; between the two a person has to look closely.",
        ge=0,
        le=1,
    )
    shortest_passage: int = Field(
        DEFAULT_SHORTEST_PASSAGE,
        description="Letters of the shortest passage that opens a case; a shorter one is a quotation. A work may have "
        "its own. Below 40, passages count by same characters, and are no longer asked for their probability.",
        ge=MIN_SHORTEST_PASSAGE,
        le=MAX_SHORTEST_PASSAGE,
    )
    candidates: int = Field(64, description="Works that a page is compared with in full, at most.", ge=1, le=1000)
    size_within: float = Field(
        0,
        description="A page is compared with works at most so many times longer or shorter; 0 with all. Passages of a "
        "work that stand in a page of another size are not found then.",
        ge=0,
    )
    same_kind: bool = Field(
        False,
        description="A page of a site whose kind is known (sites add --kind) is compared with works of that kind, and "
        "with those that have none.",
    )
    suspicions: bool = Field(
        False,
        description="Look at each page a second time, for works that it may be told after in other words; what is "
        "found is a suspicion for a person. It takes half as long to one and a half times as long as the first look, "
        "and three quarters of its index's memory.",
    )


class ClusterSettings(Section):
    """Which works and pages are near duplicates, shown as one."""

    likeness: float = Field(
        0.6,
        description="Near duplicates share so much: the lesser of the shares that they have in common.",
        gt=0,
        le=1,
    )
    window_days: float = Field(
        0, description="Days within which both texts must be dated (news); 0 joins them however far apart.", ge=0
    )


BUILT_IN_ENGINES: Final = ("searxng", "brave", "baidu", "bocha")  # search engines that need no plug-in


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


class WorkerSettings(Section):
    """The Celery workers."""

    concurrency: int = Field(2, description="Processes of each worker, at most.", ge=1, le=64)
    least: int = Field(1, description="Processes that each worker begins with and keeps.", ge=1, le=64)
    patience_seconds: float = Field(
        2.0, description="What waits longer than this gets another process, as long as a worker may have more.", ge=0.1
    )
    idle_seconds: float = Field(
        120.0,
        description="Where nothing has waited too long for this time, a worker lets one of its processes go.",
        ge=1,
    )
    lease_seconds: int = Field(
        30, description="Time after which a record whose worker died is taken up again.", ge=5, le=600
    )
    sweep_seconds: int = Field(10, description="How often unfinished records are queued again.", ge=1, le=600)
    max_tries: int = Field(5, description="Tries of one step before its record is set aside.", ge=1, le=100)
    niceness: int = Field(
        10,
        description="How far the workers of `wenhen up` leave the processor to the dashboard and the servers, 0 to 19.",
        ge=0,
        le=19,
    )
    pictures_per_day: int = Field(
        2_000,
        description="Pictures and scanned pages of one host that are read in a day, at two or three seconds each.",
        ge=0,
    )


class KeepSettings(Section):
    """Retention of captures."""

    days: int = Field(
        0,
        description="Days after which a capture that a later one superseded and no case cites is dropped, "
        "and a WARC file into which no capture points; 0 keeps all.",
        ge=0,
    )


class BackupSettings(Section):
    """The key, the target and the schedule of backups."""

    key: SecretStr | None = Field(
        None, description="Key that backups are sealed under, and opened with; without one they are not encrypted."
    )
    target: str | None = Field(
        None, description="Folder, or s3://bucket/folder, in which the screen makes backups.", pattern=r"^(/|s3://)."
    )
    late_days: int = Field(
        8, description="Days after which the next backup is late, 0: never; a first one is never late.", ge=0
    )


class ScheduleSettings(Section):
    """Scheduled tasks."""

    daily_at: str = Field(
        "02:30",
        description="Time of day of the upkeep and the re-match, Asia/Shanghai.",
        pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
    )
    crawls: bool = Field(True, description="Crawl the sites that are due.")
    quiet: str | None = Field(
        None,
        description="Quiet hours, in which nothing is fetched: HH:MM-HH:MM, Asia/Shanghai.",
        pattern=r"^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$",
    )


class ReportSettings(Section):
    """The content of infringement reports."""

    holder: str = Field("", description="Name of the rights holder.")
    contact: str = Field("", description="How to reach the rights holder.")
    letterhead: str = Field(
        "",
        description="Name and address of the reporting house, at the head of PDF reports; lines are kept.",
        max_length=500,
    )
    colophon: str = Field(
        "", description="Line of the reporting house at the foot of each page of PDF reports.", max_length=200
    )
    fonts: ExpandedPath = Field("", description="Folder with fonts for PDF reports, beside those of the system.")
    keep_days: int = Field(
        90, description="Days after which a report that was made in the background is dropped; 0 keeps all.", ge=0
    )
    seal: ExpandedPath = Field(
        "", description="PKCS#12 file with the certificate and key that PDF reports are sealed by."
    )
    seal_password: SecretStr | None = Field(None, description="Password of that file.")


class EvidenceSettings(Section):
    """Evidence files (exhibits) of cases."""

    by_itself: bool = Field(
        True, description="Make an exhibit when a case is confirmed, and again when its page changed or vanished."
    )
    authorities: list[str] = Field(
        default_factory=list,
        description="Time-stamping authorities (RFC 3161), asked in turn until one answers: "
        "['https://tsa.example/tsr']; without one exhibits, WARC files and the audit log have no time stamp.",
    )
    roots: ExpandedPath | None = Field(
        None, description="File of the root certificates (PEM) that time stamps have to lead to; without one, any."
    )
    ntp: list[str] = Field(
        default_factory=list,
        description="Time servers (NTP) that the clock is compared with when a crawl begins: ['ntp.example'].",
    )
    public_address: str = Field(
        "", description="The address that this machine has on the internet, as exhibits tell it."
    )


class NoticeSettings(Section):
    """Notices to the operators of sites."""

    grounds: bool = Field(False, description="Confirm no case without saying on what grounds.")
    two_persons: bool = Field(False, description="Send no notice that a second person has not agreed to.")
    counter_days: int = Field(
        15, description="Days after a counter-notice in which to complain or to sue.", ge=1, le=3_650
    )
    counter_delay: int = Field(
        20, description="Working days that notarisation and the like may add to that, at most.", ge=0, le=3_650
    )
    counter_source: str = Field(
        "《电子商务法》第四十三条（十五日）；《民法典》第一千一百九十六条（合理期限）；法释〔2020〕9号第三条（公证、认证等"
        "延误最多 20 个工作日，未核对原文）；《信息网络传播权保护条例》第十七条不设期限：恢复后不得再通知",
        description="Where both terms stand; to be checked against the law in force.",
    )
    smtp: str = Field("", description="Mail server that notices are sent by: host:port.", pattern=r"^(\S+:\d{1,5})?$")
    smtp_tls: bool = Field(True, description="Ask the mail server for TLS (STARTTLS), and verify its certificate.")
    smtp_user: str = Field("", description="User at the mail server.")
    smtp_password: SecretStr | None = Field(None, description="Password of that user.")
    sender: str = Field("", description="Address that notices come from: name@host, or Name <name@host>.")
    imap: str = Field(
        "", description="Mail server from which answers to notices are fetched: host:port.", pattern=r"^(\S+:\d{1,5})?$"
    )
    imap_tls: Literal["tls", "starttls", "none"] = Field(
        "tls", description="How it is spoken to: by TLS, by STARTTLS, both with its certificate verified, or openly."
    )
    imap_user: str = Field("", description="User at that server.")
    imap_password: SecretStr | None = Field(None, description="Password of that user.")
    imap_folder: str = Field("INBOX", description="Folder that answers arrive in; it is only read.", min_length=1)
    imap_minutes: int = Field(10, description="Minutes from one look into it to the next.", ge=1, le=10_080)


class DossierSettings(Section):
    """The figures in the dossier of a site. Legal figures have their source."""

    rate: float = Field(80.0, description="Pay for 1,000 characters, in yuan.", ge=0, le=100_000)
    rate_source: str = Field(
        "《使用文字作品支付报酬办法》第五条（2014-11-01 起施行）：原创作品每千字 80–300 元",
        description="Where that rate stands, with its date.",
    )
    criminal_works: int = Field(
        500, description="Works from which on criminal law speaks of serious circumstances.", ge=1
    )
    criminal_source: str = Field(
        "两高一部《关于办理侵犯知识产权刑事案件适用法律若干问题的意见》第十三条（2011-01-11 公布）：传播他人作品"
        "合计 500 件（部）以上；2025-04-26 起另有两高《解释》，适用前核对其条文",
        description="Where that number stands, with its date; to be checked against the law in force.",
    )
    rdap: bool = Field(
        False, description="Whether registries may be asked, by RDAP, who registered a site's domain; it tells them so."
    )
    rdap_bootstrap: str = Field(
        "https://data.iana.org/rdap/dns.json",
        description="Where it stands who answers for which names (RFC 9224).",
        pattern=r"^https?://\S+$",
    )
    rdap_server: str = Field(
        "", description="RDAP server that is asked instead: https://rdap.example/.", pattern=r"^(https?://\S+)?$"
    )


class OutwardSettings(Section):
    """Outgoing connections, and the users who need a second factor."""

    private_webhooks: bool = Field(False, description="Let webhooks be at private addresses.")
    address: str = Field(
        "",
        description="Address at which people open the dashboard: https://wenhen.example/; mails link to it.",
        pattern=r"^(https?://[^\s?#]+)?$",
    )
    second_factor_for: tuple[Role, ...] = Field(
        (), description="Roles that need a second factor: who has none sets one up before anything else."
    )


class SignInSettings(Section):
    """Sign-in by a provider of OpenID Connect, or by the header of a proxy, beside the accounts here."""

    issuer: str = Field("", description="Issuer of the OpenID Connect provider.", pattern=r"^(https?://[^\s?#]+)?$")
    client: str = Field("", description="Client id at the provider.")
    secret: SecretStr | None = Field(None, description="Client secret; a public client has none.")
    label: str = Field("", description="Name of the provider on the button of the sign-in.", max_length=60)
    scopes: list[str] = Field(["profile", "email"], description="Scopes that are asked for beside openid.")
    name_claim: str = Field("preferred_username", description="Claim with the user's name.", min_length=1)
    groups_claim: str = Field("groups", description="Claim with the user's groups.", min_length=1)
    header: str = Field("", description="Header in which a proxy names the user.", pattern=r"^[A-Za-z0-9-]*$")
    groups_header: str = Field("", description="Header with the groups, parted by commas.", pattern=r"^[A-Za-z0-9-]*$")
    trusted: list[TrustedNetwork] = Field([], description="Addresses or networks of the proxies to be believed.")
    roles: list[GroupRole] = Field([], description="Roles by group: group=role; the first that applies.")
    newcomers: Literal["create", "refuse"] = Field("create", description="What happens to people without an account.")
    adopt: bool = Field(False, description="Connect people with the account here that has their name.")
    second_factor: bool = Field(False, description="The provider asks for a second factor, so nobody else does.")
    sign_out: str = Field("", description="Where the proxy signs people out.", pattern=r"^(https?://\S+|/\S*)?$")


class CoreSettings(BaseModel):
    """The settings of steps and use cases, by section."""

    data: Path
    index: PageIndexSettings
    crawler: CrawlerSettings
    matcher: MatcherSettings
    cluster: ClusterSettings
    discover: DiscoverSettings
    worker: WorkerSettings
    keep: KeepSettings
    backup: BackupSettings
    schedule: ScheduleSettings
    dashboard: OutwardSettings
    signin: SignInSettings
    report: ReportSettings
    evidence: EvidenceSettings
    notice: NoticeSettings
    dossier: DossierSettings
