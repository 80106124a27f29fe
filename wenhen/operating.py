"""What operators set in motion from the dashboard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from dashboard.actions import Imported, Pair, Refusal, Source, Text
from matcher.verdict.originality import Originality
from services.check import Finding, scan
from services.discover.discovering import accept, refuse
from services.importing.found import Refused
from services.importing.paths import distinct, read_bytes
from services.originality import originality
from services.sites.watching import license_reprints, withdraw_licence
from services.works import register_draft, register_found, unregister
from store.records import Licence, WorkDraft
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
