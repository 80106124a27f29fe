"""What files give as works, and a text of a work."""

from services.importing.drafts_and_refusals import Found, Refused
from services.importing.read_one_file import read_bytes
from store.records import WorkDraft

TEXT = (
    "渡口的灯亮到后半夜，老艄公才把船拴好。他说这条河年轻的时候脾气坏，一夜之间就能改道，"
    "把东岸的田推到西岸去。村里人笑他吹牛，可是谁也不敢在雨季走夜船。"
)


def drafts(found: list[Found]) -> list[WorkDraft]:
    return [one for one in found if isinstance(one, WorkDraft)]


def refusals(found: list[Found]) -> list[Refused]:
    return [one for one in found if isinstance(one, Refused)]


def read(content: bytes, name: str) -> list[Found]:
    return list(read_bytes(content, name))
