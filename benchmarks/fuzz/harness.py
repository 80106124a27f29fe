"""Fuzz every reader of foreign bytes with generated inputs, and report failures, slow inputs and memory."""

import io
import json
import random
import resource
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from importlib import resources
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Final

from protego import Protego
from scrapy.http import HtmlResponse

from crawler.addresses import canonical_url, host_of, is_next_link, resolve_link
from crawler.extraction.links import canonical_link, extract_links, sort_in_reading_order
from crawler.extraction.page import extract_html
from crawler.extraction.parsing import extract_whole_text, parse_response, text_without_scripts
from crawler.fetch.redirects import script_redirect_target
from crawler.politeness.robots_parsing import rules_for_agent
from crawler.site_access import parse_cookies
from crawler.spiders.sitemaps_and_feeds import read_listing
from crawler.spiders.soft_blocks import detect_soft_block
from fingerprinter.features.index_features import extract_features
from fingerprinter.initials.to_initials import to_initials
from wenhen.kit.errors import WenhenError
from wenhen.kit.size_and_time_limits import MAX_ROBOTS_BYTES
from wenhen.works.importers.file_reader import read_bytes

# Inputs by number: a number always gives the same bytes, built of pieces with meaning to a parser.


MAX_INPUT_BYTES = 4_000  # bytes of a usual input
LARGE_INPUT_BYTES = (
    100_000  # of one in a hundred, in which something recurs: what takes time with the square shows there
)
PIECES: Final[tuple[bytes, ...]] = (
    *(
        piece.encode("utf-8", "surrogatepass")
        for piece in json.loads(resources.files("benchmarks.fuzz").joinpath("pieces.json").read_text("utf-8"))
    ),
    *(b"\xff\xfe", b"\x00", b"\x81\x30\x81\x30", b"\xed\xa0\x80", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xc3\x28", b"\xa1"),
)


def make_input(target: str, number: int) -> bytes:
    """Return the input with this number for a target."""
    chance = random.Random(f"{target} {number}")
    if target in ("file.zip", "file.epub") and number % 4:
        return _make_archive(chance, target)
    return _mix_pieces(chance)


def _mix_pieces(chance: random.Random) -> bytes:
    body = b"".join(_choose_part(chance) for _ in range(chance.randint(1, 24)))
    body = body[:MAX_INPUT_BYTES]
    if not chance.randrange(100):
        unit = b"".join(chance.choice(PIECES) for _ in range(chance.randint(1, 3)))
        body += unit * (LARGE_INPUT_BYTES // len(unit)) + body[-40:]
    for _ in range(chance.randrange(4)):
        body = _mutate_bytes(chance, body)
    return body


def _choose_part(chance: random.Random) -> bytes:
    if not chance.randrange(12):
        return chance.randbytes(chance.randint(1, 12))
    piece = chance.choice(PIECES)
    return piece * (chance.randint(2, 60) if not chance.randrange(6) else 1)


def _mutate_bytes(chance: random.Random, body: bytes) -> bytes:
    """Return the bytes with some changed, removed or repeated."""
    start = chance.randrange(len(body) + 1)
    width = chance.randint(0, 8)
    between = chance.choice((b"", chance.randbytes(1), body[start : start + width] * 2))
    return body[:start] + between + body[start + width :]


def _make_archive(chance: random.Random, target: str) -> bytes:
    """Return an archive of damaged files. It is mostly intact itself."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        if target == "file.epub":
            archive.writestr("META-INF/container.xml", _EPUB_CONTAINER)
            names = [f"c{n}.xhtml" for n in range(chance.randint(1, 4))]
            items = "".join(f"<item id='{name}' href='{name}'/>" for name in names)
            spine = "".join(f"<itemref idref='{chance.choice(names)}'/>" for _ in range(chance.randint(1, 12)))
            archive.writestr("p.opf", _EPUB_PACKAGE.format(items=items, spine=spine).encode() + _random_tail(chance))
        else:
            names = [f"{n}.{chance.choice(('txt', 'html', 'md', 'csv', 'jsonl', 'zip', 'exe'))}" for n in range(3)]
        for name in names:
            archive.writestr(name, _mix_pieces(chance))
    whole = file.getvalue()
    return whole if chance.randrange(3) else _mutate_bytes(chance, whole)


def _random_tail(chance: random.Random) -> bytes:
    return chance.choice(PIECES) if not chance.randrange(5) else b""


_EPUB_CONTAINER = (
    "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles><rootfile full-path='p.opf'/>"
    "</rootfiles></container>"
)
_EPUB_PACKAGE = (
    "<package xmlns='http://www.idpf.org/2007/opf'><metadata><title xmlns='http://purl.org/dc/elements/1.1/'>书</title>"
    "</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
)


FuzzTarget = Callable[[bytes], object]
PAGE_URL = "http://site.test/book/12/345_2.html"
FILE_ENDINGS = ("txt", "md", "html", "jsonl", "csv", "xlsx", "pdf", "docx", "doc", "rtf", "mobi", "epub", "zip")


def _read_page(body: bytes) -> None:
    headers = (("Content-Type", "text/html; charset=" + body[:20].decode("latin-1")),)
    page = extract_html(body, headers if body[:1] > b"a" else (), PAGE_URL)
    page.text.encode()  # must be encodable to be stored
    for stated in (page.title, page.author, page.site_name, page.canonical):
        (stated or "").encode()


def _read_crawled_page(body: bytes) -> None:
    page = parse_response(HtmlResponse(PAGE_URL, body=body))
    detect_soft_block(page.text)
    canonical_link(page)
    sort_in_reading_order([(url, words) for url, words in extract_links(page) if is_next_link(words) or words])
    text_without_scripts(page)
    script_redirect_target(page.text[:20_000], PAGE_URL)


def _read_address(body: bytes) -> None:
    text = body.decode("utf-8", "replace")
    host_of(canonical_url(text))
    try:
        resolve_link(PAGE_URL, text)
    except ValueError:  # its callers expect this
        return


def _read_charsets(body: bytes) -> None:
    for charset in ("utf-8", "gb18030", "utf-16-le"):
        text = body.decode(charset, "surrogatepass" if charset == "utf-16-le" else "replace") if charset else ""
        extract_features(to_initials(text))


def _read_utf16(body: bytes) -> None:
    try:
        _read_charsets(body)
    except UnicodeDecodeError:  # a lone surrogate at the end
        to_initials(body.decode("utf-16-be", "ignore"))


def _read_robots(body: bytes) -> None:
    parsed = Protego.parse(rules_for_agent(body[:MAX_ROBOTS_BYTES], "wenhen").decode())
    parsed.can_fetch(PAGE_URL, "wenhen")
    parsed.crawl_delay("wenhen")


def _read_file(ending: str, body: bytes) -> None:
    for draft in read_bytes(body, f"a.{ending}"):
        str(SimpleNamespace(found=draft))


TARGETS: Mapping[str, FuzzTarget] = {
    "page": _read_page,
    "whole": lambda body: extract_whole_text(body, ()),
    "crawled": _read_crawled_page,
    "list": lambda body: read_listing(body, PAGE_URL.replace("345_2.html", "sitemap.xml"), 1 << 20),
    "robots": _read_robots,
    "cookies": lambda body: parse_cookies(body.decode("utf-8", "replace"), "site.test"),
    "address": _read_address,
    "letters": _read_utf16,
    **{f"file.{ending}": partial(_read_file, ending) for ending in FILE_ENDINGS},
}


# Runs inputs through every target on all processors. Reports failures, slow inputs and memory.


SLOW_SECONDS = 1.0  # seconds of processor time for one input
BATCH_INPUTS = 2_000  # inputs of one task
CORPUS_FOLDER = Path(__file__).parent / "corpus"  # former failures: files named target--what-happened


@dataclass(frozen=True, slots=True)
class FailedInput:
    """An input that made a target fail or take too long."""

    target: str
    number: int | str  # number of the input, or file of the corpus
    what: str


@dataclass(frozen=True, slots=True)
class FuzzBatch:
    """The results of some inputs. slowest: seconds. memory: greatest mebibytes of the process."""

    count: int
    faults: tuple[FailedInput, ...]
    slowest: float
    memory: int


def try_input(target: str, body: bytes, number: int | str = 0) -> tuple[FailedInput | None, float]:
    """Try an input on a target. Return the failure, and the seconds of processor time."""
    began = time.process_time()
    problem = None
    try:
        TARGETS[target](body)
    except WenhenError:
        pass
    except Exception as error:  # noqa: BLE001  fuzzing looks for all of them
        problem = f"{type(error).__name__}: {error}"[:200]
    took = time.process_time() - began
    if problem is None and took > SLOW_SECONDS:
        problem = f"took {took:.1f} s"
    return (FailedInput(target, number, problem) if problem else None), took


def corpus_files() -> Iterator[tuple[str, Path]]:
    """Yield the targets and files of the corpus."""
    for file in sorted(CORPUS_FOLDER.glob("*--*")):
        yield file.name.partition("--")[0], file


def run_batch(target: str, first: int, last: int) -> FuzzBatch:
    """Try the inputs with these numbers on a target, in this process."""
    warnings.simplefilter("ignore")  # libraries warn about their input
    faults, slowest = [], 0.0
    for number in range(first, last):
        fault, took = try_input(target, make_input(target, number), number)
        slowest = max(slowest, took)
        if fault:
            faults.append(fault)
    return FuzzBatch(last - first, tuple(faults), slowest, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)


def run_fuzz(inputs: int, processes: int, first: int = 0) -> Iterator[tuple[str, FuzzBatch]]:
    """Yield results of inputs spread over the targets, from number `first` on, as they are done."""
    each = -(-inputs // len(TARGETS))
    parts = [
        (target, begin, min(begin + BATCH_INPUTS, first + each))
        for begin in range(first, first + each, BATCH_INPUTS)
        for target in TARGETS
    ]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for part, done in [(part, pool.submit(run_batch, *part)) for part in parts]:
            try:
                yield part[0], done.result()
            except BrokenProcessPool:
                crash = FailedInput(part[0], part[1], f"the process died among the inputs {part[1]} to {part[2]}")
                yield part[0], FuzzBatch(0, (crash,), 0.0, 0)
                return
