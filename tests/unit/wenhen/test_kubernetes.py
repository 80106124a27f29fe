"""deploy/kubernetes runs the services of docker-compose.yml, as sealed as they are there, and scales the workers."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.image.compose import compose
from wenhen.steps.fair_queue import STEP_QUEUES

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "kubernetes"
Document = dict[str, Any]
SERVICES: dict[str, Document] = {
    name: service for name, service in compose()["services"].items() if service.get("build") and name != "mongo-user"
}
KUSTOMIZATION: Document = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))
WRITTEN: list[Document] = [
    one for name in KUSTOMIZATION["resources"] for one in yaml.safe_load_all((FOLDER / name).read_text("utf-8"))
]


def of_kind(kind: str, documents: list[Document]) -> dict[str, Document]:
    return {one["metadata"]["name"]: one for one in documents if one["kind"] == kind}


def container(deployment: Document) -> Document:
    [one] = deployment["spec"]["template"]["spec"]["containers"]
    return dict(one)


@pytest.fixture(scope="module")
def deployed() -> list[Document]:
    """What is sent to a cluster, as kubectl puts it together."""
    if not (kubectl := shutil.which("kubectl")):
        pytest.skip("no kubectl here, which puts the files together")
    done = subprocess.run([kubectl, "kustomize", FOLDER], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def test_every_file_of_the_folder_is_used() -> None:
    used = {*KUSTOMIZATION["resources"], *(patch["path"] for patch in KUSTOMIZATION["patches"])}
    used |= {file for made in KUSTOMIZATION["configMapGenerator"] for file in made["envs"]}
    assert used | {"kustomization.yaml"} == {file.name for file in FOLDER.iterdir()}


def test_each_service_of_compose_runs_by_the_same_command_and_image_and_is_watched_in_the_same_way() -> None:
    deployments = of_kind("Deployment", WRITTEN)
    assert set(deployments) == set(SERVICES)
    for name, service in SERVICES.items():
        ours = container(deployments[name])
        assert ours["args"] == service["command"]
        assert ours["image"] == service["image"].partition(":")[0]
        asked = service["healthcheck"]["test"][1:]
        if name == "dashboard":
            assert ours["readinessProbe"]["httpGet"]["path"] in asked[-1]
        else:
            assert ours["livenessProbe"]["exec"]["command"] == asked
    assert {one["newTag"] for one in KUSTOMIZATION["images"]} == {
        service["image"].partition(":")[2] for service in SERVICES.values()
    }


def test_workers_are_scaled_by_how_long_what_waits_longest_has_waited() -> None:
    state = (ROOT / "wenhen" / "runtime" / "processes" / "metrics_exporter.py").read_text(encoding="utf-8")
    scaled = of_kind("ScaledObject", WRITTEN)
    for name, one in scaled.items():
        [trigger] = one["spec"]["triggers"]
        metric, queue = re.fullmatch(r'max\((\w+)\{queue="(\w+)"\}\)', trigger["metadata"]["query"]).groups()  # type: ignore[union-attr]  # or it fails
        assert metric == "wenhen_queue_oldest_seconds"
        assert f'"{metric}"' in state
        assert queue in SERVICES[name]["command"]
        assert one["spec"]["scaleTargetRef"] == {"name": name}
        assert one["spec"]["minReplicaCount"] >= 1, "who is not there cannot tell that it is needed"
    assert {f"worker-{queue}" for queue in STEP_QUEUES} <= set(scaled)
    fixed = {name for name, one in of_kind("Deployment", WRITTEN).items() if "replicas" in one["spec"]}
    assert fixed == set(SERVICES) - set(scaled), "a number in the file would undo what was scaled"


def test_as_put_together_every_service_is_sealed_and_has_the_variables_that_it_has_in_compose(
    deployed: list[Document],
) -> None:
    [settings] = of_kind("ConfigMap", deployed).values()
    documented = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [name for name in settings["data"] if f"`{name}`" not in documented] == []
    for name, one in of_kind("Deployment", deployed).items():
        pod, ours = one["spec"]["template"]["spec"], container(one)
        assert (pod["securityContext"]["runAsNonRoot"], pod["automountServiceAccountToken"]) == (True, False)
        assert f"{pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}" == SERVICES[name]["user"]
        assert ours["securityContext"]["readOnlyRootFilesystem"]
        assert not ours["securityContext"]["allowPrivilegeEscalation"]
        assert ours["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert set(ours["resources"]["limits"]) == {"cpu", "memory"}
        browser = any("seccomp" in option for option in SERVICES[name]["security_opt"])
        assert ("seccompProfile" in ours["securityContext"]) == browser
        files = {entry["name"]: entry["value"] for entry in ours["env"]}
        optional = {"WENHEN_CRAWLER_USER_AGENT", "WENHEN_REPORT_HOLDER", "WENHEN_REPORT_CONTACT"}
        assert set(SERVICES[name]["environment"]) - optional <= {*files, *settings["data"]}
        mounted = {mount["mountPath"]: mount["name"] for mount in ours["volumeMounts"]}
        assert all(str(Path(file).parent) in mounted for file in files.values())
        assert {Path(file).name for file in files.values()} == set(SERVICES[name]["secrets"])
        assert {at: volume for at, volume in mounted.items() if at.startswith("/var/")} == {
            at: volume for volume, at in (one.split(":") for one in SERVICES[name].get("volumes", ()))
        }


def test_who_reaches_out_does_so_there_as_in_compose_and_nobody_else(deployed: list[Document]) -> None:
    deployments = of_kind("Deployment", deployed)
    labels = {name: one["spec"]["template"]["metadata"]["labels"] for name, one in deployments.items()}
    outward = {name for name, has in labels.items() if has.get("outward") == "yes"}
    assert outward == {name for name, service in SERVICES.items() if "outside" in service["networks"]}
    policies = of_kind("NetworkPolicy", deployed)
    assert policies["inside"]["spec"]["podSelector"] == {}
    assert policies["outward"]["spec"]["podSelector"] == {"matchLabels": {"outward": "yes"}}
    assert [name for name, one in policies.items() if one["spec"]["egress"] == [{}]] == ["dashboard", "outward"]


def test_the_manual_names_every_secret_and_label_that_it_needs(deployed: list[Document]) -> None:
    manual = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    secrets = {
        volume["secret"]["secretName"]
        for one in of_kind("Deployment", deployed).values()
        for volume in one["spec"]["template"]["spec"]["volumes"]
        if "secret" in volume
    }
    assert set(re.findall(r"create secret generic (\w+)", manual)) == secrets
    for label in re.findall(r"wenhen/\w+: \"?yes", (FOLDER / "networks.yaml").read_text(encoding="utf-8")):
        assert label.replace(': "', "=").replace(": ", "=") in manual
