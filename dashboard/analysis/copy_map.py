"""Show the map of hosts that copy works, with its list."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template

from dashboard.analysis.views import case_list_address, named_work, question_arguments, requested_question
from dashboard.frame.context import services
from dashboard.frame.language import t
from dashboard.frame.security import needs
from wenhen.analysis.service import CopyMap, Edge, Node, NodeKind, Question, build_copy_map
from wenhen.kit.rights import Right

copy_map_blueprint = Blueprint("copy_map", __name__, url_prefix="/analysis/map")


@copy_map_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the copy map and its list for the cases of the requested days."""
    question = requested_question()
    copy_map = build_copy_map(services().product, question)
    return render_template(
        "figures/copy_map.html",
        question=question,
        work=named_work(question),
        arguments=question_arguments(question),
        carried=copy_map.carried,
        titles=copy_map.titles,
        full=copy_map.full,
        listed=case_list_address,
        drawn=_map_for_script(copy_map, question) if copy_map.nodes else None,
    )


def _map_for_script(copies: CopyMap, question: Question) -> dict[str, object]:
    """Return the copy map in the form that its script reads."""
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
                "link": _node_address(question, node),
            }
            for node in copies.nodes
        ],
        "edges": [
            {
                "source": ":".join(edge.source),
                "target": ":".join(edge.target),
                "copies": edge.copies,
                "words": t("map.copies", count=edge.copies),
                "link": _edge_address(question, edge),
            }
            for edge in copies.edges
        ],
    }


def _node_address(question: Question, node: Node) -> str:
    return _cases_through_nodes(question, {node.kind: node.key})


def _edge_address(question: Question, edge: Edge) -> str:
    return _cases_through_nodes(question, dict((edge.source, edge.target)))


def _cases_through_nodes(question: Question, nodes: Mapping[NodeKind, str]) -> str:
    """Return the address of the cases of these nodes. The filter has one condition for each kind of node."""
    narrower: dict[str, Any] = {kind.value: key for kind, key in nodes.items()}
    return case_list_address(question, copies=True, **narrower)
