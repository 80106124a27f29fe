"""What operators set in motion from the dashboard."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from dashboard.actions import Imported, Pair, Refusal, Source, Steer, Text
from matcher.verdict.originality import Originality
from services.check import Finding, scan
from services.crawls.runs import pause, resume, start_crawl, stop
from services.discover.discovering import accept, refuse
from services.importing.found import Refused
from services.importing.paths import distinct, read_bytes
from services.originality import originality
from services.sites import access as site_access
from services.sites import sites as watched_sites
from services.sites.survey import find_site
from services.sites.watching import license_reprints, withdraw_licence
from services.works import register_draft, register_found, unregister
from store.records import Licence, Site, WorkDraft
from wenhen.wiring import App


@dataclass(frozen=True, slots=True)
class Operations:
    """The same as the commands do, for `dashboard.actions.Actions`."""

    app: App

    def import_upload(
        self, name: str, content: bytes, owner: str | None, progress: Callable[[int], None] | None = None
    ) -> Imported:
        """Import the works of one file; a file of the same name makes new versions of them."""
        found = distinct(read_bytes(content, f"upload/{name}"))
        told = None if progress is None else lambda count, _: progress(count)
        done = register_found(self.app, found, owner=owner, progress=told)
        refused = tuple(Refusal(one.what.removeprefix("upload/"), one.reason) for one in done.refused)
        return Imported(tuple(done.new), tuple(done.changed), tuple(done.unchanged), refused)

    def put_work(self, draft: WorkDraft) -> tuple[str, str]:
        """Store one work and queue its first step."""
        return register_draft(self.app, draft)

    def remove_work(self, id: str) -> None:
        """Take a work out of every look-up."""
        unregister(self.app, id)

    def read_upload(self, name: str, content: bytes) -> tuple[list[Text], list[Refusal]]:
        """The texts of one file; nothing is stored."""
        texts: list[Text] = []
        refused: list[Refusal] = []
        for found in read_bytes(content, name):
            if isinstance(found, Refused):
                refused.append(Refusal(found.what, found.reason))
            else:
                texts.append(Text(found.title, found.text))
        return texts, refused

    def check(self, text: str) -> list[Source]:
        """The works that a text is copied from, the likeliest first."""
        findings = groupby(scan(self.app, "", text), key=lambda finding: finding.work_id)
        return [_source(list(of_one_work)) for _, of_one_work in findings]

    def original(self, text: str, published_at: datetime | None) -> Originality:
        """Whether a text is original."""
        return originality(self.app, text, published_at)

    def put_site(self, written: Mapping[str, str], id: str | None) -> Site:
        """Watch a site, its settings as people write them."""
        return watched_sites.add(self.app, written, id=id)

    def edit_site(self, id: str, written: Mapping[str, str]) -> Site:
        """Change a site."""
        return watched_sites.edit(self.app, id, written)

    def pause_site(self, id: str) -> Site:
        """Crawl it no longer when it is due."""
        return watched_sites.pause(self.app, id)

    def resume_site(self, id: str) -> Site:
        """Crawl it again."""
        return watched_sites.resume(self.app, id)

    def remove_site(self, id: str) -> None:
        """Watch it no longer."""
        watched_sites.remove(self.app, id)

    def import_sites(self, content: bytes, *, internal: bool) -> tuple[list[Site], list[Refusal]]:
        """Watch the sites of a CSV file."""
        done = watched_sites.import_csv(self.app, content, internal=internal)
        return list(done.added), [Refusal(str(line), reason) for line, reason in done.refused]

    def find_site(self, url: str, *, internal: bool) -> Mapping[str, str]:
        """The settings that suit the site at an address."""
        return find_site(self.app, url, internal=internal).written()

    def set_session(self, id: str, cookies: str | None, by: str) -> None:
        """Keep a session that somebody began in a browser, or forget it."""
        if cookies is None:
            site_access.end_session(self.app, id, by=by)
        else:
            site_access.begin_session(self.app, id, cookies, by=by)

    def set_proxies(self, id: str, urls: Sequence[str], by: str) -> None:
        """Fetch a site through these alone."""
        site_access.set_proxies(self.app, id, urls, by=by)

    def set_robots(self, id: str, ignore: str | None, by: str) -> Site:
        """Override a site's robots.txt for this reason, or obey it."""
        if ignore is None:
            return site_access.obey_robots(self.app, id, by=by)
        return site_access.override_robots(self.app, id, reason=ignore, by=by)

    def steer_run(self, id: str, to: Steer) -> None:
        """Pause, resume or stop a crawl."""
        {"pause": pause, "resume": resume, "stop": stop}[to](self.app, id)

    def crawl(self, site_id: str) -> None:
        """Queue a crawl."""
        start_crawl(self.app, site_id)

    def accept_discoveries(self, ids: Sequence[str]) -> None:
        """Queue a crawl of these addresses of the review list."""
        accept(self.app, ids)

    def refuse_discoveries(self, ids: Sequence[str]) -> None:
        """Leave these addresses of the review list alone."""
        refuse(self.app, ids)

    def certain_score(self) -> float:
        """The second of the two thresholds, in [0, 1]."""
        return self.app.settings.matcher.certain_score

    def add_licence(
        self,
        licensee: str,
        url_prefix: str,
        *,
        work_id: str | None,
        valid_from: datetime | None,
        valid_until: datetime | None,
        attribution: str | None,
    ) -> Licence:
        """Allow the licensee to carry one work, or all."""
        return license_reprints(
            self.app,
            licensee,
            url_prefix,
            work_id=work_id,
            valid_from=valid_from,
            valid_until=valid_until,
            attribution=attribution,
        )

    def withdraw_licence(self, id: str) -> Licence:
        """End a licence."""
        return withdraw_licence(self.app, id)


def _source(findings: list[Finding]) -> Source:
    first = findings[0]
    return Source(
        work_id=first.work_id,
        work_title=first.work_title,
        level=first.level,
        score=first.score,
        share_of_page=first.share_of_page,
        share_of_work=first.share_of_work,
        pairs=tuple(Pair(one.page_text, one.work_text, one.passage.similarity, one.passage.change) for one in findings),
    )
