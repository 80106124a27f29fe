"""What files give as works, and a text of a work."""

from wenhen.works.importers.drafts import ImportItem, Refused
from wenhen.works.importers.file_reader import read_bytes
from wenhen.works.model import WorkDraft

TEXT = (
    "渡口的灯亮到后半夜，老艄公才把船拴好。他说这条河年轻的时候脾气坏，一夜之间就能改道，"
    "把东岸的田推到西岸去。村里人笑他吹牛，可是谁也不敢在雨季走夜船。"
)


def drafts(found: list[ImportItem]) -> list[WorkDraft]:
    return [one for one in found if isinstance(one, WorkDraft)]


def refusals(found: list[ImportItem]) -> list[Refused]:
    return [one for one in found if isinstance(one, Refused)]


def read(content: bytes, name: str) -> list[ImportItem]:
    return list(read_bytes(content, name))
