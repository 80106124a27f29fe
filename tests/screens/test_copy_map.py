"""The map of copies: a cluster stands between works and sites only where several sites carry its pages."""

from flask.testing import FlaskClient

from tests.support.seed import NOW, Seeder
from wenhen.analysis.service import NodeKind, build_copy_map, recent_days_question
from wenhen.kit.clock import china_day
from wenhen.runtime.wiring import App


def filled(seed: Seeder) -> None:
    seed.work()
    seed.case("https://a.example/1", cluster_id="c1")
    seed.case("https://b.example/1", cluster_id="c1")
    seed.case("https://b.example/2", cluster_id="c2")
    seed.case("https://b.example/3", cluster_id="c2")
    seed.case("https://c.example/1", licence_id="l1")


def test_what_several_sites_carry_goes_through_its_cluster(product: App) -> None:
    filled(Seeder(product.store))
    found = build_copy_map(product, recent_days_question(china_day(NOW)))
    assert {(edge.source[0], *edge.target, edge.copies) for edge in found.edges} == {
        (NodeKind.WORK, NodeKind.CLUSTER, "c1", 2),
        (NodeKind.CLUSTER, NodeKind.HOST, "a.example", 1),
        (NodeKind.CLUSTER, NodeKind.HOST, "b.example", 1),
        (NodeKind.WORK, NodeKind.HOST, "b.example", 2),
    }
    assert {(node.key, node.copies) for node in found.nodes} == {
        ("dock", 4),
        ("c1", 2),
        ("a.example", 1),
        ("b.example", 3),
    }
    assert not found.full


def test_the_screen_gives_the_script_what_it_draws_and_everybody_a_list(client: FlaskClient, seed: Seeder) -> None:
    filled(seed)
    page = client.get("/analysis/map/").text
    assert "data-map='{" in page
    assert "cluster:c1" in page
    assert "work=dock" in page
    assert page.count('<tr><th scope="row"') == 3
