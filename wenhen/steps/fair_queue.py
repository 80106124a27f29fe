"""Name the queues. Queue steps by share, with weighted fair queueing in Redis."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wenhen.kit.progress import OwnerKind, Step
from wenhen.product.queue import QueueShare

if TYPE_CHECKING:
    import redis

CRAWL_QUEUE = "crawl"  # fetching: long, waits for the network
TEXT_QUEUE = "text"  # extraction and fingerprints: short, busy
MATCH_QUEUE = "match"  # look-up, alignment, cases
UPKEEP_QUEUE = "upkeep"  # sweep, schedule, rebuilds
WEBHOOK_QUEUE = "webhooks"  # told to other machines, which may be slow: apart from crawls, which are long
EVIDENCE_QUEUE = "evidence"  # exhibits and long reports: a browser, authorities that may be slow, many pages
PICTURE_QUEUE = "pictures"  # reading what is written in pictures: seconds each
QUEUES = (CRAWL_QUEUE, TEXT_QUEUE, MATCH_QUEUE, UPKEEP_QUEUE, WEBHOOK_QUEUE, EVIDENCE_QUEUE, PICTURE_QUEUE)

HIGH_PRIORITY, LOW_PRIORITY = 0, 3  # of kombu's priorities on Redis, each a list of its own; 0 is the queue's own
LOW_PRIORITY_CRAWLS = "\x06\x16".join(
    (CRAWL_QUEUE, str(LOW_PRIORITY))
)  # what the schedule asks for, behind what people do
STEP_QUEUES = (
    TEXT_QUEUE,
    MATCH_QUEUE,
    PICTURE_QUEUE,
)  # in which records wait by whose they are; messages only say that something waits
BATCH_TASK = "batch"  # the task that does what comes next of a queue of steps
SENT_HEADER = "sent"  # header of a message: when it was sent, in seconds since 1970

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
    """The queue in which this step waits."""
    return _STEP_QUEUE[step]


# What waits in a queue, by whose it is, and whose turn comes next: weighted fair queueing (Demers et al. 1989) by the
# time that the work took.
#
# wenhen:{QUEUE}:turns      zset    share by its turn: the seconds of work that it had, divided by its weight
# wenhen:{QUEUE}:clock      string  the turn that came last: a share that joins begins here, whatever it missed
# wenhen:{QUEUE}:of:{SHARE} zset    what waits of a share, by when it came (microseconds of the server's clock)
# wenhen:{QUEUE}:whose      hash    what waits by its share: nothing waits twice
# wenhen:{QUEUE}:pace       hash    share by the seconds that a record of it took last
#
# A turn is charged a second when it is taken, and what it took beyond that when it is over. One that died was charged
# that second, and its records are found by the sweep.


SINGLE_MODE: Final = "alone"
BATCH_MODE: Final = "together"
TURN_SECONDS: Final = 10  # that a turn may take about, after which others have theirs
# What is quick costs less the more of it goes together: as much as takes about so long, in these bounds.
QUICK_TURN_SECONDS: Final = 2
_DEFAULT_MAX_RECORDS: Final = 50
MAX_QUICK_RECORDS: Final = 200
# Works that come in cost less the more of them go together; others take long each.
_MAX_RECORDS: Final[Mapping[tuple[OwnerKind, Step], int]] = {
    (OwnerKind.WORK, Step.FINGERPRINT): 500,
    (OwnerKind.WORK, Step.INDEX): 500,
    (OwnerKind.WORK, Step.LOOK_UP): 10,
    (OwnerKind.WORK, Step.REMOVE): 10,
    (OwnerKind.PAGE, Step.READ_PICTURES): 5,
}

_KEYS_SCRIPT = """
local turns, clock, whose, pace, of = KEYS[1]..':turns', KEYS[1]..':clock', KEYS[1]..':whose', KEYS[1]..':pace', KEYS[1]..':of:'
local function weight(share) return tonumber(string.match(share, ':(%d+)$')) end
"""  # noqa: E501  a list of names

# ARGV: share, whether what waits already stays where it is ('1'), whether what comes goes before all that waits of the
# share ('1'), what comes; how many came
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

# ARGV: seconds that a turn may take, most records by default, seconds up to which it may have more and how many, then
# how some begin and their most; the share, whether more is left, what is taken
_TAKE_SCRIPT = (
    _KEYS_SCRIPT
    + """
while true do
  local first = redis.call('ZRANGE', turns, 0, 0, 'WITHSCORES')
  if #first == 0 then return nil end
  local share, turn = first[1], first[2]
  local head = redis.call('ZRANGE', of..share, 0, 0)[1]
  if not head then
    redis.call('ZREM', turns, share)
    redis.call('HDEL', pace, share)
  else
    redis.call('SET', clock, turn)
    redis.call('ZINCRBY', turns, 1 / weight(share), share)
    local took = tonumber(redis.call('HGET', pace, share) or 0)
    local begins, most = string.match(head, '^%w+:%w+:[%w_]+:'), tonumber(ARGV[2])
    if took > 0 then most = math.max(most, math.min(tonumber(ARGV[4]), math.floor(ARGV[3] / took))) end
    for i = 5, #ARGV, 2 do
      if ARGV[i] == begins then most = tonumber(ARGV[i + 1]) end
    end
    if string.sub(begins, 1, 6) == 'alone:' then most = 1 end
    local room = most
    if took * most > tonumber(ARGV[1]) then room = math.max(1, math.floor(ARGV[1] / took)) end
    local taken, left = {share, '0'}, redis.call('ZRANGE', of..share, 0, most - 1)
    for i, one in ipairs(left) do
      if string.sub(one, 1, #begins) ~= begins then break end
      if i > room then
        taken[2] = '1'
        break
      end
      taken[#taken + 1] = one
    end
    for i = 3, #taken do
      redis.call('ZREM', of..share, taken[i])
      redis.call('HDEL', whose, taken[i])
    end
    return taken
  end
end
"""
)

# ARGV: share, seconds, records
_SPENT_SCRIPT = (
    _KEYS_SCRIPT
    + """
if redis.call('ZSCORE', turns, ARGV[1]) then
  redis.call('ZINCRBY', turns, (ARGV[2] - 1) / weight(ARGV[1]), ARGV[1])
  redis.call('HSET', pace, ARGV[1], ARGV[2] / ARGV[3])
end
"""
)

# When what waits longest came, in microseconds
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
    """Records of one share that are worked at together, or one alone; `left`: the share had more of the same kind."""

    queue: str
    share: str
    kind: OwnerKind
    step: Step
    ids: Sequence[str]
    alone: bool
    left: bool


class FairShares:
    """What waits for a step in each queue, in the Redis of the queues. Its methods raise what redis-py raises."""

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
        """Let records wait, behind the others of their share or before them; for how many turns there is more now. What
        waits already moves to a share of more weight, unless it is to stay.
        """
        begins = _item_prefix(how, kind, step)
        came = int(
            self._put([_queue_key(queue)], [_share_key(share), int(stay), int(first), *(f"{begins}{id}" for id in ids)])
        )
        return -(-came // (1 if how == SINGLE_MODE else max_batch_records(kind, step)))

    def take(self, queue: str) -> ShareTurn | None:
        """Whose turn it is, and what is to be done in it; None where nothing waits."""
        bounds = (TURN_SECONDS, _DEFAULT_MAX_RECORDS, QUICK_TURN_SECONDS, MAX_QUICK_RECORDS, *_MAX_RECORDS_ARGUMENTS)
        taken: list[bytes] | None = self._take([_queue_key(queue)], bounds)
        if taken is None:
            return None
        share, left, *items = (part.decode() for part in taken)
        how, kind, step, _ = items[0].split(":", 3)
        ids = [item.split(":", 3)[3] for item in items]
        return ShareTurn(queue, share, OwnerKind(kind), Step(step), ids, how == SINGLE_MODE, left == "1")

    def charge_turn(self, turn: ShareTurn, seconds: float) -> None:
        """Charge its share what a turn took."""
        self._spent([_queue_key(turn.queue)], [turn.share, seconds, len(turn.ids)])

    def waiting(self, queue: str) -> int:
        """How many records wait."""
        return int(self._redis.hlen(f"{_queue_key(queue)}:whose"))

    def oldest(self, queue: str) -> datetime | None:
        """Since when the record waits that waits longest."""
        came: Any = self._oldest([_queue_key(queue)])
        return None if came is None else datetime.fromtimestamp(int(came) / 1e6, UTC)


def max_batch_records(kind: OwnerKind, step: Step) -> int:
    """How many records of a kind are worked at together at most."""
    return _MAX_RECORDS.get((kind, step), _DEFAULT_MAX_RECORDS)


def _item_prefix(how: str, kind: OwnerKind, step: Step) -> str:
    return f"{how}:{kind}:{step}:"


_MAX_RECORDS_ARGUMENTS: Final = [
    x for (kind, step), most in _MAX_RECORDS.items() for x in (_item_prefix(BATCH_MODE, kind, step), most)
]


def _queue_key(queue: str) -> str:
    return f"wenhen:{{{queue}}}"


def _share_key(share: QueueShare) -> str:
    return f"{share.name}:{share.weight}"
