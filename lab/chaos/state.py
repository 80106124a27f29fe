"""What is stored, as far as it does not hang on when and how often it was done; and how two such states differ."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from lab.chaos.workload import REMOVED
from pipeline.library.verify_index import verify_index
from pipeline.pages.read_pictures import fetched_with
from services.verify_archive import verify_archive
from store.records import Match, OwnerKind
from wenhen.wiring import App

State = Mapping[str, Any]


def state_of(app: App) -> State:
    """Works, pages, pictures, cases, matches and fingerprints by what names them; what is wrong beside them."""
    store = app.store
    works = store.works.many([id for id in store.works.ids() if not id.startswith(REMOVED)]).values()
    pages = store.pages.many(list(store.pages.ids())).values()
    found: dict[str, Any] = {}
    found |= {f"work {one.id}": (one.version, one.text_digest, one.note, str(one.progress.step)) for one in works}
    found |= {
        f"page {one.url}": (one.text_digest, one.title, one.length, one.note, str(one.progress.step), one.gone_at)
        for one in pages
    }
    pictures = {one.digest for page in pages for one in fetched_with(app, page.capture) if one.is_picture}
    found |= {f"picture {id}": str(one) for id, one in store.picture_texts.known(pictures).items()}
    cases = list(store.cases.each())
    found |= {f"case {one.page_url} {one.work_id}": (str(one.status), one.present) for one in cases}
    found |= {f"match {one.page_id} {one.work_id}": _told(one.match) for one in cases}
    found["numbers of cases"] = len({one.number for one in cases})
    for kind in OwnerKind:
        found |= {f"fingerprint {kind} {owner}": count for owner, count in _fingerprints(app, kind)}
        found[f"missing in the index of {kind}s"] = verify_index(app, kind).missing
    found["damaged in the archive"] = [str(one) for one in verify_archive(app).problems]
    found["problems"] = sorted(str(one.reason) for one in store.problems.recent(limit=1_000))
    return found


def differences(undisturbed: State, state: State) -> list[str]:
    """What differs, a line each."""
    return [
        f"{name}: {undisturbed.get(name, 'nothing')} undisturbed, {state.get(name, 'nothing')} here"
        for name in sorted(undisturbed.keys() | state.keys())
        if undisturbed.get(name) != state.get(name)
    ]


def _told(match: Match) -> tuple[object, ...]:
    spans = tuple((one.page_start, one.page_end, one.work_start, one.work_end) for one in match.passages)
    return str(match.level), round(match.share_of_page, 6), round(match.share_of_work, 6), spans


def _fingerprints(app: App, kind: OwnerKind) -> Iterator[tuple[str, object]]:
    segments: Counter[tuple[str, int, bytes]] = Counter(
        (one.owner_id, one.segment, one.values) for one in app.store.fingerprints.all(kind)
    )
    for (owner, segment, values), count in segments.items():
        yield f"{owner} {segment}", (count, hash(values))
