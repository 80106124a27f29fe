"""Limit how often one host is requested: by all crawlers together in Redis, and by the slots of one crawler.

A slot allows one request at a time. The next request that follows takes a slot over without a message to other
crawlers. For them it stays taken, so no slot idles while another is asked for.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import islice
from time import monotonic
from typing import Any, Final, NamedTuple

import redis
from redis.cluster import RedisCluster

from crawler.ports import FOLLOW_WINDOW_SECONDS, SLOT_LEASE_SECONDS, SlotGrant
from wenhen.kit.errors import Unavailable

# Reads the next list from ARGV[at] on, each behind its length. Returns its first and last index.
LUA_READ_LIST: Final = """
local function list()
  local size = tonumber(ARGV[at])
  local first = at + 1
  at = at + 1 + size
  return first, at - 1
end
"""


# The rate of every host in Redis:
#
# wenhen:host:{HOST}:next (string): the server's time from which on the next request may be sent
# wenhen:host:{HOST}:active (zset): names of requests under way, by the end of their lease
# wenhen:host:{HOST}:queue (zset): names of requests without a slot, by the time when they first asked
# wenhen:host:{HOST}:asked (zset): the same by the time when they last asked, because silent ones lose their place


SILENCE_SECONDS = 2.0  # seconds of silence after which a request loses its place in the queue
FOLLOWS_PREFIX = b"after "  # precedes the seconds of a grant that follows

_LUA_CLOCK = """
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
local following = tonumber(redis.call('GET', KEYS[1]) or '0')
"""

# ARGV: delay, most at a time, lease, most that follow, then three lists, each behind its length: left, held, entering
_LUA_TURN = (
    _LUA_CLOCK
    + f"local SILENT, SOON, FOLLOWS = {SILENCE_SECONDS}, {FOLLOW_WINDOW_SECONDS}, '{FOLLOWS_PREFIX.decode()}'\n"
    + "local at = 5"
    + LUA_READ_LIST
    + """
local first, last = list()
for i = first, last do redis.call('ZREM', KEYS[2], ARGV[i]) end
local till = now + tonumber(ARGV[3])
first, last = list()
for i = first, last do redis.call('ZADD', KEYS[2], till, ARGV[i]) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
first, last = list()
for i = first, last do
  redis.call('ZADD', KEYS[3], 'NX', now + i / 1e6, ARGV[i])
  redis.call('ZADD', KEYS[4], now, ARGV[i])
end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now - SILENT)) do
  redis.call('ZREM', KEYS[3], name)
  redis.call('ZREM', KEYS[4], name)
end
local room = tonumber(ARGV[2]) - redis.call('ZCARD', KEYS[2])
local turn = {}
if room > 0 then
  for _, name in ipairs(redis.call('ZRANGE', KEYS[3], 0, room - 1)) do turn[name] = true end
end
local function admitted(name)
  redis.call('ZREM', KEYS[3], name)
  redis.call('ZREM', KEYS[4], name)
  local slot = math.max(now, following)
  following = slot + tonumber(ARGV[1])
  return tostring(slot - now)
end
local answers, beyond = {}, {}
for i = first, last do
  local place = i - first + 1
  if turn[ARGV[i]] then
    redis.call('ZADD', KEYS[2], till, ARGV[i])
    answers[place] = admitted(ARGV[i])
  else
    answers[place] = ''
    beyond[#beyond + 1] = place
  end
end
if redis.call('ZCARD', KEYS[3]) == #beyond then
  for n = 1, math.min(#beyond, tonumber(ARGV[4])) do
    if following - now > SOON then break end
    answers[beyond[n]] = FOLLOWS .. admitted(ARGV[first + beyond[n] - 1])
  end
end
if last >= first then
  local seconds = math.ceil(math.max(0, following - now)) + 60
  redis.call('SET', KEYS[1], string.format('%.6f', following), 'EX', seconds)
end
for i = 2, 4 do redis.call('EXPIRE', KEYS[i], 600) end
return answers
"""
)

# The argument is a time in seconds.
_LUA_COOLDOWN = (
    _LUA_CLOCK
    + """
local till = math.max(following, now + tonumber(ARGV[1]))
redis.call('SET', KEYS[1], string.format('%.6f', till), 'EX', math.ceil(till - now) + 60)
"""
)


class RedisRateLimiter:
    """The rate limiter that all crawlers share."""

    def __init__(self, client: "redis.Redis | RedisCluster", *, lease: float = SLOT_LEASE_SECONDS) -> None:
        self._client = client
        self._lease = lease

    def turn(
        self,
        host: str,
        entering: Sequence[str],
        *,
        left: Sequence[str],
        held: Sequence[str],
        delay: float,
        most: int,
        following: int = 0,
    ) -> list[SlotGrant | None]:
        """See `crawler.ports.RateLimiter`."""
        lists = (part for names in (left, held, entering) for part in (len(names), *names))
        answers = self._do(_LUA_TURN, host, delay, most, self._lease, following, *lists)
        return [_parse_grant(answer) if answer else None for answer in answers]

    def rest(self, host: str, seconds: float) -> None:
        """See `crawler.ports.RateLimiter`."""
        self._do(_LUA_COOLDOWN, host, seconds)

    def _do(self, script: str, host: str, *arguments: Any) -> Any:
        keys = [f"wenhen:host:{{{host}}}:{name}" for name in ("next", "active", "queue", "asked")]
        try:
            return self._client.eval(script, len(keys), *keys, *arguments)
        except (redis.RedisError, OSError) as error:
            raise Unavailable("server.pace_silent", error=error) from error


def _parse_grant(answer: bytes) -> SlotGrant:
    return SlotGrant(float(answer.removeprefix(FOLLOWS_PREFIX)), answer.startswith(FOLLOWS_PREFIX))


FOLLOWERS_PER_SLOT = 2  # followers for each slot
WAITING_PER_SLOT = 3  # waiting requests for each slot: a crawler with many must not overtake the others


class SlotAdmission(NamedTuple):
    """A slot, and the monotonic time from which on it may be used."""

    place: str
    starts_at: float


class _Follower(NamedTuple):
    request: str
    admission: "asyncio.Future[SlotAdmission]"
    starts_at: float


class HostSlots:
    """The slots of one host. `most` is the number of slots of all crawlers together. All methods run on the loop's
    thread.
    """

    def __init__(self, most: int) -> None:
        self._asking = WAITING_PER_SLOT * most
        self.wake = asyncio.Event()  # there is something to ask or to report
        self.held: set[str] = set()
        self.left: list[str] = []  # slots that are not reported yet
        self._entering: dict[str, asyncio.Future[SlotAdmission]] = {}
        self._following: deque[_Follower] = deque()

    @property
    def entering_requests(self) -> list[str]:
        """Return the requests to report as waiting, in order of arrival."""
        return list(islice(self._entering, self._asking))

    @property
    def room_behind(self) -> int:
        """Return how many more requests may follow."""
        return max(0, FOLLOWERS_PER_SLOT * len(self.held) - len(self._following))

    async def enter(self, request: str) -> SlotAdmission:
        """Wait for a slot."""
        admission: asyncio.Future[SlotAdmission] = asyncio.get_running_loop().create_future()
        self._entering[request] = admission
        self._ask()
        return await admission

    def leave(self, place: str) -> None:
        """Hand a slot on or free it. A second call does nothing."""
        if place in self.held:
            if not self._hand_on(place):
                self.held.discard(place)
                self.left.append(place)
            self._ask()

    def take_left(self) -> list[str]:
        """Return the freed slots, which are reported now."""
        left, self.left = self.left, []
        return left

    def admit(self, requests: Sequence[str], answers: Sequence[SlotGrant | None]) -> None:
        """Apply the grants for these requests."""
        now = monotonic()
        for request, answer in zip(requests, answers, strict=True):
            if answer is None:
                continue
            admission, starts_at = self._entering.pop(request), now + answer.seconds
            if answer.follows:
                self._following.append(_Follower(request, admission, starts_at))
            elif admission.done():  # the waiting request was cancelled
                self.left.append(request)
            else:
                self.held.add(request)
                admission.set_result(SlotAdmission(request, starts_at))
        self._use_left()

    def _use_left(self) -> None:
        """Reuse slots that became free meanwhile."""
        while self.left and self._following:
            place = self.left.pop()
            if self._hand_on(place):
                self.held.add(place)
            else:
                self.left.append(place)

    def _hand_on(self, place: str) -> bool:
        while self._following:
            request, admission, starts_at = self._following.popleft()
            if admission.done():
                continue
            if monotonic() - starts_at > FOLLOW_WINDOW_SECONDS:  # other crawlers may have been granted later moments
                self._entering[request] = admission
                continue
            admission.set_result(SlotAdmission(place, starts_at))
            return True
        return False

    def _ask(self) -> None:
        if self._entering and len(self._following) <= len(self.held):
            self.wake.set()
