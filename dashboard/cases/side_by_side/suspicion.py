"""A suspicion as the case screen shows it: its sentences in the place of passages, so that lines draw them together."""

from dataclasses import replace

from store.records import Case, Change, Level, Passage


def is_copied(case: Case) -> bool:
    """Whether letters show the copy."""
    return case.match.level is not Level.SUSPECTED


def with_sentences(case: Case) -> Case:
    """The case with the sentences of a suspicion as passages; any other as it is."""
    if is_copied(case):
        return case
    passages = tuple(
        Passage(
            page_start=one.page_start,
            page_end=one.page_end,
            work_start=one.work_start,
            work_end=one.work_end,
            similarity=0.0,
            change=Change.REWRITTEN,
        )
        for one in case.match.retold
    )
    return replace(case, match=replace(case.match, passages=passages))
