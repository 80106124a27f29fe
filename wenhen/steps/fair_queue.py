"""Name the queues. Queue steps by share, with weighted fair queueing in Redis."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wenhen.context.store_and_queue import QueueShare
from wenhen.kit.progress import OwnerKind, Step

if TYPE_CHECKING:
    import redis

CRAWL_QUEUE = "crawl"  # fetching: long, waits for the network
TEXT_QUEUE = "text"  # extraction and fingerprints: short, CPU-bound
MATCH_QUEUE = "match"  # look-up, alignment, cases
UPKEEP_QUEUE = "upkeep"  # reconciler, schedule, rebuilds
WEBHOOK_QUEUE = "webhooks"  # calls to other machines, which may be slow; separate from crawls, which are long
EVIDENCE_QUEUE = "evidence"  # exhibits and long reports: a browser, slow time-stamp authorities, many pages
PICTURE_QUEUE = "pictures"  # OCR of images, seconds each
QUEUES = (CRAWL_QUEUE, TEXT_QUEUE, MATCH_QUEUE, UPKEEP_QUEUE, WEBHOOK_QUEUE, EVIDENCE_QUEUE, PICTURE_QUEUE)

HIGH_PRIORITY, LOW_PRIORITY = 0, 3  # kombu priorities on Redis, each with a list of its own; 0 is the queue itself
LOW_PRIORITY_CRAWLS = "\x06\x16".join(
    (CRAWL_QUEUE, str(LOW_PRIORITY))
)  # scheduled crawls, behind those that users ask for
STEP_QUEUES = (
    TEXT_QUEUE,
    MATCH_QUEUE,
    PICTURE_QUEUE,
)  # queues whose records wait by share; a message only says that something waits
BATCH_TASK = "batch"  # task that runs the next turn of a step queue
SENT_HEADER = "sent"  # message header: time of sending, in seconds since 1970

_STEP_QUEUE = {
    Step.EXTRACT: TEXT_QUEUE,
    Step.READ_PICTURES: PICTURE_QUEUE,
    Step.FINGERPRINT: TEXT_QUEUE,
    Step.INDEX: TEXT_QUEUE,
    Step.REMOVE: MATCH_QUEUE,
    Step.LOOK_UP: MATCH_QUEUE,
    Step.ALIGN: MATCH_QUEUE,
}


def queue_of(step: Step) -> str:
    """Return the queue of this step."""
    return _STEP_QUEUE[step]


# Weighted fair queueing (Demers et al. 1989) of the records in a queue, by share, charged by the time of work.
#
# wenhen:{QUEUE}:turns      zset    share by its virtual time: its seconds of work, divided by its weight
# wenhen:{QUEUE}:clock      string  virtual time of the last turn; a share that joins begins here
# wenhen:{QUEUE}:of:{SHARE} zset    waiting records of a share, by arrival (microseconds of the server's clock)
# wenhen:{QUEUE}:whose      hash    share of each waiting record: no record waits twice
# wenhen:{QUEUE}:pace       hash    seconds per record of the last turn, by share, and by kind of record
#
# A turn is charged one second at its start, and the rest at its end. If its worker dies, only that second is charged,
# and the reconciler finds its records.
#
# A turn that empties its share goes on with the next shares, as long as it empties each and stays as short as a turn of
# fast records. Otherwise hundreds of hosts with a few pages each would all pay the costs of a turn. Shares of weight
# have turns of their own, because somebody waits for them.


SINGLE_MODE: Final = "alone"
BATCH_MODE: Final = "together"
TURN_SECONDS: Final = 10  # target duration of a turn, after which other shares have theirs
# Fast records are cheaper in larger batches, up to this duration and number.
QUICK_TURN_SECONDS: Final = 2
_DEFAULT_MAX_RECORDS: Final = 50
MAX_QUICK_RECORDS: Final = 200
# New works are cheaper in large batches; other steps take long for each record.
_MAX_RECORDS: Final[Mapping[tuple[OwnerKind, Step], int]] = {
    (OwnerKind.WORK, Step.FINGERPRINT): 500,
    (OwnerKind.WORK, Step.INDEX): 500,
    (OwnerKind.WORK, Step.LOOK_UP): 20,
    (OwnerKind.WORK, Step.REMOVE): 10,
    (OwnerKind.PAGE, Step.READ_PICTURES): 5,
}

_KEYS_SCRIPT = """
local turns, clock, whose, pace, of = KEYS[1]..':turns', KEYS[1]..':clock', KEYS[1]..':whose', KEYS[1]..':pace', KEYS[1]..':of:'
local function weight(share) return tonumber(string.match(share, ':(%d+)$')) end
"""  # noqa: E501  a list of names

# ARGV: share, '1' to leave waiting records where they are, '1' to put new ones before all others of the share, the
# records. Returns the number of new records.
_PUT_SCRIPT = (
    _KEYS_SCRIPT
    + """
local share, stay, came = ARGV[1], ARGV[2] == '1', 0
local at = redis.call('TIME')
local now = at[1] * 1000000 + at[2]
if ARGV[3] == '1' then
  now = (tonumber(redis.call('ZRANGE', of..share, 0, 0, 'WITHSCORES')[2]) or now) - #ARGV - 1
end
for i = 4, #ARGV do
  local before = redis.call('HGET', whose, ARGV[i])
  if not before or (not stay and weight(before) < weight(share)) then
    if before then redis.call('ZREM', of..before, ARGV[i]) end
    redis.call('HSET', whose, ARGV[i], share)
    redis.call('ZADD', of..share, now + i, ARGV[i])
    came = came + 1
  end
end
if came > 0 then redis.call('ZADD', turns, 'NX', redis.call('GET', clock) or 0, share) end
return came
"""
)

# ARGV: seconds of a turn, default maximum of records, seconds and maximum of fast records, then pairs of a record
# prefix and its maximum. Returns whether the share has more, the records taken, and a list of shares with the number of
# their records.
_TAKE_SCRIPT = (
    _KEYS_SCRIPT
    + """
local left, taken, shares, had = 0, {}, {}, {}
local begins, apart, each, seconds
while true do
  local first = redis.call('ZRANGE', turns, 0, 0, 'WITHSCORES')
  local share, turn = first[1], first[2]
  if not share or had[share] then break end
  local head = redis.call('ZRANGE', of..share, 0, 0)[1]
  local some
  if not head then
    redis.call('ZREM', turns, share)
    redis.call('HDEL', pace, share)
  elseif not begins then
    begins = string.match(head, '^%w+:%w+:[%w_]+:')
    local took, most = tonumber(redis.call('HGET', pace, share) or 0), tonumber(ARGV[2])
    if took > 0 then most = math.max(most, math.min(tonumber(ARGV[4]), math.floor(ARGV[3] / took))) end
    apart = weight(share) > 1
    for i = 5, #ARGV, 2 do
      if ARGV[i] == begins then most, apart = tonumber(ARGV[i + 1]), true end
    end
    if string.sub(begins, 1, 6) == 'alone:' then most, apart = 1, true end
    local room = most
    if took * most > tonumber(ARGV[1]) then room = math.max(1, math.floor(ARGV[1] / took)) end
    some = {}
    for i, one in ipairs(redis.call('ZRANGE', of..share, 0, most - 1)) do
      if string.sub(one, 1, #begins) ~= begins then break end
      if i > room then
        left = 1
        break
      end
      some[i] = one
    end
    each = tonumber(redis.call('HGET', pace, begins) or 0)
    seconds = ARGV[3] - #some * math.max(took, each)
    apart = apart or each == 0 or redis.call('ZCARD', of..share) > #some
  else
    local count = redis.call('ZCARD', of..share)
    local its = math.max(each, tonumber(redis.call('HGET', pace, share) or 0))
    seconds = seconds - count * its
    if weight(share) > 1 or seconds < 0 or #taken + count > tonumber(ARGV[4]) then break end
    some = redis.call('ZRANGE', of..share, 0, -1)
    for _, one in ipairs(some) do
      if string.sub(one, 1, #begins) ~= begins then
        some = nil
        break
      end
    end
    if not some then break end
  end
  if some then
    redis.call('SET', clock, turn)
    redis.call('ZINCRBY', turns, 1 / weight(share), share)
    for _, one in ipairs(some) do
      redis.call('ZREM', of..share, one)
      redis.call('HDEL', whose, one)
      taken[#taken + 1] = one
    end
    had[share] = true
    shares[#shares + 1] = share
    shares[#shares + 1] = #some
    if apart then break end
  end
end
if #taken == 0 then return nil end
return {left, taken, shares}
"""
)

# ARGV: seconds, records and their prefix, then pairs of a share and the number of its records. Returns the number of
# waiting records of all shares.
_SPENT_SCRIPT = (
    _KEYS_SCRIPT
    + """
local each = ARGV[1] / ARGV[2]
for i = 4, #ARGV, 2 do
  local share = ARGV[i]
  if redis.call('ZSCORE', turns, share) then
    redis.call('ZINCRBY', turns, (each * ARGV[i + 1] - 1) / weight(share), share)
    redis.call('HSET', pace, share, each)
  end
end
redis.call('HSET', pace, ARGV[3], each)
return redis.call('HLEN', whose)
"""
)

# Returns the arrival time of the record that waits longest, in microseconds.
_OLDEST_SCRIPT = (
    _KEYS_SCRIPT
    + """
local oldest
for _, share in ipairs(redis.call('ZRANGE', turns, 0, -1)) do
  local came = tonumber(redis.call('ZRANGE', of..share, 0, 0, 'WITHSCORES')[2])
  if came and (not oldest or came < oldest) then oldest = came end
end
return oldest and string.format('%.0f', oldest)
"""
)


class ShareTurn(NamedTuple):
    """Records for one turn: a batch, or a single one (`alone`). shares: their ids by share, nearly always of one share
    only. left: that share had more of the same kind.
    """

    queue: str
    kind: OwnerKind
    step: Step
    shares: Mapping[str, Sequence[str]]
    alone: bool
    left: bool

    @property
    def ids(self) -> list[str]:
        """Return the ids of all records."""
        return list(chain.from_iterable(self.shares.values()))


class FairShares:
    """The waiting records of each step queue, in Redis. The methods raise the errors of redis-py."""

    def __init__(self, client: "redis.Redis") -> None:
        self._redis = client
        self._put, self._take, self._spent, self._oldest = map(
            client.register_script, (_PUT_SCRIPT, _TAKE_SCRIPT, _SPENT_SCRIPT, _OLDEST_SCRIPT)
        )

    def put(
        self,
        queue: str,
        share: QueueShare,
        kind: OwnerKind,
        step: Step,
        ids: Iterable[str],
        *,
        how: str,
        stay: bool = False,
        first: bool = False,
    ) -> int:
        """Queue records behind the others of their share, or before them (`first`).

        Waiting records move to a share of greater weight, unless `stay`.

        Returns the number of further turns that the queue needs.
        """
        begins = _item_prefix(how, kind, step)
        came = int(
            self._put([_queue_key(queue)], [_share_key(share), int(stay), int(first), *(f"{begins}{id}" for id in ids)])
        )
        return -(-came // (1 if how == SINGLE_MODE else max_batch_records(kind, step)))

    def take(self, queue: str) -> ShareTurn | None:
        """Take the records of the next turn; None if nothing waits."""
        bounds = (TURN_SECONDS, _DEFAULT_MAX_RECORDS, QUICK_TURN_SECONDS, MAX_QUICK_RECORDS, *_MAX_RECORDS_ARGUMENTS)
        reply: tuple[int, list[bytes], list[Any]] | None = self._take([_queue_key(queue)], bounds)
        if reply is None:
            return None
        left, taken, counts = reply
        how, kind, step, _ = taken[0].decode().split(":", 3)
        ids = (item.decode().split(":", 3)[3] for item in taken)
        shares = {
            share.decode(): list(islice(ids, int(count)))
            for share, count in zip(counts[::2], counts[1::2], strict=True)
        }
        return ShareTurn(queue, OwnerKind(kind), Step(step), shares, how == SINGLE_MODE, bool(left))

    def charge_turn(self, turn: ShareTurn, seconds: float) -> int:
        """Charge the shares of a turn for its duration, by their records. Return the number of records that wait in the
        queue.
        """
        arguments: list[str | float] = [seconds, len(turn.ids), _prefix_of(turn)]
        for share, ids in turn.shares.items():
            arguments += [share, len(ids)]
        return int(self._spent([_queue_key(turn.queue)], arguments))

    def count_waiting(self, queue: str, share: QueueShare | None = None) -> int:
        """Count the waiting records. share: only of this share."""
        key = _queue_key(queue)
        return int(self._redis.hlen(f"{key}:whose") if share is None else self._redis.zcard(_waiting_key(key, share)))

    def put_back(self, turn: ShareTurn) -> int:
        """Queue the records of a turn again, before the others of their shares, and return the number of turns.

        The shares pay for the start of this turn, so other shares come next.
        """
        return sum(
            self.put(turn.queue, _parse_share(share), turn.kind, turn.step, ids, how=_how_of(turn), first=True)
            for share, ids in turn.shares.items()
        )

    def oldest(self, queue: str) -> datetime | None:
        """Return the arrival time of the record that waits longest."""
        came: Any = self._oldest([_queue_key(queue)])
        return None if came is None else datetime.fromtimestamp(int(came) / 1e6, UTC)


def max_batch_records(kind: OwnerKind, step: Step) -> int:
    """Return the maximum number of records in a batch."""
    return _MAX_RECORDS.get((kind, step), _DEFAULT_MAX_RECORDS)


def _how_of(turn: ShareTurn) -> str:
    return SINGLE_MODE if turn.alone else BATCH_MODE


def _prefix_of(turn: ShareTurn) -> str:
    return _item_prefix(_how_of(turn), turn.kind, turn.step)


def _item_prefix(how: str, kind: OwnerKind, step: Step) -> str:
    return f"{how}:{kind}:{step}:"


_MAX_RECORDS_ARGUMENTS: Final = [
    x for (kind, step), most in _MAX_RECORDS.items() for x in (_item_prefix(BATCH_MODE, kind, step), most)
]


def _queue_key(queue: str) -> str:
    return f"wenhen:{{{queue}}}"


def _share_key(share: QueueShare) -> str:
    return f"{share.name}:{share.weight}"


def _parse_share(key: str) -> QueueShare:
    name, _, weight = key.rpartition(":")
    return QueueShare(name, int(weight))


def _waiting_key(queue_key: str, share: QueueShare) -> str:
    return f"{queue_key}:of:{_share_key(share)}"
