"""The map of who copies whom, to be explored, with the same as a list beside it."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template

from dashboard.figures.analysis import arguments, asked, listed
from dashboard.frame.context import services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from services.analysis import Question
from services.library.copy_map import CopyMap, Edge, Node, NodeKind, copy_map
from store.rules.role_rights import Right

blueprint = Blueprint("copy_map", __name__, url_prefix="/analysis/map")


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """The map and the list, of the cases of the days in the address."""
    question = asked()
    found = copy_map(services().product, question)
    return render_template(
        "figures/copy_map.html",
        question=question,
        arguments=arguments(question),
        carried=found.carried,
        titles=found.titles,
        full=found.full,
        listed=listed,
        drawn=_drawn(found, question) if found.nodes else None,
    )


def _drawn(found: CopyMap, question: Question) -> dict[str, object]:
    """The map as the script takes it."""
    kinds = list(NodeKind)
    return {
        "kinds": [{"name": kind, "words": t(f"map.{kind}")} for kind in kinds],
        "nodes": [
            {
                "id": f"{node.kind}:{node.key}",
                "title": t("map.of_cluster", count=node.copies) if node.kind is NodeKind.CLUSTER else node.title,
                "category": kinds.index(node.kind),
                "copies": node.copies,
                "told": t("map.copies", count=node.copies),
                "link": _link(question, node),
            }
            for node in found.nodes
        ],
        "edges": [
            {
                "source": ":".join(edge.source),
                "target": ":".join(edge.target),
                "copies": edge.copies,
                "words": t("map.copies", count=edge.copies),
                "link": _link_of(question, edge),
            }
            for edge in found.edges
        ],
    }


def _link(question: Question, node: Node) -> str:
    return _listed(question, {node.kind: node.key})


def _link_of(question: Question, edge: Edge) -> str:
    return _listed(question, dict((edge.source, edge.target)))


def _listed(question: Question, nodes: Mapping[NodeKind, str]) -> str:
    """The cases that go through these nodes; a filter has a condition for each kind, of its name."""
    narrower: dict[str, Any] = {kind.value: key for kind, key in nodes.items()}
    return listed(question, copies=True, **narrower)
