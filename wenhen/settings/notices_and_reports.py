"""Settings of notices and mail (`notice.*`), reports (`report.*`), evidence (`evidence.*`), dossiers (`dossier.*`)."""

from typing import Literal

from pydantic import Field, SecretStr

from wenhen.settings import ExpandedPath, Section


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
