"""List the sections of settings that steps and use cases read."""

from pathlib import Path

from pydantic import BaseModel

from wenhen.settings.crawling_and_search import CrawlerSettings, DiscoverSettings
from wenhen.settings.dashboard_and_sign_in import OutwardSettings, SignInSettings
from wenhen.settings.matching import ClusterSettings, MatcherSettings
from wenhen.settings.notices_and_reports import DossierSettings, EvidenceSettings, NoticeSettings, ReportSettings
from wenhen.settings.retention_and_backups import BackupSettings, KeepSettings, PageIndexSettings
from wenhen.settings.workers_and_schedule import ScheduleSettings, WorkerSettings


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
