"""Provide benchmark texts: evaluation suites, statutes, generated pages, and generated works in a store."""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.generator.writer import GeneratedWork, Writer
from wenhen.comparison.detection import Detection, read_suite_rows
from wenhen.demo.website import SITES, load_template
from wenhen.fingerprints.service import store_and_fingerprint
from wenhen.kit.errors import BadInput
from wenhen.runtime.wiring import App
from wenhen.works.model import WorkDraft

# Generated statutes: a few clauses, repeated with small changes, as in laws.


_AUTHORITIES = ("主管部门", "县级以上人民政府", "监督管理机构", "登记机关", "所在地的有关单位", "审批机关")
_SUBJECTS = ("渔业资源", "公共档案", "城市绿地", "集体牧场", "内河航道", "古树名木", "地下水源", "商业招牌")
_CLAUSE_TEMPLATES = (
    "{body}应当自收到申请之日起{days}日内作出是否批准的决定，不予批准的，应当书面说明理由。",
    "违反本法规定，擅自处置{thing}的，由{body}责令改正，没收违法所得，并处{fine}万元以上{more}万元以下的罚款；构成犯罪的，依法追究刑事责任。",
    "任何单位和个人都有保护{thing}的义务，对违反本法规定的行为，有权向{body}举报。",
    "{body}的工作人员滥用职权、玩忽职守、徇私舞弊的，依法给予处分；构成犯罪的，依法追究刑事责任。",
    "使用{thing}的单位应当按照规定向{body}报送有关情况，并对所报送材料的真实性负责。",
    "当事人对{body}作出的决定不服的，可以自接到通知之日起{days}日内依法申请行政复议，也可以直接向人民法院提起诉讼。",
)
_NUMERALS = "零一二三四五六七八九"


def generate_statute(seed: int, size: int) -> str:
    """Return a statute of `size` characters. The same seed gives the same statute."""
    rng = random.Random(seed)
    articles: list[str] = []
    length = 0
    while length < size:
        clause = rng.choice(_CLAUSE_TEMPLATES).format(
            body=rng.choice(_AUTHORITIES),
            thing=rng.choice(_SUBJECTS),
            days=rng.choice(("十五", "二十", "三十", "六十")),
            fine=rng.choice("一二三五"),
            more=rng.choice(("十", "二十", "五十")),
        )
        number = "".join(_NUMERALS[int(digit)] for digit in str(len(articles) + 1))
        articles.append(f"第{number}条　{clause}\n")
        length += len(articles[-1])
    return "".join(articles)[:size]


# Suites of known copies: `library.jsonl`, `suspects.jsonl` and the truth.


TRUTH_FILE = "truth.jsonl"


@dataclass(frozen=True)
class Suite:
    """A folder with the three files. `truth.jsonl` names each copied passage like a detection, with its `kind`."""

    path: Path

    @property
    def name(self) -> str:
        """Return the name of the folder."""
        return self.path.name

    @cached_property
    def suspects(self) -> dict[str, str]:
        """Return the texts by id."""
        return {row["id"]: row["text"] for row in read_suite_rows(self.path / "suspects.jsonl")}

    @cached_property
    def truth(self) -> list[dict[str, Any]]:
        """Return the copied passages."""
        try:
            with (self.path / TRUTH_FILE).open(encoding="utf-8") as lines:
                return [json.loads(line) for line in lines if line.strip()]
        except (OSError, ValueError) as error:
            raise BadInput("lab.bad_lines", path=self.path / TRUTH_FILE, error=error) from error

    @cached_property
    def pairs(self) -> set[tuple[str, str]]:
        """Return the pairs of suspect and source."""
        return {(passage["suspect"], passage["source"]) for passage in self.truth}

    @cached_property
    def negatives(self) -> set[str]:
        """Return the suspects without copies."""
        return set(self.suspects) - {suspect for suspect, _ in self.pairs}

    def found_passages(self, detections: Iterable[Detection]) -> list[bool]:
        """Return for each true passage whether a detection with its source overlaps it on both sides."""
        of_pair = defaultdict(list)
        for detection in detections:
            of_pair[detection["suspect"], detection["source"]].append(detection)
        return [
            any(_spans_overlap(true, detection) for detection in of_pair[true["suspect"], true["source"]])
            for true in self.truth
        ]


def find_suites(paths: Sequence[Path]) -> list[Suite]:
    """Return the suites at or below these folders. Raise BadInput if there is none."""
    suites = [
        Suite(folder) for path in paths for folder in (path, *sorted(path.glob("*"))) if (folder / TRUTH_FILE).exists()
    ]
    if not suites:
        raise BadInput("lab.no_suite", file=TRUTH_FILE, places=", ".join(map(str, paths)))
    return suites


def true_share(values: Iterable[object]) -> float | None:
    """Return the share of true values, or None without values."""
    flags = [bool(value) for value in values]
    return sum(flags) / len(flags) if flags else None


def _spans_overlap(first: Detection, second: Detection) -> bool:
    return all(
        min(first[f"{side}_end"], second[f"{side}_end"]) > max(first[f"{side}_start"], second[f"{side}_start"])
        for side in ("suspect", "source")
    )


# Bulk import of generated works. The index is left to a rebuild.


Progress = Callable[[int, int], None]


def store_generated_works(
    app: App, works: Iterable[GeneratedWork], total: int, progress: Progress | None = None
) -> None:
    """Store and fingerprint works."""
    drafts = (WorkDraft(id=work.id, title=work.id, text=work.text) for work in works)
    store_and_fingerprint(app, drafts, (lambda done: progress(done, total)) if progress else None)


# The pages of the pipeline benchmark: generated texts in the demo's templates, with some copies and near variants.


PAGE_SEED = 31
COPY_SEED = 41  # of what stands around the passages of `generate_copies`
PAGES_PER_HOST = 200  # pages
PAGE_CHARACTERS = 1_000  # characters
COPIED_CHARACTERS = 500  # characters of a copy that come from a work
PARAGRAPH_CHARACTERS = 125
PAGE_HEADERS = (("Content-Type", "text/html; charset=utf-8"),)


@dataclass(frozen=True, slots=True)
class GeneratedPage:
    """An address and its response body."""

    url: str
    body: bytes


def copied_work(number: int, works: int) -> int | None:
    """Return the number of the work that a page copies, or None."""
    return number * 7 % works if number % 10 == 0 else None


def generate_pages(count: int, works: int, first: int = 0, host_pages: int = PAGES_PER_HOST) -> Iterator[GeneratedPage]:
    """Yield the pages numbered from `first`, `host_pages` of each host. Of ten pages one copies a work. Two are near
    variants of the page before them on another host. The others are new.
    """
    for number, fresh in enumerate(Writer(PAGE_SEED).works(count, works + first), first):
        yield _render_page(number, _page_text(number, works, fresh.text), host_pages)


def generate_copies(texts: Iterable[str], first: int) -> Iterator[GeneratedPage]:
    """Yield a page for each text, numbered from `first`. Half of it is a passage of the text."""
    for number, text in enumerate(texts, first):
        (fresh,) = Writer(COPY_SEED).works(1, number)
        yield _render_page(number, _join_with_copy(fresh.text, text))


def _page_text(number: int, works: int, fresh: str) -> str:
    copied = copied_work(number, works)
    if copied is not None:
        (work,) = Writer(PAGE_SEED).works(1, copied)
        return _join_with_copy(fresh, work.text)
    if number % 10 in (3, 4):
        (before,) = Writer(PAGE_SEED).works(1, works + number // 10 * 10 + 2)
        return before.text[: PAGE_CHARACTERS - PARAGRAPH_CHARACTERS] + fresh[:PARAGRAPH_CHARACTERS]
    return fresh[:PAGE_CHARACTERS]


def _join_with_copy(fresh: str, work: str) -> str:
    return fresh[:250] + work[200 : 200 + COPIED_CHARACTERS] + fresh[250 : PAGE_CHARACTERS - COPIED_CHARACTERS]


def _render_page(number: int, text: str, host_pages: int = PAGES_PER_HOST) -> GeneratedPage:
    site = [*SITES.values()][number % len(SITES)]
    host = f"{site.template.removesuffix('.html')}{number // (host_pages * len(SITES))}.bench.test"
    html = load_template(site.template).render(
        site=site,
        title=f"第{number}篇 {text[:12]}",
        meta_charset="utf-8",
        advert=site.adverts[number % len(site.adverts)],
        article={"author": "某人", "date": "2026-03-01", "section": site.sections[number % len(site.sections)]},
        paragraphs=[
            text[start : start + PARAGRAPH_CHARACTERS].replace("\n", "")
            for start in range(0, len(text), PARAGRAPH_CHARACTERS)
        ],
        comments=site.comments,
        recommended=[],
    )
    return GeneratedPage(f"http://{host}/p/{number}.html", html.encode())
