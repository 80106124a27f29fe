"""Lock a MongoDB server against writes, as a separate program.

It is run by path, and imports nothing of this project. It reads the address of the server from stdin, and prints
`LOCKED_ANSWER`, or the error. It unlocks when stdin closes, which also happens when its caller is killed.
"""

import sys
from typing import Any, Final

from pymongo import MongoClient
from pymongo.errors import PyMongoError

LOCKED_ANSWER: Final = "locked"


def main() -> None:
    """Lock, wait, and unlock."""
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
