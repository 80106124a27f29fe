"""Define the metadata of a Redis index and the Lua scripts that change it.

Fields of the hash: `live` and `next` are the published generation and the one being built, each `id:bits:hot`.
`gone:ID` is a generation whose buckets wait for deletion. `postings:ID` and `hot:ID` are counters. An emptied server
has no such hash, so the index knows that it is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Generation:
    """One build of an index. bits: of a bucket number. A feature with more than `hot` postings is skipped."""

    id: str
    bits: int
    hot: int

    @classmethod
    def parse(cls, text: bytes) -> "Generation":
        id, bits, hot = text.decode().split(":")
        return cls(id, int(bits), int(hot))

    def __str__(self) -> str:
        return f"{self.id}:{self.bits}:{self.hot}"


@dataclass(frozen=True, slots=True)
class IndexMeta:
    """The generations of an index at one moment."""

    live: Generation | None = None
    next: Generation | None = None
    gone: tuple[Generation, ...] = ()
    counters: Mapping[str, int] | None = None

    @classmethod
    def parse(cls, fields: Mapping[bytes, bytes]) -> "IndexMeta":
        named = {name: Generation.parse(fields[name]) if name in fields else None for name in (b"live", b"next")}
        gone = tuple(Generation.parse(text) for name, text in fields.items() if name.startswith(b"gone:"))
        counters = {
            name.decode(): int(text) for name, text in fields.items() if name.startswith((b"postings:", b"hot:"))
        }
        return cls(named[b"live"], named[b"next"], gone, counters)

    @property
    def written_generations(self) -> tuple[Generation, ...]:
        """The generations that get every change."""
        return tuple(generation for generation in (self.live, self.next) if generation is not None)

    def count(self, counter: str, generation: Generation) -> int:
        return (self.counters or {}).get(f"{counter}:{generation.id}", 0)


# KEYS: buckets. ARGV: strings to append. Returns the new lengths.
APPEND_SCRIPT = """
local lengths = {}
for place, key in ipairs(KEYS) do lengths[place] = redis.call('APPEND', key, ARGV[place]) end
return lengths
"""

# KEYS: meta. ARGV: the new generation. An older unpublished one is marked for deletion.
START_SCRIPT = """
local old = redis.call('HGET', KEYS[1], 'next')
if old then redis.call('HSET', KEYS[1], 'gone:' .. string.match(old, '^[^:]*'), old) end
redis.call('HSET', KEYS[1], 'next', ARGV[1])
return 1
"""

# KEYS: meta. ARGV: the expected next generation. Returns 0 when another one is next.
PUBLISH_SCRIPT = """
if redis.call('HGET', KEYS[1], 'next') ~= ARGV[1] then return 0 end
local old = redis.call('HGET', KEYS[1], 'live')
if old then redis.call('HSET', KEYS[1], 'gone:' .. string.match(old, '^[^:]*'), old) end
redis.call('HSET', KEYS[1], 'live', ARGV[1])
redis.call('HDEL', KEYS[1], 'next')
return 1
"""

# KEYS: meta. Both generations are marked for deletion.
RETIRE_SCRIPT = """
for _, field in ipairs({'live', 'next'}) do
  local old = redis.call('HGET', KEYS[1], field)
  if old then redis.call('HSET', KEYS[1], 'gone:' .. string.match(old, '^[^:]*'), old) end
  redis.call('HDEL', KEYS[1], field)
end
return 1
"""

# KEYS: meta. ARGV: generation, and increments of its counters of postings and of hot features. An abandoned generation
# is not counted, so that its counters do not reappear.
COUNT_SCRIPT = """#!lua flags=allow-oom
for _, field in ipairs({'live', 'next'}) do
  if redis.call('HGET', KEYS[1], field) == ARGV[1] then
    local id = string.match(ARGV[1], '^[^:]*')
    redis.call('HINCRBY', KEYS[1], 'postings:' .. id, ARGV[2])
    redis.call('HINCRBY', KEYS[1], 'hot:' .. id, ARGV[3])
  end
end
return 1
"""

# KEYS: buckets. ARGV: their contents. Sets the missing ones, and returns the places, from 1, of the existing ones.
SET_NEW_SCRIPT = """
local there = {}
for i, key in ipairs(KEYS) do
  if not redis.call('SET', key, ARGV[i], 'NX') then there[#there + 1] = i end
end
return there
"""

# KEYS: bucket. ARGV: its content as read, and its new content. What was appended since then remains behind the new
# content. Returns 0, and changes nothing, after any other change.
REPLACE_SCRIPT = """#!lua flags=allow-oom
local s = redis.call('GET', KEYS[1])
if not s or string.sub(s, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
s = ARGV[2] .. string.sub(s, #ARGV[1] + 1)
if s == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], s) end
return 1
"""
