"""docker-compose.yml names only services, variables and commands that exist, and publishes the dashboard alone."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.setting_defaults import Section
from services.archive import folder_of
from wenhen import celery_queue as queues
from wenhen.settings import Settings

ROOT = Path(__file__).parents[3]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service.get("build")}
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
SCRIPTS = {"celery", "gunicorn", "wenhen", "python"}


def test_every_part_of_the_house_has_a_service() -> None:
    assert {"mongo", "redis", "index", "dashboard", "crawler", "beat"} <= set(SERVICES)


def test_every_queue_has_a_worker_and_every_worker_serves_queues_that_exist() -> None:
    served = [
        queue
        for service in OURS.values()
        if "--queues" in service["command"]
        for queue in service["command"][service["command"].index("--queues") + 1].split(",")
    ]
    assert sorted(served) == sorted(queues.ALL)


@pytest.mark.parametrize("name", OURS)
def test_every_command_is_a_program_of_the_image_and_every_module_that_it_names_can_be_found(name: str) -> None:
    command = OURS[name]["command"]
    assert command[0] in SCRIPTS
    for word in [*command, *OURS[name]["healthcheck"]["test"]]:
        for module, attribute in re.findall(r"\b(wenhen(?:\.\w+)+)(?::(\w+))?", word):
            source = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
            assert not attribute or re.search(rf"^(def {attribute}\(|{attribute} =)", source, re.MULTILINE)


def test_every_variable_is_a_setting_or_is_documented() -> None:
    known = {
        f"WENHEN_{section}_{name}".upper()
        for section, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
        for name in field.annotation.model_fields
    }
    documented = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for service in OURS.values():
        for variable in service["environment"]:
            assert variable in known or f"`{variable}`" in documented
    operations = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    for variable in re.findall(r"\$\{(\w+)", text):
        assert variable in operations or variable in known


def test_every_service_is_watched_restarted_and_not_root() -> None:
    for service in SERVICES.values():
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"]
        assert not service["user"].startswith(("0", "root"))


def test_who_opens_what_is_sealed_has_the_key_and_nobody_else() -> None:
    having = {name for name, service in OURS.items() if "dashboard_secret_key" in service["secrets"]}
    assert having == {"dashboard", "crawler", "worker-upkeep"}
    assert all("WENHEN_DASHBOARD_SECRET_KEY_FILE" in OURS[name]["environment"] for name in having)


def test_nothing_but_the_dashboard_is_published() -> None:
    assert [name for name, service in SERVICES.items() if service.get("ports")] == ["dashboard"]


def test_what_must_outlive_a_container_lies_in_a_declared_volume() -> None:
    for name in ("mongo", "redis", "index", "crawler"):
        volume = SERVICES[name]["volumes"][0].split(":")[0]
        assert volume in COMPOSE["volumes"]


def test_every_service_takes_further_settings_from_a_file_that_reaches_no_image_and_no_repository() -> None:
    for service in OURS.values():
        assert service["env_file"] == [{"path": "wenhen.env", "required": False}]
    for name in (".dockerignore", ".gitignore"):
        assert {".env", "wenhen.env"} <= set((ROOT / name).read_text(encoding="utf-8").split())
    assert "wenhen.env" in (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_no_secret_stands_in_the_file() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    for line in text.splitlines():
        if re.search(r"(PASSWORD|SECRET_KEY):", line):
            assert "${" in line


def test_the_image_is_built_from_files_that_exist_and_does_not_run_as_root() -> None:
    for source in re.findall(r"^COPY (?!--from)(\S+)", DOCKERFILE, re.MULTILINE):
        assert (ROOT / source).exists()
    stages = dict(re.findall(r"^FROM \S+ AS (\w+)$(.*?)(?=^FROM|\Z)", DOCKERFILE, re.MULTILINE | re.DOTALL))
    for service in OURS.values():
        assert re.findall(r"^USER (\w+)$", stages[service["build"]["target"]], re.MULTILINE)[-1] == "wenhen"


def test_what_crawls_archive_lies_in_a_volume_that_they_and_the_upkeep_may_write_to() -> None:
    data = re.search(r"WENHEN_DATA=(\S+)", DOCKERFILE)
    assert data
    folder = folder_of(Settings(data=Path(data[1])))
    for name, service in OURS.items():
        mounted = [volume.split(":")[1] for volume in service.get("volumes", ())]
        assert service["read_only"]
        assert mounted == ([str(folder)] if name in {"crawler", "worker-upkeep"} else [])
    assert re.search(rf"install -d -o wenhen .*{folder}$", DOCKERFILE, re.MULTILINE), (
        "a volume begins as the image has it"
    )


def test_crawlers_have_a_browser_and_leave_its_sandbox_what_it_needs() -> None:
    assert [name for name, service in OURS.items() if service["build"]["target"] == "crawler"] == ["crawler"]
    stage = DOCKERFILE.partition("AS crawler")[2]
    assert re.search(r"apt-get install .*\bchromium\b", stage)
    assert "ENV WENHEN_CRAWLER_BROWSER=/usr/bin/chromium" in stage
    options = dict(option.split(":") for option in SERVICES["crawler"]["security_opt"])
    assert options["no-new-privileges"] == "true"
    profile = json.loads((ROOT / options["seccomp"]).read_text(encoding="utf-8"))
    forbidden = {name for rule in profile["syscalls"] for name in rule["names"]}
    assert {rule["action"] for rule in profile["syscalls"]} == {"SCMP_ACT_ERRNO"}
    assert {"mount", "ptrace", "bpf", "setns", "keyctl", "init_module", "userfaultfd"} <= forbidden
    assert not {"clone", "clone3", "unshare", "chroot", "seccomp"} & forbidden, "of these Chromium makes its sandbox"
