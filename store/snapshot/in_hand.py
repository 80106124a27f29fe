"""What a job asks of pages, of templates and of cases while it looks at the pages of a host: kept in memory."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from store.errors import NotFound
from store.ports.web.templates import Learned
from store.records import Case, Match, Page

BUCKET = 200  # pages, as in the database


class PagesInHand:
    """The pages of a host."""

    def __init__(self) -> None:
        self.by_id: dict[str, Page] = {}

    def many(self, ids: Collection[str]) -> dict[str, Page]:
        return {id: self.by_id[id] for id in ids if id in self.by_id}


class TemplatesInHand:
    """The lines of hosts, counted and forgotten as `store.mongo.web.templates` does."""

    def __init__(self) -> None:
        self._pages: Counter[str] = Counter()
        self._lines: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)  # count and bucket of birth

    def learn(self, host: str, text: str, lines: Collection[str], least: int) -> None:  # noqa: ARG002  as the port has it
        self.learn_all(host, [(text, lines)])

    def learn_all(self, host: str, pages: Sequence[tuple[str, Collection[str]]]) -> Learned:
        known, new = self._lines[host], []
        fresh: set[str] = set()
        for text, lines in pages:
            new.append(bool(lines) and text not in known and text not in fresh)
            if new[-1]:
                fresh.add(text)
        counted = [{*lines, text} for (text, lines), one in zip(pages, new, strict=True) if one]
        self._pages[host] += len(counted)
        bucket = self._pages[host] // BUCKET
        for line in (line for some in counted for line in some):
            known.setdefault(line, [0, bucket])[0] += 1
        learned = Learned(new, self.pages(host), self.counts(host, {line for _, lines in pages for line in lines}))
        if counted and self._pages[host] % BUCKET < len(counted):
            self._lines[host] = {line: one for line, one in known.items() if sum(one) > bucket}
        return learned

    def note_changed(self, host: str) -> None:
        """Whoever looks at all pages of a host looks for that at their end."""

    def pages(self, host: str) -> int:
        return self._pages[host]

    def counts(self, host: str, lines: Collection[str]) -> Mapping[str, int]:
        known = self._lines[host]
        return {line: known[line][0] for line in lines if line in known}


class CasesInHand:
    """The cases that opened."""

    def __init__(self) -> None:
        self.opened: dict[str, Case] = {}

    def get(self, id: str) -> Case:
        if id not in self.opened:
            raise NotFound("store.no_case", id=id)
        return self.opened[id]

    def open_or_update(self, case: Case) -> tuple[Case, bool]:
        new = case.id not in self.opened
        self.opened[case.id] = case
        return case, new

    def open_or_update_all(self, cases: Sequence[Case]) -> list[tuple[Case, bool]]:
        return list(map(self.open_or_update, cases))


class MatchesNotKept:
    """A case holds its match."""

    def put(self, match: Match) -> None:
        pass
