"""The words of a notice, in the shape that its law asks for."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import StrictUndefined, Template
from jinja2.sandbox import SandboxedEnvironment

from services.context import Product
from services.notices.notice_subject import NoticeSubject
from store.records import Case, Holder, NoticeLaw, Platform, Work
from store.rules.china_time import CHINA, day_of
from store.rules.library.holder_papers import valid
from store.rules.percent import percent
from store.rules.visible_signs import in_signs


def worded(law: NoticeLaw, values: Mapping[str, Any]) -> str:
    """The text of a notice, as it is first proposed. values: those of `told`."""
    return _template(law).render(values).strip() + "\n"


def told(
    product: Product, subject: NoticeSubject, copies: Sequence[Case], platform: Platform, to: str, number: str
) -> dict[str, Any]:
    """What a notice about these copies says, ready to be written: each value one line."""
    assert subject.holder is not None
    today = day_of(product.now())
    named = {one.work_id for one in copies}
    return {
        "number": number,
        "to": _line(to),
        "days": platform.days,
        "holder": subject.holder,
        "works": [_work(one) for one in subject.works if one.id in named],
        "copies": [_copy(one) for one in copies],
        "papers": _papers(subject.holder, product),
        "today": today.isoformat(),
    }


@cache
def _template(law: NoticeLaw) -> Template:
    text = (resources.files(__package__) / "texts" / f"{law}.txt").read_text(encoding="utf-8")
    environment = SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, autoescape=False
    )
    return environment.from_string(text)


def _work(work: Work) -> dict[str, str | None]:
    return {
        "title": _line(work.title),
        "author": _line(work.author),
        "published": day_of(work.published_at).isoformat() if work.published_at else None,
        "proof": _line(work.proof),
        "url": _line(work.url),
    }


def _copy(case: Case) -> dict[str, str | int]:
    return {
        "number": case.number,
        "url": _line(case.page_url),
        "title": _line(case.page_title or ""),
        "work": _line(case.work_title),
        "share": percent(case.match.share_of_work),
        "fetched": case.capture.fetched_at.astimezone(CHINA).strftime("%Y-%m-%d %H:%M:%S"),
        "digest": case.capture.body_digest,
    }


def _papers(holder: Holder, product: Product) -> list[str]:
    today = day_of(product.now())
    return [_line(paper.title) for paper in holder.papers if valid(paper, today)]


def _line(words: str | None) -> str:
    """On one line and in signs, so that a foreign title adds no line to a letter and turns none of it round."""
    return in_signs(" ".join((words or "").split()))
