"""A bulk job opens the cases that the queues open, byte for byte, however it is cut up, and goes on where it was."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import dask.config
import fsspec
import pytest
from click.testing import CliRunner

from tests.support.archives import Sent, put_pages, sent, write_warc
from tests.support.quality.rewritings import few_rewritings
from tests.support.servers.object_store import address_of, object_store
from tests.support.way import made_page, made_text, opened, store_work, work_through
from wenhen.bulk import commands as bulk_commands
from wenhen.bulk import tasks as bulk_tasks
from wenhen.bulk.commands import bulk
from wenhen.bulk.frozen_library import FEATURES_FILE, freeze_to_url
from wenhen.bulk.host_matching import format_case_line, format_match_line
from wenhen.bulk.job import CASES_FILE, OVERLAPS_FILE, BulkJob, DaskEngine, Engine, JobOutcome, LocalEngine
from wenhen.cases.model import CaseStatus
from wenhen.holders.model import Holder
from wenhen.kit.clock import utc_now
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.kit.progress import Owner, OwnerKind, Step
from wenhen.kit.remote_files import read_whole_file, upload_file
from wenhen.licences.model import Licence
from wenhen.matching.rematch import apply_new_templates
from wenhen.pipeline.tasks import BATCH_STEPS
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.settings.matching import MatcherSettings
from wenhen.steps.runner import run_steps

T = TypeVar("T")
NEWS = next(one for one in few_rewritings() if one.genre == "news")
WORKS = {name: made_text(name, 900) for name in ("river", "boat", "tree", "wood")}
CREDIT = "转载自河岸文艺"


def part(name: str, begin: int = 100, length: int = 300) -> str:
    return WORKS[name][begin : begin + length]


def pages() -> list[Sent]:
    """Hosts with copies and without, a template that is learned late, a text over two pages, and an address twice."""
    everywhere = part("wood", 200, 120).replace("\n", "")  # stands on all pages of a host
    template = [
        (f"http://menu.test/{number}", f"{made_text(f'own {number}', 300)}\n{everywhere}") for number in range(8)
    ]
    single = [
        ("http://plain.test/a", f"{made_text('a', 200)}\n{part('river')}"),
        ("http://plain.test/b", part("boat", 0, 900)),
        ("http://plain.test/none", made_text("none")),
        ("http://plain.test/again", part("tree")),
        ("http://home.test/river", WORKS["river"]),
        ("http://leave.test/boat", f"{part('boat')}\n{made_text('leave', 100)}"),
        ("http://plain.test/again", f"{made_text('again', 100)}\n{part('boat')}"),
        ("http://retold.test/", NEWS.sentences),
    ]
    made = [(url, made_page(f"页面{url[-1]}", text)) for url, text in [*template[:4], *single, *template[4:]]]
    leaving = [(url, body.replace("本站声明".encode(), CREDIT.encode())) for url, body in made]
    return sent([two if "leave" in two[0] else one for one, two in zip(made, leaving, strict=True)] + list(chapter()))


def chapter() -> Iterator[tuple[str, bytes]]:
    """A chapter over two pages, with the copied passage over their border."""
    text = made_text("chapter", 300) + "\n" + part("tree", 0, 600)
    links = ("<a href='/7/5_2.html'>下一页</a>", "<a href='/7/5.html'>上一页</a>")
    for name, some, link in zip(("5.html", "5_2.html"), (text[:600], text[600:]), links, strict=True):
        body = made_page("第5章 渡口", some).decode().replace("</article>", f"</article><p>{link}</p>")
        yield f"http://novel.test/7/{name}", body.encode()


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """A library with a holder, and a licence that asks for a credit; pages get their second look, too."""
    with opened(servers, tmp_path / "data", matcher={"suspicions": True}) as app:
        app.rare_words.create(postings=10_000)
        app.rare_words.publish()
        for name, text in WORKS.items():
            store_work(app, name, text, owner="河岸" if name == "river" else None)
        store_work(app, "flood", NEWS.original)
        work_through(app)
        app.store.holders.put(Holder(id="河岸", sites=("home.test",)))
        app.store.licences.put(
            Licence(id="one", licensee="某站", url_prefix="leave.test", work_id=None, attribution=CREDIT)
        )
        yield app


def queued(app: App, ids: list[str]) -> str:
    """The lines of the cases that the queues open, once the templates of all hosts rest."""
    for begin in range(0, len(ids), 5):
        run_steps(app, OwnerKind.PAGE, ids[begin : begin + 5], Step.EXTRACT, BATCH_STEPS[OwnerKind.PAGE])
    later = replace(app, now=lambda: utc_now() + timedelta(minutes=3))
    work_through(later)
    apply_new_templates(later)
    work_through(later)
    cases = sorted((case for case in app.store.cases.each() if case.present), key=lambda c: (c.page_url, c.work_id))
    return "".join(f"{format_case_line(case)}\n" for case in cases)


def test_the_cases_are_those_of_the_queues(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = pages()
    places = write_warc(tmp_path / "a.warc.gz", everything[:9]) | write_warc(tmp_path / "b.warc.gz", everything[9:])
    freeze_to_url(app, str(tmp_path / "library"))
    expected = queued(app, put_pages(app, everything, places))
    found = []
    for name, shards, piece, waiting in (
        ("one", 1, 1 << 20, 1 << 20),
        ("many", 7, 3_000, 1 << 20),
        ("each", 3, 1 << 20, 1),
    ):
        monkeypatch.setattr(bulk_tasks, "MAX_WAITING_CHARACTERS", waiting)
        job = BulkJob(LocalEngine(), str(tmp_path / "library"), str(tmp_path / name))
        outcome = job.pages([str(tmp_path / "*.warc.gz")], shards=shards, piece=piece)
        assert (outcome.looked_at, outcome.found) == (len(everything), expected.count("\n"))
        found.append((tmp_path / name / CASES_FILE).read_text())
    assert found == [expected] * 3
    told = [(case.page_url, case.work_id) for case in app.store.cases.each() if case.present]
    assert sorted(told) == [
        ("http://leave.test/boat", "boat"),
        ("http://novel.test/7/5.html", "tree"),
        ("http://plain.test/a", "river"),
        ("http://plain.test/again", "boat"),
        ("http://plain.test/b", "boat"),
        ("http://retold.test/", "flood"),
    ]
    gone = [case for case in app.store.cases.each() if not case.present]
    assert {case.page_host for case in gone} >= {"menu.test"}
    assert {case.status for case in gone} == {CaseStatus.LEAD}
    assert [case.credited for case in app.store.cases.each() if case.licence_id] == [True]


def job_over(tmp_path: Path, name: str, engine: Engine | None = None) -> BulkJob:
    return BulkJob(engine or LocalEngine(), str(tmp_path / "library"), str(tmp_path / name))


class BreaksOff(LocalEngine):
    """An engine that is killed after so many tasks."""

    def __init__(self, tasks: int) -> None:
        self.left = tasks

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        for one in super().run(function, tasks):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            yield one


def test_a_job_that_was_broken_off_goes_on_where_it_was(app: App, tmp_path: Path) -> None:
    write_warc(tmp_path / "a.warc.gz", pages())
    freeze_to_url(app, str(tmp_path / "library"))
    archive, options = [str(tmp_path / "a.warc.gz")], {"shards": 3, "piece": 2_500}
    whole = job_over(tmp_path, "whole").pages(archive, **options)
    for tasks in (2, whole.tasks - 4):  # in either half
        with pytest.raises(KeyboardInterrupt):
            job_over(tmp_path, "broken", BreaksOff(tasks)).pages(archive, **options)
    marks = sorted((tmp_path / "broken" / "done").iterdir())
    marks[0].write_text("")  # its writer died over it
    again = job_over(tmp_path, "broken").pages(archive, **options)
    # What a task wrote whose end nobody heard of counts as well.
    assert whole.tasks > again.again == len(marks) - 1 > whole.tasks // 2
    for name in (CASES_FILE, "problems.jsonl"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert job_over(tmp_path, "broken").pages(archive, **options).again == whole.tasks
    with pytest.raises(BadInput, match=r"--shards 3 → 4.* begin anew, another --out"):
        job_over(tmp_path, "broken").pages(archive, **{**options, "shards": 4})
    write_warc(tmp_path / "b.warc.gz", pages()[:1])
    with pytest.raises(BadInput, match=r"job\.json\): – → .*b\.warc\.gz \([\d,]+ B\)"):
        job_over(tmp_path, "broken").pages([*archive, str(tmp_path / "b.warc.gz")], **options)
    with pytest.raises(BadInput, match=r"wenhen bulk pages → works"):
        job_over(tmp_path, "broken").works()


def test_a_job_of_an_earlier_release_goes_on_as_it_was_cut_and_says_what_to_do_where_it_cannot(
    app: App, tmp_path: Path
) -> None:
    """Another release may put more works into a task, or more bytes into a piece."""
    write_warc(tmp_path / "a.warc.gz", pages())
    freeze_to_url(app, str(tmp_path / "library"))
    works, archive = job_over(tmp_path, "works").works(), [str(tmp_path / "a.warc.gz")]
    whole = job_over(tmp_path, "pages").pages(archive, shards=3)
    for other in ({"together": 2}, {"piece": 2_500}):
        name = "works" if "together" in other else "pages"
        job, earlier = tmp_path / name / "job.json", tmp_path / f"earlier {name}"
        earlier.mkdir()
        (earlier / "job.json").write_text(json.dumps(json.loads(job.read_text()) | other))
        with pytest.raises(KeyboardInterrupt):
            run_again(tmp_path, f"earlier {name}", BreaksOff(1))
        again = run_again(tmp_path, f"earlier {name}")
        assert again.again == len(list((earlier / "done").iterdir())) - (again.tasks - again.again) > 0
        assert again.tasks > (works if name == "works" else whole).tasks
        result = OVERLAPS_FILE if name == "works" else CASES_FILE
        assert (earlier / result).read_bytes() == (tmp_path / name / result).read_bytes()
    (earlier / "job.json").write_text(json.dumps(json.loads(job.read_text()) | {"form": 1}))
    with pytest.raises(BadInput, match=r"another release \(form 1, and 2 here\).* begin anew with another --out"):
        run_again(tmp_path, "earlier pages")
    (earlier / "job.json").write_text('{"form": 2, "wh')  # its writer died while writing it
    with pytest.raises(BadInput, match=r"job\.json is not whole.* begin anew with another --out"):
        run_again(tmp_path, "earlier pages")


def run_again(folder: Path, name: str, engine: Engine | None = None) -> JobOutcome:
    job = job_over(folder, name, engine)
    return job.works() if name.endswith("works") else job.pages([str(folder / "a.warc.gz")], shards=3)


def test_a_library_that_another_release_froze_is_used_only_if_texts_are_read_as_now(app: App, tmp_path: Path) -> None:
    """Else copies would be missed in silence."""
    freeze_to_url(app, str(tmp_path / "library"))
    manifest = tmp_path / "library" / "manifest.json"
    files = json.loads(manifest.read_text())
    undescribed = {name: file for name, file in files.items() if name != FEATURES_FILE}  # as releases up to 0.3.0
    manifest.write_text(json.dumps(undescribed))
    assert job_over(tmp_path, "one").works().looked_at == 5
    unread = {name: file for name, file in undescribed.items() if not name.endswith(".lmdb")}
    for other in (unread, files | {FEATURES_FILE: [9, sha256(b"others").hexdigest()]}):
        manifest.write_text(json.dumps(other))
        with pytest.raises(BadInput, match=r"reads texts otherwise.*wenhen bulk freeze"):
            job_over(tmp_path, "two")


def test_the_command_counts_every_record_and_its_status_says_whether_all_were_read(app: App, tmp_path: Path) -> None:
    freeze_to_url(app, str(tmp_path / "library"))
    everything = pages()
    places = write_warc(tmp_path / "a.warc.gz", everything)
    options = ["--library", str(tmp_path / "library"), "--workers", "0", "--shards", "2", "--out"]
    whole = CliRunner().invoke(bulk, ["pages", "--json", str(tmp_path / "a.warc.gz"), *options, str(tmp_path / "one")])
    assert whole.exit_code == 0
    counts = ("records", "looked_at", "passed", "refused")
    length = len(everything)
    assert [json.loads(whole.stdout)[name] for name in counts] == [length + 1, length, 1, 0]  # with the warcinfo
    content = bytearray((tmp_path / "a.warc.gz").read_bytes())
    offset = places[everything[3]].offset + 40
    content[offset : offset + 9] = bytes(9)
    (tmp_path / "b.warc.gz").write_bytes(content)
    damaged = CliRunner().invoke(
        bulk, ["pages", "--json", str(tmp_path / "b.warc.gz"), *options, str(tmp_path / "two")]
    )
    assert damaged.exit_code == 1
    assert f"1 of {length + 1} records could not be read" in damaged.stderr
    assert [json.loads(damaged.stdout)[name] for name in counts] == [length + 1, length - 1, 1, 1]
    table = CliRunner().invoke(bulk, ["pages", str(tmp_path / "b.warc.gz"), *options, str(tmp_path / "two")])
    assert all(heading in table.stdout for heading in ("records", "no page", "refused"))


def test_what_a_server_keeps_back_is_done_the_next_time(app: App, tmp_path: Path) -> None:
    write_warc(tmp_path / "a.warc.gz", pages()[:6])
    write_warc(tmp_path / "b.warc.gz", pages()[6:])
    freeze_to_url(app, str(tmp_path / "library"))
    archive = [str(tmp_path / "*.warc.gz")]

    class Withheld(LocalEngine):
        def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
            for place, (task, done) in enumerate(super().run(function, tasks)):
                yield task, done if place else Unavailable("bulk.silent", url="s3://there", error="slow down")

    with pytest.raises(Unavailable, match=r"1 of 2 tasks are not done .*slow down.* the same command goes on"):
        job_over(tmp_path, "out", Withheld()).pages(archive)
    assert job_over(tmp_path, "out").pages(archive).looked_at == len(pages())


def test_the_library_against_itself_finds_who_holds_text_of_whom(app: App, tmp_path: Path) -> None:
    store_work(app, "reprint", part("river", 0, 600) + made_text("more", 100))
    work_through(app)
    freeze_to_url(app, str(tmp_path / "library"))
    outcome = job_over(tmp_path, "whole").works()
    assert (outcome.looked_at, outcome.found) == (6, 2)
    job_over(tmp_path, "cut").works(together=2)
    lines = (tmp_path / "whole" / OVERLAPS_FILE).read_text()
    assert lines == (tmp_path / "cut" / OVERLAPS_FILE).read_text()
    found = {line["page_id"]: line for line in map(json.loads, lines.splitlines())}
    assert {id: line["work_id"] for id, line in found.items()} == {"work:reprint": "river", "work:river": "reprint"}
    (noted,) = app.store.matches.of_copy(Owner.of_work("reprint"))  # as the queues found it
    assert format_match_line(noted) + "\n" in lines


def test_a_library_without_works_is_refused_since_a_job_would_keep_it(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(servers, tmp_path / "data") as app:
        monkeypatch.setattr(bulk_commands, "open_product", lambda _: nullcontext(app))
        out = tmp_path / "job"
        refused = CliRunner().invoke(bulk, ["works", "--workers", "0", "--out", str(out)])
        assert isinstance(refused.exception, BadInput)
        assert "no works yet" in str(refused.exception)
        assert not out.exists()
        store_work(app, "river", WORKS["river"])
        work_through(app)
        assert CliRunner().invoke(bulk, ["works", "--workers", "0", "--out", str(out)]).exit_code == 0


def test_a_job_may_keep_its_files_in_memory(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WENHEN_BULK_CACHE", str(tmp_path / "cache"))
    freeze_to_url(app, "memory://frozen/library")
    assert BulkJob(LocalEngine(), "memory://frozen/library", "memory://job").works().looked_at == 5


@pytest.mark.parametrize("address", ["tls://127.0.0.1:9", "nonsense"])  # TLS without certificates, and no port
def test_a_scheduler_that_cannot_be_used_is_named_with_what_to_check(address: str) -> None:
    with pytest.raises(Unavailable, match=f"scheduler at {address} cannot be used .* check the address"):
        DaskEngine(1, address)


def test_a_worker_neither_samples_itself_nor_gives_the_memory_of_each_array_back() -> None:
    """Samples would stay in its memory, and memory that it gives back is cleared whenever it is asked for again."""
    engine = DaskEngine(1)
    try:
        ((_, sampled),) = engine.run(dask.config.get, ["distributed.worker.profile.enabled"])
        ((_, threshold),) = engine.run(os.getenv, ["MALLOC_TRIM_THRESHOLD_"])
        ((_, threads),) = engine.run(os.getenv, ["OMP_NUM_THREADS"])
    finally:
        engine.close()
    assert sampled is False
    assert threshold is None
    assert threads == "1", "the rest of its environment is as Dask wants it"


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The address of a server of S3 with a bucket; whoever is started from here knows it by the environment."""
    monkeypatch.setenv("WENHEN_BULK_CACHE", str(tmp_path / "cache"))
    with object_store(monkeypatch) as server:
        yield address_of(server)


def test_a_cluster_with_all_its_files_at_s3_finds_the_same_and_reads_by_http_too(
    app: App, tmp_path: Path, s3: str
) -> None:
    copied = [page for page in pages() if "plain.test" in page.url]
    write_warc(tmp_path / "a.warc.gz", copied[:2])
    write_warc(tmp_path / "b.warc.gz", copied[2:])
    plain = replace(app, settings=app.settings.model_copy(update={"matcher": MatcherSettings()}))
    freeze_to_url(plain, str(tmp_path / "library"))
    here = job_over(tmp_path, "here").pages([str(tmp_path / "*.warc.gz")])
    frozen = freeze_to_url(plain, "s3://bucket/library")
    for name in ("a.warc.gz", "b.warc.gz"):
        upload_file(str(tmp_path / name), f"s3://bucket/in/{name}")
        fsspec.filesystem("s3").chmod(f"bucket/in/{name}", acl="public-read")
    engine = DaskEngine(2)
    options = {"shards": 2, "piece": 4_000}
    try:
        job = BulkJob(engine, "s3://bucket/library", "s3://bucket/out")
        there = job.pages(["s3://bucket/in/*.warc.gz"], **options)
        assert job.pages(["s3://bucket/in/*.warc.gz"], **options).again == there.tasks
    finally:
        engine.close()
    assert (there.looked_at, there.found) == (here.looked_at, here.found)
    assert read_whole_file(f"s3://bucket/out/{CASES_FILE}") == (tmp_path / "here" / CASES_FILE).read_bytes()
    by_http = job_over(tmp_path, "http").pages([f"{s3}/bucket/in/{name}.warc.gz" for name in "ab"], **options)
    assert by_http.found == here.found
    assert (tmp_path / "http" / CASES_FILE).read_bytes() == (tmp_path / "here" / CASES_FILE).read_bytes()
    (copy,) = (path for path in (tmp_path / "cache").iterdir() if path.is_dir())  # one for both processes
    assert sum(path.stat().st_size for path in copy.rglob("*.*")) == frozen.bytes
