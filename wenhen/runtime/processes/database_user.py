"""Create the MongoDB user of the application.

Its name and password are in the address of the application (`WENHEN_MONGO_URL`). The name and password of root are in
`MONGO_ROOT_USERNAME`, and in the file that `MONGO_ROOT_PASSWORD_FILE` names. A repetition renews the password.
"""

import os
import sys
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError
from pymongo.uri_parser import parse_uri

from wenhen.kit.errors import WenhenError
from wenhen.runtime.settings_sources import load_settings

DATABASE_ROLES = (
    "readWrite",
    "dbAdmin",
)  # on its database: read, write, and manage collections, validators and indexes
_TIMEOUT_MILLISECONDS = 30_000  # ms
_NO_SUCH_USER_CODE = 11


def make_database_user(url: str, database: str, *, root: str, root_password: str) -> str:
    """Create the user of the address, or renew its rights and password. Return its name."""
    parsed = parse_uri(url)
    client: MongoClient[dict[str, Any]] = MongoClient(
        url, username=root, password=root_password, authSource="admin", serverSelectionTimeoutMS=_TIMEOUT_MILLISECONDS
    )
    with client:
        home = client[parsed["options"].get("authSource") or "admin"]
        rights = {"pwd": parsed["password"], "roles": [{"role": role, "db": database} for role in DATABASE_ROLES]}
        try:
            home.command("updateUser", parsed["username"], **rights)
        except OperationFailure as error:
            if error.code != _NO_SUCH_USER_CODE:
                raise
            home.command("createUser", parsed["username"], **rights)
    return str(parsed["username"])


def main() -> int:
    """Create the user. Return status 1, with a line on stderr, on failure."""
    try:
        settings = load_settings()
        assert settings.mongo.url, "WENHEN_MONGO_URL names the user"
        name = make_database_user(
            settings.mongo.url,
            settings.mongo.database,
            root=os.environ.get("MONGO_ROOT_USERNAME", "root"),
            root_password=Path(os.environ["MONGO_ROOT_PASSWORD_FILE"]).read_text(encoding="utf-8").strip(),
        )
    except (PyMongoError, WenhenError, OSError, KeyError) as error:
        sys.stderr.write(f"no user of the database could be made: {error}\n")
        return 1
    sys.stdout.write(f"{name} reads and writes {settings.mongo.database}, and nothing else\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
