"""How much of the library and of the stored pages still has a step before it."""

from pipeline.context import Context


def unfinished(context: Context) -> int:
    """Works and pages that have a step before them."""
    # Works first: a page makes no work unfinished, but the look-up of a work may send pages on their way.
    works = context.store.works.count_unfinished()
    return works + context.store.pages.count_unfinished()


def works_unfinished(context: Context) -> bool:
    """Whether a work has a step before it, from this import or an earlier one that was cut short."""
    return context.store.works.count_unfinished() > 0
