"""Store webhooks, their outbox, and the last state sent of each case."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from wenhen.cases.model import Case
from wenhen.kit.clock import DELIVERY_RETENTION
from wenhen.kit.errors import Message, NotFound
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import OpenDatabase, RecordsById, Table, TableSpec, expiring_index, field_index
from wenhen.webhooks.model import Delivery, Webhook

WEBHOOKS = TableSpec(name="webhooks", schema=schema_of(Webhook))
DELIVERIES = TableSpec(
    name="deliveries",
    schema=schema_of(Delivery),
    # By webhook, so that deliveries of a paused one are skipped.
    indexes=(
        field_index("webhook_id", "-made_at", "-_id"),
        field_index("webhook_id", "due"),
        expiring_index("made_at", DELIVERY_RETENTION),
    ),
    dropped=("due_1",),
)
SENT_STATES = TableSpec(
    name="told",
    schema={"bsonType": "object", "required": ["_id", "state"], "properties": {"state": {"bsonType": "string"}}},
)


class Webhooks(RecordsById[Webhook]):
    """Webhooks and deliveries by id."""

    declared = WEBHOOKS
    record_type = Webhook
    unknown_code = "store.no_webhook"

    def __init__(self, database: OpenDatabase, cases: Table) -> None:
        super().__init__(database)
        self.deliveries_table = Table(database, DELIVERIES)
        self.told_table = Table(database, SENT_STATES)
        self._cases = cases

    def put(self, webhook: Webhook) -> None:
        self.table.put(to_document(webhook))

    def all(self) -> list[Webhook]:
        return self._read_some({}, sort=[("_id", 1)])

    def remove(self, id: str) -> None:
        """Delete a webhook with its deliveries. Raises NotFound."""
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_webhook", id=id)
        self.deliveries_table.delete({"webhook_id": id})

    def changed_cases(self, since: datetime, limit: int) -> list[Case]:
        """Return cases that were written at this time or later, without their passages, the earliest first."""
        documents = self._cases.some(
            {"updated_at": {"$gte": to_milliseconds(since)}},
            sort=[("updated_at", 1)],
            limit=limit,
            fields={"match.passages": {"$slice": 0}},
        )
        return [from_document(Case, document) for document in documents]

    def announced_states(self, case_ids: Collection[str]) -> dict[str, str]:
        """Return the digest of the last announced state of each of these cases."""
        documents = self.told_table.some({"_id": {"$in": list(case_ids)}})
        return {document["_id"]: document["state"] for document in documents}

    def remember(self, states: Mapping[str, str]) -> None:
        """Store the announced states of these cases."""
        self.told_table.put_all([{"_id": case_id, "state": state} for case_id, state in states.items()])

    def offer(self, deliveries: Sequence[Delivery]) -> None:
        """Add these to the outbox. Existing ones are not changed."""
        self.deliveries_table.add_all([to_document(delivery) for delivery in deliveries])

    def has_due(self, now: datetime) -> bool:
        return self.deliveries_table.one(self._due(now), fields={"_id": 1}) is not None

    def take_due(self, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Claim due deliveries of webhooks that are not paused. No other process gets them during the lease."""
        due = self._due(now)
        taken: list[Delivery] = []
        while len(taken) < limit:
            document = self.deliveries_table.find_and_change(due, {"$set": {"due": to_milliseconds(now + lease)}})
            if document is None:
                break
            taken.append(from_document(Delivery, document))
        return taken

    def untaken(self, webhook_id: str, made_before: datetime) -> Delivery | None:
        """Return a delivery from before then that is not accepted yet, or None."""
        waits = {"webhook_id": webhook_id, "due": {"$type": "date"}, "made_at": {"$lt": to_milliseconds(made_before)}}
        document = self.deliveries_table.one(waits)
        return None if document is None else from_document(Delivery, document)

    def mark_delivered(self, id: str, moment: datetime, status: int) -> None:
        moment = to_milliseconds(moment)
        values = {"due": None, "taken_at": moment, "tried_at": moment, "status": status, "problem": None}
        self.deliveries_table.update({"_id": id}, {"$set": values, "$inc": {"tries": 1}})

    def mark_refused(self, id: str, moment: datetime, *, due: datetime, status: int | None, problem: Message) -> None:
        values = {
            "due": to_milliseconds(due),
            "tried_at": to_milliseconds(moment),
            "status": status,
            "problem": encode(problem),
        }
        self.deliveries_table.update({"_id": id}, {"$set": values, "$inc": {"tries": 1}})

    def again(self, id: str, moment: datetime) -> Delivery:
        """Make a delivery due now, even if it was accepted. Raises NotFound."""
        document = self.deliveries_table.find_and_change(
            {"_id": id}, {"$set": {"due": to_milliseconds(moment), "taken_at": None}}
        )
        if document is None:
            raise NotFound("store.no_delivery", id=id)
        return from_document(Delivery, document)

    def deliveries(self, webhook_id: str, *, skip: int = 0, limit: int = 50) -> list[Delivery]:
        """Return the deliveries of a webhook, the newest first."""
        newest = [("made_at", -1), ("_id", -1)]
        documents = self.deliveries_table.some({"webhook_id": webhook_id}, sort=newest, skip=skip, limit=limit)
        return [from_document(Delivery, document) for document in documents]

    def count_deliveries(self, webhook_id: str) -> int:
        return self.deliveries_table.count({"webhook_id": webhook_id})

    def _due(self, now: datetime) -> Document:
        running = [hook.id for hook in self.all() if hook.paused_at is None]
        return {"due": {"$lte": to_milliseconds(now)}, "webhook_id": {"$in": running}}
