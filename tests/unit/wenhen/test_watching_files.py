"""The alert rules, the board and the scrape file name only metrics, labels and services that exist; every metric of
ours is on the board.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from tests.support.image.compose import compose
from wenhen.kit.progress import Step
from wenhen.kit.telemetry import METRICS

ROOT = Path(__file__).parents[3]
PROMETHEUS = ROOT / "docker/prometheus"
RULES: list[dict[str, Any]] = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text("utf-8"))["groups"][0]["rules"]
BOARD: dict[str, Any] = json.loads((ROOT / "docker/grafana/wenhen.json").read_text("utf-8"))
STATE = (ROOT / "wenhen/runtime/processes/metrics_exporter.py").read_text("utf-8")
ON_BOARD = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
EXPRESSIONS = [rule["expr"] for rule in RULES] + ON_BOARD
OF_HISTOGRAM = ("_bucket", "_count", "_sum")


def counted() -> dict[str, set[str]]:
    """The metrics that processes count, with their labels."""
    names: dict[str, set[str]] = {}
    for metric in METRICS:
        [family] = metric.collect() or metric.describe()
        counter = "_total" if family.type == "counter" else ""
        names[family.name + counter] = set(metric._labelnames)
    return names


def read() -> dict[str, set[str]]:
    """Those that are read from the servers."""
    found = re.findall(r'GaugeMetricFamily\(\s*"(\w+)".*?(?:labels=(\[.*?\]))?[,\s]*\)\n', STATE, re.DOTALL)
    return {name: set(re.findall(r'"(\w+)"', labels)) for name, labels in found}


KNOWN = {**counted(), **read()}


def used(expression: str) -> set[str]:
    return {
        next((name.removesuffix(end) for end in OF_HISTOGRAM if name.removesuffix(end) in KNOWN), name)
        for name in re.findall(r"\bwenhen_\w+", expression)
    }


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_asked_exists(expression: str) -> None:
    assert used(expression) <= set(KNOWN)
    labels = {label for by in re.findall(r"by \(([\w, ]+)\)", expression) for label in by.split(", ")}
    labels |= set(re.findall(r"[{,](\w+)(?:=|!)", expression))
    of_ours = set().union(*(KNOWN[name] for name in used(expression)), {"le", "job"})
    assert labels <= of_ours


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_asked_is_asked_in_prometheus_language(expression: str) -> None:
    promql_parser.parse(expression.replace("$__rate_interval", "5m"))  # Grafana's, who puts a time there


def test_every_metric_is_on_the_board() -> None:
    assert {name for expression in ON_BOARD for name in used(expression)} >= set(KNOWN)


def test_every_alert_says_what_happened_and_how_much_it_hurries_and_stands_in_the_manual() -> None:
    manual = (ROOT / "docs/operations.md").read_text("utf-8")
    for rule in RULES:
        assert rule["annotations"]["summary"]
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert f"`{rule['alert']}`" in manual


def test_steps_that_rules_name_are_steps() -> None:
    named = {step for expression in EXPRESSIONS for step in re.findall(r'step="(\w+)"', expression)}
    assert named <= {step.value for step in Step}
    assert named


def test_every_service_of_ours_is_asked_on_the_port_that_it_has() -> None:
    services = compose()["services"]
    ours = {name for name, one in services.items() if "WENHEN_METRICS_PORT" in one.get("environment", {})}
    [scrape] = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text("utf-8"))["scrape_configs"]
    [asked] = scrape["dns_sd_configs"]
    assert set(asked["names"]) == ours
    for name in ours:
        assert services[name]["environment"]["WENHEN_METRICS_PORT"] == str(asked["port"])
        assert "watch" in services[name]["networks"]


def test_prometheus_itself_takes_the_rules() -> None:
    if not (promtool := shutil.which("promtool")):
        pytest.skip("no promtool here: apt-get install prometheus")
    rules = PROMETHEUS / "alerts.yml"
    done = subprocess.run([promtool, "check", "rules", rules], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
