"""What the scripts that run in Redis share."""

from typing import Final

# From ARGV[at] on stand lists, each behind its length; the first and last place of the next one.
LISTS: Final = """
local function list()
  local size = tonumber(ARGV[at])
  local first = at + 1
  at = at + 1 + size
  return first, at - 1
end
"""
