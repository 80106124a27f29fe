"""Keep the frontier of one run in Redis, shared by crawlers on any number of hosts.

Keys, all with the run's hash tag, so that they stand on one node of a cluster:

    wenhen:crawl:{RUN}:about     hash    state (open, over), number (last place in the queue given out)
    wenhen:crawl:{RUN}:seen      set     ids of all addresses entered
    wenhen:crawl:{RUN}:waiting   zset    id by its place: rank, then order of coming
    wenhen:crawl:{RUN}:held      zset    id by the time (server's clock) until which its crawler holds it
    wenhen:crawl:{RUN}:entries   hash    id -> place and payload of what waits or is held
    wenhen:crawl:{RUN}:captured  hash    id of a page -> id of the entry that it was captured for
    wenhen:crawl:{RUN}:taken     set     ids of entries in hand for which a page was taken
    wenhen:crawl:{RUN}:again     set     ids of entries whose crawler went away, so that they are fetched once more
    wenhen:crawl:{RUN}:counts    hash    the run's counts
    wenhen:crawl:{RUN}:crawlers  zset    name of a crawler by the time until which it is believed in

Each method is one script, so nothing of it can be half done. All keys go away by themselves `FRONTIER_TTL_SECONDS`
seconds after the last sign of life: a run that is resumed later than that, or whose Redis was emptied, is walked again
from its pages in the store.
"""

from collections.abc import Iterator, Mapping, Sequence
from secrets import token_hex
from typing import Any

import redis
from redis.cluster import RedisCluster

from crawler.politeness.rate import LUA_READ_LIST
from crawler.ports import MAX_ADDRESSES_PER_PAGE, FrontierEntry, FrontierExchange, FrontierState, PageClaim
from crawler.skip_reasons import DROPPED_REASON, PAGE_LIMIT_REASON
from wenhen.kit.errors import Unavailable

ENTRY_LEASE_SECONDS = 30.0  # seconds of silence after which a crawler loses its entries to others
FRONTIER_TTL_SECONDS = 7 * 24 * 3600  # seconds
ENDED_RUN_TTL_SECONDS = 24 * 3600  # seconds for which the end of a run is known
WAITING_BATCH_ENTRIES = 1_000  # entries of one query
MAX_RANK = 4095  # a place is a double, which is exact for 2^12 ranks of 2^40 numbers
KEY_NAMES = ("about", "seen", "waiting", "held", "entries", "captured", "taken", "again", "counts", "crawlers")

_LUA_COMMON = """
local about, seen, waiting, held, entries, captured, taken, again, counts, crawlers = unpack(KEYS)
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
local function back(id)
  local entry = redis.call('HGET', entries, id)
  if entry and redis.call('ZREM', held, id) == 1 then
    redis.call('ZADD', waiting, string.match(entry, '^(%d+) '), id)
  end
end
"""

# ARGV: seconds kept, then pairs of name and count
_LUA_BEGIN = (
    _LUA_COMMON
    + """
if redis.call('HSETNX', about, 'state', 'open') == 0 then return 0 end
-- What was taken since Redis was emptied is counted by whoever took it.
redis.call('DEL', seen, waiting, held, entries, captured, taken, again, counts)
for i = 2, #ARGV, 2 do redis.call('HINCRBY', counts, ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', about, ARGV[1])
redis.call('EXPIRE', counts, ARGV[1])
return 1
"""
)

# ARGV: lease, seconds kept, most pages, most addresses, want, name of the crawler, then lists, each behind its length:
# what is done, what is held, names and counts, and what is entered as id, rank and payload
_LUA_EXCHANGE = (
    _LUA_COMMON
    + f"local LEFT_OUT = 'refused_{PAGE_LIMIT_REASON}'\n"
    + "local at = 7"
    + LUA_READ_LIST
    + """
local state = redis.call('HGET', about, 'state')
if not state then return {'gone'} end
if state ~= 'open' then return {state} end
local first, last = list()
for i = first, last do
  redis.call('ZREM', held, ARGV[i])
  redis.call('ZREM', waiting, ARGV[i])
  redis.call('HDEL', entries, ARGV[i])
  redis.call('SREM', taken, ARGV[i])
  redis.call('SREM', again, ARGV[i])
end
local full = redis.call('HLEN', captured) >= tonumber(ARGV[3])
local first_held, last_held = list()
local till = now + tonumber(ARGV[1])
redis.call('ZADD', crawlers, 'XX', till, ARGV[6])
for i = first_held, last_held do redis.call('ZADD', held, 'XX', till, ARGV[i]) end
first, last = list()
for i = first, last, 2 do redis.call('HINCRBY', counts, ARGV[i], ARGV[i + 1]) end
first, last = list()
local room = tonumber(ARGV[4]) - redis.call('SCARD', seen)
for i = first, last, 3 do
  if room <= 0 then break end
  if redis.call('SADD', seen, ARGV[i]) == 1 then
    room = room - 1
    local number = redis.call('HINCRBY', about, 'number', 1)
    local place = string.format('%.0f', tonumber(ARGV[i + 1]) * 1099511627776 + number)
    redis.call('HSET', entries, ARGV[i], place .. ' ' .. ARGV[i + 2])
    redis.call('ZADD', waiting, place, ARGV[i])
  end
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', held, '-inf', now)) do
  back(id)
  redis.call('SADD', again, id)
end
-- What its crawler works on, and was entered again since Redis was emptied, is not to be given to anybody.
for i = first_held, last_held do
  if redis.call('ZREM', waiting, ARGV[i]) == 1 then redis.call('ZADD', held, till, ARGV[i]) end
end
if full then
  local left = 0
  for _, id in ipairs(redis.call('ZRANGE', waiting, 0, -1)) do
    if redis.call('SISMEMBER', taken, id) == 0 then
      redis.call('ZREM', waiting, id)
      redis.call('HDEL', entries, id)
      left = left + 1
    end
  end
  if left > 0 then redis.call('HINCRBY', counts, LEFT_OUT, left) end
end
local given = {}
if tonumber(ARGV[5]) > 0 then
  local popped = redis.call('ZPOPMIN', waiting, ARGV[5])
  for i = 1, #popped, 2 do
    local entry = redis.call('HGET', entries, popped[i])
    if entry then
      redis.call('ZADD', held, till, popped[i])
      given[#given + 1] = popped[i]
      given[#given + 1] = entry
      given[#given + 1] = redis.call('SISMEMBER', taken, popped[i])
      given[#given + 1] = redis.call('SISMEMBER', again, popped[i])
    end
  end
end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[2]) end
return {
  full and 'full' or 'open', redis.call('ZCARD', waiting), redis.call('ZCARD', held),
  redis.call('HGETALL', counts), given
}
"""
)

# ARGV: most pages, seconds kept, then pages and entries in turn
_LUA_TAKE = (
    _LUA_COMMON
    + """
local over = redis.call('HGET', about, 'state') == 'over'
local function take(page, entry)
  if over then return 'full' end
  local by = redis.call('HGET', captured, page)
  if by and by ~= entry then return 'before' end
  if not by and redis.call('HLEN', captured) >= tonumber(ARGV[1]) then return 'full' end
  redis.call('HSET', captured, page, entry)
  redis.call('SADD', seen, page)
  redis.call('SADD', taken, entry)
  return 'ours'
end
local answers = {}
for i = 3, #ARGV, 2 do answers[#answers + 1] = take(ARGV[i], ARGV[i + 1]) end
for _, key in ipairs({captured, seen, taken}) do redis.call('EXPIRE', key, ARGV[2]) end
return answers
"""
)

_LUA_GIVE_BACK = _LUA_COMMON + "for i = 1, #ARGV do back(ARGV[i]) end"

# ARGV: seconds kept, then ids; what was taken is still to be done
_LUA_DROP = (
    _LUA_COMMON
    + f"local DROPPED = 'refused_{DROPPED_REASON}'\n"
    + """
local dropped = 0
for i = 2, #ARGV do
  if redis.call('SISMEMBER', taken, ARGV[i]) == 0 and redis.call('ZREM', waiting, ARGV[i]) == 1 then
    redis.call('HDEL', entries, ARGV[i])
    dropped = dropped + 1
  end
end
if dropped > 0 then
  redis.call('HINCRBY', counts, DROPPED, dropped)
  redis.call('EXPIRE', counts, ARGV[1])
end
return dropped
"""
)

# ARGV: place behind which is looked, most entries
_LUA_WAITING = (
    _LUA_COMMON
    + """
local found = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', waiting, ARGV[1], '+inf', 'LIMIT', 0, ARGV[2])) do
  found[#found + 1] = id
  found[#found + 1] = redis.call('HGET', entries, id)
end
return found
"""
)

# ARGV: name of the crawler, lease, most crawlers at a time
_LUA_JOIN = (
    _LUA_COMMON
    + """
redis.call('ZREMRANGEBYSCORE', crawlers, '-inf', now)
if redis.call('ZCARD', crawlers) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', crawlers, now + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', crawlers, math.ceil(tonumber(ARGV[2])))
return 1
"""
)

_LUA_LEAVE = (
    _LUA_COMMON
    + """
redis.call('ZREM', crawlers, ARGV[1])
redis.call('ZREMRANGEBYSCORE', crawlers, '-inf', now)
return redis.call('ZCARD', crawlers)
"""
)

# ARGV: seconds for which the end is known
_LUA_END = (
    _LUA_COMMON
    + """
local all = redis.call('HGETALL', counts)
redis.call('DEL', unpack(KEYS))
redis.call('HSET', about, 'state', 'over')
redis.call('EXPIRE', about, ARGV[1])
return all
"""
)


class RedisFrontier:
    """The frontier of one run. `counts` are those of earlier crawlers. `lease` is in seconds and much longer than the
    pause between exchanges. `name` identifies the crawler.
    """

    def __init__(
        self,
        client: "redis.Redis | RedisCluster",
        run_id: str,
        most_pages: int,
        *,
        counts: Mapping[str, int] | None = None,
        lease: float = ENTRY_LEASE_SECONDS,
        name: str | None = None,
    ) -> None:
        self._client = client
        self._keys = [f"wenhen:crawl:{{{run_id}}}:{name}" for name in KEY_NAMES]
        self._most_pages = most_pages
        self._lease = lease
        self._name = name or token_hex(8)
        self._counts = dict(counts or {})  # the latest known: an emptied Redis continues from them

    def begin(self) -> None:
        """See `crawler.ports.Frontier`."""
        self._do(_LUA_BEGIN, FRONTIER_TTL_SECONDS, *_flatten_counts(self._counts))

    def exchange(
        self,
        *,
        done: Sequence[bytes] = (),
        entered: Sequence[FrontierEntry] = (),
        held: Sequence[bytes] = (),
        want: int = 0,
        counts: Mapping[str, int] | None = None,
    ) -> FrontierExchange:
        """See `crawler.ports.Frontier`."""
        most = MAX_ADDRESSES_PER_PAGE * self._most_pages
        new = [part for entry in entered for part in (entry.id, min(max(entry.rank, 0), MAX_RANK), entry.payload)]
        lists = (part for values in (done, held, _flatten_counts(counts or {}), new) for part in (len(values), *values))
        answer = self._do(
            _LUA_EXCHANGE, self._lease, FRONTIER_TTL_SECONDS, self._most_pages, most, want, self._name, *lists
        )
        state = FrontierState(answer[0].decode())
        if len(answer) == 1:
            return FrontierExchange(state)
        _, waiting, in_hand, pairs, given = answer
        self._counts = _parse_counts(pairs)
        ids = given[::4]
        entries = tuple(map(_parse_entry, ids, given[1::4]))
        taken, again = (
            frozenset(id for id, is_so in zip(ids, given[start::4], strict=True) if is_so) for start in (2, 3)
        )
        return FrontierExchange(state, entries, taken, waiting, in_hand, self._counts, again)

    def take(self, pages: Sequence[tuple[bytes, bytes]]) -> list[PageClaim]:
        """See `crawler.ports.Frontier`."""
        answers = self._do(
            _LUA_TAKE, self._most_pages, FRONTIER_TTL_SECONDS, *(part for pair in pages for part in pair)
        )
        return [PageClaim(answer.decode()) for answer in answers]

    def give_back(self, entries: Sequence[bytes]) -> None:
        """See `crawler.ports.Frontier`."""
        if entries:
            self._do(_LUA_GIVE_BACK, *entries)

    def iter_waiting(self) -> Iterator[FrontierEntry]:
        """Yield the entries that no crawler has in hand, in order, while the frontier changes."""
        behind = "-inf"
        while batch := self._do(_LUA_WAITING, behind, WAITING_BATCH_ENTRIES):
            yield from map(_parse_entry, batch[::2], batch[1::2])
            behind = f"({batch[-1].partition(b' ')[0].decode()}"

    def drop(self, ids: Sequence[bytes]) -> int:
        """Remove those of the entries that still wait, for good. Return their number."""
        return int(self._do(_LUA_DROP, FRONTIER_TTL_SECONDS, *ids))

    def join(self, most: int) -> bool:
        """Join the run, unless `most` crawlers have. Return whether this one joined."""
        return bool(self._do(_LUA_JOIN, self._name, self._lease, most))

    def leave(self) -> int:
        """Leave the run. Return the number of other crawlers."""
        return int(self._do(_LUA_LEAVE, self._name))

    def end(self) -> dict[str, int]:
        """Remove the frontier when its run is over, and return the last counts. Crawlers that still ask learn of the
        end.
        """
        return _parse_counts(self._do(_LUA_END, ENDED_RUN_TTL_SECONDS))

    def _do(self, script: str, *arguments: Any) -> Any:
        try:
            return self._client.eval(script, len(self._keys), *self._keys, *arguments)
        except (redis.RedisError, OSError) as error:
            raise Unavailable("server.frontier_silent", error=error) from error


def _flatten_counts(counts: Mapping[str, int]) -> list[str | int]:
    return [part for pair in counts.items() for part in pair if pair[1]]


def _parse_counts(pairs: Sequence[bytes]) -> dict[str, int]:
    return {name.decode(): int(count) for name, count in zip(pairs[::2], pairs[1::2], strict=True)}


def _parse_entry(id: bytes, written: bytes) -> FrontierEntry:
    place, _, payload = written.partition(b" ")
    return FrontierEntry(id, int(place) >> 40, payload)
