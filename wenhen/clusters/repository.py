"""Store clusters of near-duplicates: a document for each member and each cluster."""

from collections.abc import Collection, Sequence

from pymongo import IndexModel

from matcher.clusters import Cluster, ClusterSize, Member
from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.codec import from_document, schema_of, to_document
from wenhen.kit.mongo.table import OpenDatabase, Repository, Table, TableSpec
from wenhen.kit.progress import Owner, OwnerKind

# The list of clusters is made from the index alone.
CLUSTER_MEMBERS = TableSpec(
    name="cluster_members",
    schema=schema_of(Member),
    indexes=(IndexModel([(key, 1) for key in ("cluster_id", "seen", "_id", "kind", "dated")], name="listed"),),
)
CLUSTERS = TableSpec(name="clusters", schema=schema_of(Cluster))


class MongoClusters(Repository):
    """Members by kind and owner; clusters by id."""

    declared = CLUSTERS

    def __init__(self, database: OpenDatabase) -> None:
        super().__init__(database)
        self.members_table = Table(database, CLUSTER_MEMBERS)

    def members(self, owners: Collection[Owner]) -> dict[Owner, Member]:
        if not owners:
            return {}
        documents = self.members_table.some({"_id": {"$in": list(map(str, owners))}})
        return {Owner.parse(document["_id"]): from_document(Member, document) for document in documents}

    def enter_all(self, members: Sequence[Member]) -> list[Member]:
        standing = {member.owner: member for member in members}
        entering = list(members)
        while entering:
            taken = self.members_table.add_all(list(map(to_document, entering)))
            present = self.members([entering[index].owner for index in taken])  # those stand in one already
            standing |= present
            # One that is there no more has left it meanwhile.
            entering = [entering[index] for index in sorted(taken) if entering[index].owner not in present]
        return [standing[member.owner] for member in members]

    def leave(self, owner: Owner) -> bool:
        return bool(self.members_table.delete({"_id": str(owner)}))

    def found_all(self, clusters: Sequence[Cluster]) -> None:
        self.table.add_all(list(map(to_document, clusters)))

    def get(self, id: str) -> Cluster:
        return self.get_all([id])[id]

    def get_all(self, ids: Collection[str]) -> dict[str, Cluster]:
        wanted = list(set(ids))
        documents = self.table.some({"_id": {"$in": wanted}}) if wanted else []
        clusters = {document["_id"]: from_document(Cluster, document) for document in documents}
        for id in wanted:
            if id not in clusters:
                raise NotFound("store.no_cluster", id=id)
        return clusters

    def merge(self, younger: str, older: str) -> bool:
        return self.table.update({"_id": younger, "into": None}, {"$set": {"into": older}})

    def move(self, from_ids: Collection[str], to: str) -> list[Owner]:
        which = {"cluster_id": {"$in": list(from_ids)}}
        moved = [Owner.parse(document["_id"]) for document in self.members_table.some(which, fields={"_id": 1})]
        if moved:
            self.members_table.update_all(which, {"$set": {"cluster_id": to}})
        return moved

    def of(self, cluster_id: str) -> list[Member]:
        documents = self.members_table.some({"cluster_id": cluster_id}, sort=[("seen", 1), ("_id", 1)])
        return [from_document(Member, document) for document in documents]

    def find(self, *, skip: int = 0, limit: int = 50) -> list[ClusterSize]:
        groups = self.members_table.aggregate(
            [
                {
                    "$group": {
                        "_id": "$cluster_id",
                        "works": {"$sum": {"$cond": [{"$eq": ["$kind", OwnerKind.WORK.value]}, 1, 0]}},
                        "members": {"$sum": 1},
                        "first": {"$min": {"seen": "$seen", "id": "$_id"}},
                        "since": {"$min": "$dated"},
                        "until": {"$max": "$dated"},
                    }
                },
                {"$match": {"members": {"$gt": 1}}},
                {"$sort": {"members": -1, "_id": 1}},
                {"$skip": skip},
                {"$limit": limit},
            ],
            hint="listed",
        )
        return [
            ClusterSize(
                id=group["_id"],
                works=group["works"],
                pages=group["members"] - group["works"],
                first=group["first"]["id"],
                since=group["since"],
                until=group["until"],
            )
            for group in groups
        ]

    def clear(self) -> None:
        self.members_table.delete({})
        # They stay known: a worker may be about to let a text stand in one of them.
        self.table.update_all({}, {"$set": {"into": None}})
