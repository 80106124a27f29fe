"""Measure the server time of every dashboard list over a full store."""

import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
from flask.testing import FlaskClient
from pymongo import MongoClient

from benchmarks.report import BenchReport, Limit
from benchmarks.synthetic_store import HOST_COUNT, STORE_TIME, fill_store, generate_title
from dashboard.app import create_app
from wenhen.licences.model import Licence
from wenhen.runtime.processes.wsgi import freeze_memory
from wenhen.runtime.wiring import App

DECISION_COUNT: Final = 100
TEXT_COUNT: Final = 500  # texts of 1,300 characters
SCREEN_ROUNDS: Final = 30  # requests of each list, with varying arguments
MAX_P95_MILLISECONDS: Final = (
    150  # milliseconds at p95; on a busy machine the processor's time and the questions tell more
)
Progress = Callable[[int, int], None]

# Figures, not lists: over all cases, and over those of three months.
FIGURE_SCREENS: Final = {"overview": "/", "analysis": "/analysis/"}
# {n} changes with each round.
LIST_SCREENS: Final = {
    "suspects": "/suspects/",
    "suspects, a page on": "/suspects/?page={page}",
    "suspects, leads": "/suspects/?status=lead&page={page}",
    "suspects, each case": "/suspects/?fold=none&status=lead&page={page}",
    "suspects, by site": "/suspects/?fold=site&page={page}",
    "suspects, by work": "/suspects/?fold=work&status=lead",
    "suspects, of a site": "/suspects/?host=host{host}.example",
    "suspects, largest": "/suspects/?order=largest&status=lead",
    "suspects, likeliest, uncertain": "/suspects/?order=likeliest&band=uncertain",
    "suspects, by level and presence": "/suspects/?level=light&present=no&licensed=no",
    "suspects, of nobody": "/suspects/?assignee=none&status=lead",
    "suspects, share and day": "/suspects/?share_from=0.5&share_to=0.75&since=2026-02-01",
    "suspects, removal to confirm": "/suspects/?removal=yes",
    "suspects, words": "/suspects/?q={words}",
    "suspects, a sign that many have": "/suspects/?q=河",
    "suspects, a sign that many have, largest": "/suspects/?q=河&order=largest",
    "suspects, a word that all have": "/suspects/?q=example",
    "suspects, copies of a site": "/suspects/?host=host{host}.example&counted=copies",
    "suspects, present": "/suspects/?present=yes",
    "case": "/cases/{n}",
    "case, from a list": "/cases/{n}?status=lead",
    "notice": "/cases/{n}/notice",
    "works": "/works/?page={page}",
    "works, the last page": "/works/?page=10000",
    "works, words": "/works/?q={words}",
    "works, a word that all have": "/works/?q=w",
    "works, by series": "/works/series?page={page}",
    "works, of a series": "/works/?series=丛书{n}",
    "work": "/works/one?id=w{n}",
    "reports": "/reports/",
    "sites": "/sites/",
    "licences": "/licences/",
    "discoveries": "/discoveries/",
    "health": "/health/",
    "audit log": "/audit/",
    "users": "/users/",
}


def measure_dashboard(
    app: App, *, pages: int = 1_000_000, works: int = 100_000, cases: int = 50_000, progress: Progress | None = None
) -> BenchReport:
    """Fill the empty store, and request every list repeatedly, in one process, one request at a time."""
    report = BenchReport("dashboard")
    settings = app.settings.mongo
    assert settings.url
    done, total = 0, pages + works + cases

    def put(more: int) -> None:
        nonlocal done
        done += more
        if progress:
            progress(done, total)

    line = "河堤上的槐树开花的时候，修船的老人就把木凳搬到门外。\n"
    texts = app.store.blobs.put_texts([f"第{n}篇\n{line * 50}" for n in range(TEXT_COUNT)])
    fill_store(settings.url, settings.database, pages=pages, works=works, cases=cases, texts=texts, put=put)
    app.store.prepare()
    app.store.licences.put(Licence(id="l1", licensee="晨读网", url_prefix="morning.example", work_id=None))
    report.figures |= {"pages": pages, "works": works, "cases": cases}
    time_screens(app, report, min(works, cases))
    return report


def time_screens(app: App, report: BenchReport, most: int) -> None:
    """Time every list over the store. most: the highest number of works and cases."""
    client = create_app(
        replace(app, now=lambda: STORE_TIME),
        secret_key=secrets.token_hex(16),
        sign_in=False,
        health=dict,
    ).test_client()
    freeze_memory()
    p95s = {}
    with MongoClient[dict[str, Any]](app.settings.mongo.url) as server:
        for name, address in {**FIGURE_SCREENS, **LIST_SCREENS}.items():
            before, cpu = _mongo_cost(server), time.process_time()
            p50, p95s[name] = map(float, np.percentile(list(_screen_milliseconds(client, address, most)), [50, 95]))
            spent = [
                (after - first) / (SCREEN_ROUNDS + 1) for after, first in zip(_mongo_cost(server), before, strict=True)
            ]
            report.rows.append(
                {
                    "list": name,
                    "p50, ms": p50,
                    "p95, ms": p95s[name],
                    "processor, ms": 1000 * (time.process_time() - cpu) / (SCREEN_ROUNDS + 1),
                    "of MongoDB, ms": spent[0],
                    "questions": spent[1],
                }
            )
        decided = float(np.percentile(list(_decision_milliseconds(client, most)), 95))
    report.figures["a decision and the next case, p95 in ms"] = decided
    report.limits.append(Limit("overview, p95 in ms", p95s["overview"], most=MAX_P95_MILLISECONDS))
    slowest = max(LIST_SCREENS, key=p95s.__getitem__)
    report.limits.append(Limit(f"slowest list ({slowest}), p95 in ms", p95s[slowest], most=MAX_P95_MILLISECONDS))


def _mongo_cost(server: MongoClient[dict[str, Any]]) -> tuple[float, float]:
    """Return processor milliseconds of MongoDB, and its answered queries, since its start."""
    status = server.get_database("admin").command("serverStatus")
    used, asked = status["extra_info"], status["opcounters"]
    questions = asked["query"] + asked["getmore"] + asked["command"]
    return (used["user_time_us"] + used["system_time_us"]) / 1000, questions


def _decision_milliseconds(client: FlaskClient, most: int) -> Iterator[float]:
    """Yield server milliseconds for one decision by key and the next case beside the list."""
    page = client.get("/suspects/?status=lead").text
    token = page.split('name="csrf_token" value="', 1)[1].split('"', 1)[0]
    for round_ in range(DECISION_COUNT):
        n = 1 + round_ * 7_919 % most
        form = {"csrf_token": token, "case": str(n), "status": "quiet"}
        start = time.perf_counter()
        done = client.post("/suspects/decisions?status=lead", data=form, headers={"Accept": "application/json"})
        seen = client.get(f"/suspects/preview/{n % most + 1}?status=lead")
        if done.status_code != 200 or seen.status_code != 200:
            raise AssertionError(f"case {n}: the decision answered {done.status_code}, the next {seen.status_code}")
        yield 1000 * (time.perf_counter() - start)


def _screen_milliseconds(client: FlaskClient, address: str, most: int) -> Iterator[float]:
    """Yield the milliseconds of each round without the first, which meets cold caches."""
    for round_ in range(SCREEN_ROUNDS + 1):
        n = 1 + round_ * 7_919 % most
        here = address.format(n=n, page=1 + round_ % 40, host=round_ % min(HOST_COUNT, 12), words=generate_title(n)[:2])
        start = time.perf_counter()
        answer = client.get(here)
        took = 1000 * (time.perf_counter() - start)
        if answer.status_code != 200:
            raise AssertionError(f"{here} answered {answer.status_code}")
        if round_:
            yield took
