"""When a run counts as lost, since its crawlers died or were silent for too long, and whether it is taken up again."""

from datetime import timedelta

from services.context import Product
from services.crawls.end_of_run import end
from services.crawls.runs import HELD, WORKING, send_again
from store.messages import Message
from store.records import Run, RunKind, RunState

LOST_AFTER = timedelta(seconds=30)
MAX_LOSSES = 3  # a crawl that takes its worker down this often is left to people
DIED = Message("crawls.died")


def lose(product: Product, run_id: str, problem: Message) -> None:
    """A crawler went away without a word: call for another one, which goes on where it was, unless that was so too
    often.
    """
    if product.store.runs.get(run_id).ended_at is not None:
        return
    run = product.store.runs.lose(run_id, product.now())
    if run.losses >= MAX_LOSSES:
        end(product, run, problem)
    elif run.state in WORKING:
        send_again(product, run_id)


def take_up_lost(product: Product) -> int:
    """See to the runs that were silent for too long: go on with those whose crawlers died, send those that wait and
    whose call was lost, and do what was asked of the others. How many.
    """
    lost = 0
    for run in product.store.runs.active(RunKind.CRAWL):
        if run.state in HELD or product.now() - run.heartbeat_at < LOST_AFTER:
            continue
        if run.state is RunState.WAITING and _may_be_called(product, run):
            continue
        # It may have gone on since it was read, and another sweep may have read the same.
        if product.store.runs.take_silent(run.id, run.heartbeat_at, product.now()):
            _take_up(product, run)
            lost += 1
    return lost


def _take_up(product: Product, run: Run) -> None:
    match run.state:
        case RunState.PAUSING:
            product.store.runs.move(run.id, {run.state}, RunState.PAUSED, product.now())
        case RunState.STOPPING:
            end(product, run)
        case RunState.WAITING:
            send_again(product, run.id)
        case _:
            lose(product, run.id, DIED)


def _may_be_called(product: Product, run: Run) -> bool:
    """Whether the call for a crawler may be among those that wait: it was sent as the run began to, and calls of people
    and of the schedule each keep their order.
    """
    oldest = product.queue.oldest().get("crawl")
    return oldest is not None and oldest <= run.heartbeat_at + LOST_AFTER
