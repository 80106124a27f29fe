"""Who copies whom, as a graph: works, the clusters of near-duplicate copies of them, and the sites that carry these."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from services.analysis import Question
from services.context import Product
from store.records import Carried

MOST: Final = 200  # ties of works and sites; more of them hide each other


class NodeKind(StrEnum):
    """What a node of the map stands for."""

    WORK = "work"
    CLUSTER = "cluster"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Node:
    """One of them. key: the id of a work or cluster, the host itself. copies: that go through it."""

    kind: NodeKind
    key: str
    title: str
    copies: int


@dataclass(frozen=True, slots=True)
class Edge:
    """How many copies lead from one node to another: from a work to a cluster or host, from a cluster to a host."""

    source: tuple[NodeKind, str]
    target: tuple[NodeKind, str]
    copies: int


@dataclass(frozen=True, slots=True)
class CopyMap:
    """The map, and what it was made from. full: there are ties that it leaves out."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    carried: Sequence[Carried]
    titles: dict[str, str]
    full: bool


def copy_map(product: Product, question: Question) -> CopyMap:
    """The map of the cases that a question asks of."""
    carried = product.store.figures.carried(question.scope, MOST + 1)
    shown = carried[:MOST]
    works = product.store.works.many({one.work_id for one in shown})
    titles = {one.work_id: works[one.work_id].title if one.work_id in works else one.work_id for one in shown}
    edges = _edges(shown)
    return CopyMap(_nodes(edges, titles), edges, shown, titles, len(carried) > MOST)


def _edges(carried: Sequence[Carried]) -> list[Edge]:
    """A cluster stands between only where several hosts carry its pages."""
    hosts: dict[str, set[str]] = defaultdict(set)
    for one in carried:
        if one.cluster_id:
            hosts[one.cluster_id].add(one.host)
    counted: Counter[tuple[tuple[NodeKind, str], tuple[NodeKind, str]]] = Counter()
    for one in carried:
        work, host = (NodeKind.WORK, one.work_id), (NodeKind.HOST, one.host)
        if one.cluster_id and len(hosts[one.cluster_id]) > 1:
            cluster = (NodeKind.CLUSTER, one.cluster_id)
            counted[work, cluster] += one.copies
            counted[cluster, host] += one.copies
        else:
            counted[work, host] += one.copies
    return [Edge(source, target, copies) for (source, target), copies in counted.items()]


def _nodes(edges: Sequence[Edge], titles: dict[str, str]) -> list[Node]:
    copies: Counter[tuple[NodeKind, str]] = Counter()
    for edge in edges:
        copies[edge.target] += edge.copies
        if edge.source[0] is NodeKind.WORK:
            copies[edge.source] += edge.copies
    return [Node(kind, key, titles.get(key, key), count) for (kind, key), count in copies.items()]
