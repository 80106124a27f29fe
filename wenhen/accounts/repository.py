"""Store users, sessions, tokens, preferences and failed sign-ins."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from wenhen.accounts.model import GUESSES_FORGOTTEN_AFTER, LoginBackoff, PasswordLink, Preferences, Session, Token, User
from wenhen.kit.errors import Conflict, NotFound
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import Records, RecordsById, Repository, TableSpec, expiring_index, field_index

USERS = TableSpec(name="users", schema=schema_of(User), indexes=(field_index("subject"),))


class Users(RecordsById[User]):
    """Store users by normalized name."""

    declared = USERS
    record_type = User
    unknown_code = "store.no_user"

    def add(self, user: User) -> None:
        try:
            self.table.insert(to_document(user))
        except Conflict:
            raise Conflict("store.user_there", id=user.id) from None

    def all(self) -> list[User]:
        """Return all users, sorted by id."""
        return self._read_some({}, sort=[("_id", 1)])

    def find_subject(self, subject: str) -> User | None:
        """Return the user who signs in as this person of a provider, or None."""
        return self._read_one({"subject": subject})

    def change(self, id: str, values: Mapping[str, object]) -> User:
        document = self.table.find_and_change({"_id": id}, {"$set": encode(values)})
        if document is None:
            raise NotFound(self.unknown_code, id=id)
        return from_document(User, document)

    def move_holder(self, name: str, into: str) -> None:
        """Hold those who are held to a holder to another one."""
        self.table.update_all({"holders": name}, {"$addToSet": {"holders": into}})
        self.table.update_all({"holders": name}, {"$pull": {"holders": name}})

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound(self.unknown_code, id=id)

    def take_step(self, id: str, step: int) -> bool:
        """Record an accepted time step. Returns False if it is not later than the last one."""
        return self.table.update({"_id": id, "totp_step": {"$lt": step}}, {"$set": {"totp_step": step}})

    def take_recovery(self, id: str, digest: str) -> bool:
        """Consume a recovery code. Returns False if it is not available."""
        return self.table.update({"_id": id, "recovery": digest}, {"$pull": {"recovery": digest}})


# Sessions of browsers. A TTL index deletes expired ones.


SESSIONS = TableSpec(
    name="sessions", schema=schema_of(Session), indexes=(field_index("user_id", "-seen_at"), expiring_index("ends_at"))
)


class Sessions(Records[Session]):
    """Store sessions by the digest of their secret."""

    declared = SESSIONS
    record_type = Session

    def add(self, session: Session) -> None:
        self.table.insert(to_document(session))

    def get(self, id: str) -> Session | None:
        return self._read_one({"_id": id})

    def mark_seen(self, id: str, moment: datetime) -> None:
        self.table.update({"_id": id}, {"$set": {"seen_at": to_milliseconds(moment)}})

    def of(self, user_id: str) -> list[Session]:
        """Return the sessions of a user, newest first."""
        return self._read_some({"user_id": user_id}, sort=[("seen_at", -1)])

    def end(self, id: str) -> None:
        self.table.delete({"_id": id})

    def end_all(self, user_id: str, *, but: str | None = None) -> int:
        """End all sessions of a user except `but`, and return their number."""
        return self.table.delete({"user_id": user_id, "_id": {"$ne": but}})


PASSWORD_LINKS = TableSpec(
    name="password_links", schema=schema_of(PasswordLink), indexes=(field_index("user_id"), expiring_index("ends_at"))
)


class PasswordLinks(Records[PasswordLink]):
    """Store one-time addresses by the digest of their secret."""

    declared = PASSWORD_LINKS
    record_type = PasswordLink

    def put_only(self, link: PasswordLink) -> None:
        """Store a link in place of all earlier ones of its user."""
        self.table.delete({"user_id": link.user_id})
        self.table.insert(to_document(link))

    def get(self, id: str) -> PasswordLink | None:
        return self._read_one({"_id": id})

    def take(self, id: str) -> bool:
        """Consume a link. Returns False if it is not there any more."""
        return bool(self.table.delete({"_id": id}))

    def remove_of(self, user_id: str) -> None:
        self.table.delete({"user_id": user_id})


TOKENS = TableSpec(
    name="tokens",
    schema=schema_of(Token),
    indexes=(field_index("user_id", "-created_at"), field_index("-created_at"), field_index("parents")),
)


class Tokens(RecordsById[Token]):
    """Store tokens by their public id."""

    declared = TOKENS
    record_type = Token
    unknown_code = "store.no_token"

    def add(self, token: Token) -> None:
        self.table.insert(to_document(token))

    def all(self, *, user_id: str | None = None) -> list[Token]:
        """Return all tokens, or those of a user, newest first."""
        which = {} if user_id is None else {"user_id": user_id}
        return self._read_some(which, sort=[("created_at", -1)])

    def revoke(self, id: str, moment: datetime) -> Token:
        """Revoke a token and all tokens created through it. Raises `NotFound`."""
        self._revoke({"$or": [{"_id": id}, {"parents": id}]}, moment)
        return self.get(id)

    def revoke_all(self, user_id: str, moment: datetime) -> int:
        """Revoke the remaining tokens of a user, and return their number."""
        return self._revoke({"user_id": user_id}, moment)

    def mark_used(self, id: str, moment: datetime) -> None:
        self.table.update({"_id": id}, {"$set": {"used_at": to_milliseconds(moment)}})

    def remove_of(self, user_id: str) -> None:
        self.table.delete({"user_id": user_id})

    def _revoke(self, which: Document, moment: datetime) -> int:
        return self.table.update_all({**which, "revoked_at": None}, {"$set": {"revoked_at": to_milliseconds(moment)}})


PREFERENCES = TableSpec(name="preferences", schema=schema_of(Preferences))


class KeptPreferences(Repository):
    """Store preferences, one document per user name."""

    declared = PREFERENCES

    def get(self, user: str) -> Preferences:
        """Return the preferences of a user, or the default."""
        document = self.table.one({"_id": user})
        return Preferences(id=user) if document is None else from_document(Preferences, document)

    def remove(self, user: str) -> None:
        self.table.delete({"_id": user})

    def put(self, preferences: Preferences) -> None:
        self.table.put(to_document(preferences))


# Counts of guesses at passwords and codes. A TTL index deletes old ones.


GUESSES = TableSpec(
    name="guesses",
    schema={
        "bsonType": "object",
        "required": ["_id", "user_id", "count", "next_at", "over_at"],
        "properties": {
            "_id": {"bsonType": "string"},
            "user_id": {"bsonType": "string"},
            "count": {"bsonType": ["int", "long"]},
            "next_at": {"bsonType": "date"},
            "over_at": {"bsonType": "date"},
        },
    },
    indexes=(field_index("user_id"), expiring_index("over_at")),
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Guesses(Repository):
    """Store counts of guesses by key."""

    declared = GUESSES

    def count(self, key: str, user_id: str, now: datetime, slowing: LoginBackoff) -> timedelta:
        """Count a guess at this user atomically, and return how long it must wait. Zero means it may be checked."""
        change = _counting_update(user_id, to_milliseconds(now), slowing)
        try:
            before = self.table.find_and_change({"_id": key}, change, upsert=True, before=True)
        except Conflict:  # concurrent first guesses
            before = self.table.find_and_change({"_id": key}, change, before=True)
        if before is None or before["over_at"] <= now:
            return timedelta()
        waits: timedelta = before["next_at"] - now
        return max(waits, timedelta())

    def take_back(self, key: str) -> None:
        """Take back one counted guess."""
        self.table.update({"_id": key, "count": {"$gt": 0}}, {"$inc": {"count": -1}})

    def forget(self, key: str) -> None:
        self.table.delete({"_id": key})

    def forget_all(self, user_id: str) -> None:
        """Delete all counts of guesses at this user."""
        self.table.delete({"user_id": user_id})


def _counting_update(user_id: str, now: datetime, slowing: LoginBackoff) -> list[Document]:
    """Return the update that counts a guess, and starts the next wait if this guess may be checked."""
    remembered = {"$gt": [{"$ifNull": ["$over_at", _EPOCH]}, now]}
    count = {"$cond": [remembered, {"$add": ["$count", 1]}, 1]}
    looked_at = {"$lte": [{"$ifNull": ["$next_at", _EPOCH]}, now]}
    doubled = {"$pow": [2, {"$min": [{"$subtract": ["$count", slowing.free]}, 20]}]}
    longest = int(slowing.longest.total_seconds())
    pause = {"$cond": [{"$lt": ["$count", slowing.free]}, 0, {"$min": [doubled, longest]}]}
    over = to_milliseconds(now + GUESSES_FORGOTTEN_AFTER + slowing.longest)
    return [
        {"$set": {"user_id": {"$literal": user_id}, "count": count}},
        {
            "$set": {
                "next_at": {"$cond": [looked_at, {"$add": [now, {"$multiply": [1000, pause]}]}, "$next_at"]},
                "over_at": over,
            }
        },
    ]
