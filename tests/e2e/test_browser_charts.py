"""Charts and the map are drawn in the browser by our own copy of a library, and a click leads to the cases."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing.walks import Opener
from tests.support.browsing.windows import NARROW, WIDE, picture
from tests.support.seed import Seeder
from wenhen.context.store_and_queue import Store

pytestmark = pytest.mark.browser

COLUMN = """async (place) => {
  const echarts = await import(document.querySelector("[data-echarts]").dataset.echarts);
  const chart = echarts.getInstanceByDom(document.querySelector(place));
  const { data } = chart.getOption().series[0];
  const at = data.findLastIndex((count) => count);
  return chart.convertToPixel({ seriesIndex: 0 }, [at, data[at] / 2]);
}"""
NODE = """async (place) => {
  const echarts = await import(document.querySelector("[data-echarts]").dataset.echarts);
  const chart = echarts.getInstanceByDom(document.querySelector(place));
  const nodes = chart.getModel().getSeriesByIndex(0).getData();
  return chart.convertToPixel({ seriesIndex: 0 }, nodes.getItemLayout(nodes.indexOfName("host:copies.example")));
}"""

OUTSIDE = """async (place) => {
  const echarts = await import(document.querySelector("[data-echarts]").dataset.echarts);
  const chart = echarts.getInstanceByDom(document.querySelector(place));
  const nodes = chart.getModel().getSeriesByIndex(0).getData();
  const at = nodes.mapArray((index) => chart.convertToPixel({ seriesIndex: 0 }, nodes.getItemLayout(index)));
  return at.filter(([x, y]) => x < 0 || x > chart.getWidth() || y < 0 || y > chart.getHeight()).length;
}"""

COVERED = """async (place) => {
  const echarts = await import(document.querySelector("[data-echarts]").dataset.echarts);
  const chart = echarts.getInstanceByDom(document.querySelector(place));
  const nodes = chart.getModel().getSeriesByIndex(0).getData();
  const shown = (one) => {
    const rect = one.getBoundingRect().clone();
    rect.applyTransform(one.getComputedTransform());
    return rect;
  };
  const drawn = nodes.mapArray((index) => nodes.getItemGraphicEl(index).childAt(0));
  const names = drawn.map((one) => one.getTextContent()).map((one) => (one.ignore ? null : shown(one)));
  const covers = (name, at) => drawn.some((one, other) => at !== other && name.intersect(shown(one)));
  const over = names.map((name, at) => name && covers(name, at));
  const inFrame = names.filter((name) => name && name.x >= 0);
  return [inFrame.length, over.filter(Boolean).length];
}"""


def click(page: Page, place: str, where: str) -> None:
    """Click where the script says that something is drawn."""
    drawn = page.locator(place)
    expect(drawn.locator("canvas")).to_be_visible()
    x, y = page.evaluate(where, place)
    drawn.click(position={"x": x, "y": y})


def test_on_a_telephone_no_name_of_the_map_lies_over_what_another_names(store: Store, open_browser: Opener) -> None:
    seed = Seeder(store)
    for number in range(9):
        seed.work(f"w{number}", title=f"第{number}部：渡口灯与摆渡人的口述史料汇编")
        for host in ("copies.example", f"reprints-{number % 3}.example"):
            seed.case(f"https://{host}/{number}", work_id=f"w{number}", cluster_id=f"c{number % 4}")
    page = open_browser(viewport=NARROW).new_page()
    page.goto("/analysis/map/?since=2026-03-01&until=2026-03-06")
    expect(page.locator(".map canvas")).to_be_visible()
    named, covered = page.evaluate(COVERED, ".map")
    picture(page, "map")
    assert (named > 5, covered) == (True, 0)


def test_a_click_on_a_column_and_on_a_site_of_the_map_leads_to_their_cases(open_browser: Opener) -> None:
    page = open_browser(viewport=WIDE).new_page()
    page.goto("/analysis/?since=2026-03-01&until=2026-03-06")
    click(page, "section[aria-labelledby=over-time] .drawn", COLUMN)
    page.wait_for_url("**/suspects/?*since=2026-03-06*")
    page.goto("/analysis/map/?since=2026-03-01&until=2026-03-06")
    expect(page.locator(".map canvas")).to_be_visible()
    assert page.evaluate(OUTSIDE, ".map") == 0, "all of it is in the frame"
    click(page, ".map", NODE)
    page.wait_for_url("**/suspects/?*host=copies.example*")
    assert page.locator("tr[data-case]").count() > 0
