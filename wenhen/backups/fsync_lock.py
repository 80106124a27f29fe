"""Lock a MongoDB server against writes. Run as a program of its own.

Run by its path, so that it imports nothing of ours. It reads the server's address from its input and says
`LOCKED_ANSWER`, or what is in the way; it unlocks when its input ends, which it does also when whoever asked is killed.
"""

import sys
from typing import Any, Final

from pymongo import MongoClient
from pymongo.errors import PyMongoError

LOCKED_ANSWER: Final = "locked"


def main() -> None:
    """Lock, wait, unlock."""
    client: MongoClient[dict[str, Any]] = MongoClient(sys.stdin.readline().strip(), serverSelectionTimeoutMS=5000)
    try:
        client.admin.command("fsync", lock=True)
    except PyMongoError as error:
        print(" ".join(str(error).split())[:300], flush=True)
        return
    try:
        print(LOCKED_ANSWER, flush=True)
        sys.stdin.read()
    finally:
        client.admin.command("fsyncUnlock")


if __name__ == "__main__":
    main()
