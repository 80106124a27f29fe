"""What commands change stands in the audit log, in the words of the dashboard, under the caller of the command."""

import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import Result

from tests.support.commands.commanding import Run, command_on
from tests.support.exhibits import made_file
from tests.support.seed import NOW, OPENING, Seeder
from wenhen.cli.console import command_actor
from wenhen.context.store_and_queue import Store
from wenhen.discovery.model import Discovery
from wenhen.evidence.model import Exhibit, ExhibitReason
from wenhen.reports.wording import catalogue
from wenhen.runtime.embedded.servers import ServerAddresses


@pytest.fixture
def command(servers: ServerAddresses, redis_url: str, tmp_path: Path) -> Iterator[tuple[Run, Store]]:
    """The command, which must not fail, on a database of this test's own, and the store behind it."""
    with command_on(servers, redis_url, tmp_path) as (attempt, store):

        def run(*words: str) -> Result:
            done = attempt(*words)
            assert done.exit_code == 0, done.output
            return done

        yield run, store


def written(store: Store) -> list[tuple[str, str, str | None, str | None]]:
    """The log, oldest first; all of it by the caller, each action with words for the screen."""
    entries = list(reversed(store.audit.find(limit=100)))
    assert all(entry.who.endswith(command_actor()) or entry.who == f"陆 ({command_actor()})" for entry in entries)
    assert all(f"audit.{entry.action}" in catalogue().entries for entry in entries)
    return [(entry.action, entry.subject, entry.old, entry.new) for entry in entries]


def test_what_commands_do_with_sites_is_logged_with_the_old_and_the_new_value(
    command: tuple[Run, Store], tmp_path: Path
) -> None:
    run, store = command
    run("sites", "add", "http://a.test/", "--id", "a", "--tags", "x")
    (tmp_path / "more.csv").write_text("urls,id\nhttp://b.test/,b\nftp://c.test/,c\n", encoding="utf-8")
    run("sites", "import", str(tmp_path / "more.csv"))
    run("sites", "edit", "--tag", "x", "--max-pages", "70")
    run("sites", "headers", "a", "mobile")
    run("sites", "mirrors", "a", "www.a.test")
    run("sites", "pause", "a")
    run("sites", "resume", "a")
    run("sites", "remove", "b")
    assert written(store) == [
        ("site.add", "site:a", None, "http://a.test/"),
        ("site.add", "site:b", None, "http://b.test/"),
        ("site.edit", "site:a", '{"max_pages": 1000}', '{"max_pages": 70}'),
        ("site.edit", "site:a", '{"header_profile": "default"}', '{"header_profile": "mobile"}'),
        ("site.edit", "site:a", '{"mirrors": []}', '{"mirrors": ["www.a.test"]}'),
        ("site.pause", "site:a", None, None),
        ("site.resume", "site:a", None, None),
        ("site.remove", "site:b", "http://b.test/", None),
    ]


def test_what_commands_do_with_receipts_is_logged_with_their_digests(
    command: tuple[Run, Store], tmp_path: Path
) -> None:
    run, store = command
    seed = Seeder(store)
    seed.work()
    seed.case()
    wanted = Exhibit(
        id="e1", case_id="p", case_number=1, why=ExhibitReason.ASKED, by="沈", wanted_at=NOW, state="", due=None
    )
    store.exhibits.add(replace(wanted, made_at=NOW, file_digest=store.blobs.put(made_file())))
    manifest, paper = tmp_path / "manifest.json", tmp_path / "公证书.pdf"
    paper.write_bytes(b"%PDF")
    digest = sha256(b"%PDF").hexdigest()
    told = run("evidence", "manifest", "e1", "--out", str(manifest)).stdout.strip()
    assert told == sha256(manifest.read_bytes()).hexdigest()
    receipt = run("evidence", "receipt", "add", "e1", str(paper), "--by", "长江公证处").stdout.strip()
    assert "长江公证处" in run("evidence", "list", "--json", "1").stdout
    run("evidence", "receipt", "get", "e1", receipt, "--out", str(tmp_path / "again.pdf"))
    assert (tmp_path / "again.pdf").read_bytes() == b"%PDF"
    lines = [(action, json.loads(new or "{}")) for action, _, _, new in written(store)]
    kept = {
        "exhibit": "e1",
        "receipt": receipt,
        "issuer": "长江公证处",
        "sha256": digest,
        "manifest_sha256": told,
    }
    assert lines == [
        ("exhibit.hand_out_manifest", {"exhibit": "e1", "manifest_sha256": told}),
        ("exhibit.add_receipt", kept),
        ("exhibit.hand_out_receipt", kept),
    ]


def test_who_overrode_robots_txt_by_command_is_told_from_a_user_of_the_same_name(command: tuple[Run, Store]) -> None:
    run, store = command
    run("sites", "add", "http://a.test/", "--id", "a")
    run("sites", "robots", "a", "--ignore", "书面许可")
    run("sites", "robots", "a", "--obey", "--by", "陆")
    run("sites", "proxies", "a", "http://me:secret@proxy.test:3128")
    assert written(store)[1:] == [
        ("site.ignore_robots", "site:a", None, "书面许可"),
        ("site.obey_robots", "site:a", "书面许可", None),
        ("site.proxies", "site:a", None, "http://me:***@proxy.test:3128"),
    ]
    assert [entry.who for entry in store.audit.find(limit=3)] == [
        command_actor(),
        f"陆 ({command_actor()})",
        command_actor(),
    ]


def test_crawls_that_are_started_and_steered_by_command_are_logged(command: tuple[Run, Store]) -> None:
    run, store = command
    run("sites", "add", "http://a.test/", "--id", "a")
    begun = json.loads(run("crawl", "a", "--no-wait", "--json").stdout)["id"]
    assert "0" in run("runs", "drop", begun, "/tag/").stdout
    assert json.loads(run("runs", "waiting", begun, "--json").stdout) == {"count": 0, "first": []}
    for word in ("pause", "resume", "stop"):
        run("runs", word, begun)
    told = [(action, subject) for action, subject, _, _ in written(store)[1:]]
    assert told == [
        ("site.crawl", "site:a"),
        ("run.drop", f"run:{begun}"),
        *((f"run.{word}", f"run:{begun}") for word in ("pause", "resume", "stop")),
    ]


def test_works_holders_licences_and_finds_that_commands_change_are_logged(
    command: tuple[Run, Store], tmp_path: Path
) -> None:
    run, store = command
    work = tmp_path / "渡口.txt"
    work.write_text("船在渡口等了一夜，天亮时雾才慢慢散开，对岸的灯还亮着。" * 5, encoding="utf-8")
    run("works", "import", str(work), "--no-wait")
    (id,) = store.works.ids()
    run("works", "remove", id)
    run("holders", "put", "河岸", "--contact", "陆")
    run("holders", "put", "河岸", "--contact", "沈")
    assert run("holders", "rename", "河岸", "河岸社").output.strip() == "河岸社"
    run("holders", "remove", "河岸社")
    licence = run("licences", "add", "晨读网", "a.test/b").stdout.strip()
    run("licences", "remove", licence)
    store.discoveries.add(
        Discovery(id="d1", work_id=id, url="http://c.test/1", title="", sentences=("船",), engine="e", found_at=NOW)
    )
    run("discovered", "refuse", "d1")
    log = written(store)
    assert [(action, subject) for action, subject, _, _ in log] == [
        ("work.import", f"file:{work}"),
        ("work.remove", f"work:{id}"),
        ("holder.put", "holder:河岸"),
        ("holder.put", "holder:河岸"),
        ("holder.rename", "holder:河岸社"),
        ("holder.rename", "holder:河岸"),
        ("holder.remove", "holder:河岸社"),
        ("licence.add", f"licence:{licence}"),
        ("licence.remove", f"licence:{licence}"),
        ("discovery.refused", "discoveries:1"),
    ]
    assert log[0][3] == "new 1, changed 0, unchanged 0, refused 0"
    assert log[3][2:] == ('{"contact": "陆"}', '{"contact": "沈"}')
    assert log[9][3] == "d1"


def test_what_commands_do_with_cases_is_logged_and_so_is_what_they_take_away(
    command: tuple[Run, Store], tmp_path: Path
) -> None:
    run, store = command
    seed = Seeder(store)
    seed.work()
    seed.case()
    assert run("cases", "decide", "dismissed", "1", "--note", "引用").stdout == "1 moved\n"
    assert run("cases", "assign", "王", "1").stdout == "1 changed\n"
    run("cases", "comment", "1", "已致电对方")
    added = run("cases", "add-amount", "1", "cost", "3,000", "--day", "2026-03-01", "--note", "公证费").stdout.strip()
    assert "3,000.00 CNY" in run("cases", "show", "1").stdout
    run("cases", "remove-amount", "1", added)
    out = run("cases", "exclude", "1", "--passage", "1", "--why", "引用").stdout
    assert out.endswith(": figures of 1 cases followed\n")
    assert OPENING[:8] in run("cases", "exclusions", "1", "--json").stdout
    run("cases", "include", out.split(":")[0])
    run("report", "--out", str(tmp_path / "all.json"), "--status", "dismissed")
    run("report", "1", "--out", str(tmp_path / "one.xlsx"))
    [line] = json.loads(run("audit", "file", str(tmp_path / "one.xlsx"), "--json").stdout)
    assert (line["action"], line["subject"]) == ("report.export", "case:1")
    named = sha256((tmp_path / "all.json").read_bytes()).hexdigest()
    assert "report:cases" in run("audit", "file", named.upper()).stdout
    all_cases, one_case = (
        f'"file": "{name}", "size": {len(content)}, "sha256": "{sha256(content).hexdigest()}"'
        for name in ("all.json", "one.xlsx")
        for content in [(tmp_path / name).read_bytes()]
    )
    told = {"what": "passage", "scope": "case", "text": OPENING, "why": "引用"}
    excluded = json.dumps(told, ensure_ascii=False)
    cost = {"kind": "cost", "amount": "3000.00 CNY", "day": "2026-03-01", "note": "公证费"}
    money = json.dumps(cost, ensure_ascii=False)
    assert written(store) == [
        ("case.decide", "case:1", '{"status": "lead"}', '{"status": "dismissed", "reason": "引用"}'),
        ("case.assign", "case:1", None, '{"assignee": "王"}'),
        ("case.comment", "case:1", None, '{"comment": "已致电对方"}'),
        ("case.add_amount", "case:1", None, money),
        ("case.view", "case:1", None, None),
        ("case.remove_amount", "case:1", money, None),
        ("case.exclude", "case:1", None, excluded),
        ("case.include", "case:1", excluded, None),
        ("report.export", "report:cases", None, f'{{"numbers": "1", "status": "dismissed", "cases": 1, {all_cases}}}'),
        ("report.export", "case:1", None, f'{{"case": "1", "cases": 1, {one_case}}}'),
    ]
    (case,) = json.loads((tmp_path / "all.json").read_text("utf-8"))["cases"]
    assert (case["decision"], case["assignee"]) == ("引用", "王")


def test_a_file_that_never_left_is_named_by_no_line(servers: ServerAddresses, redis_url: str, tmp_path: Path) -> None:
    (tmp_path / "forged.pdf").write_bytes(b"%PDF")
    with command_on(servers, redis_url, tmp_path) as (attempt, _):
        done = attempt("audit", "file", str(tmp_path / "forged.pdf"))
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no line of the audit log names this file" in done.output
