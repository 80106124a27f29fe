"""What people say of works stays whatever is imported later, one or many at once; what is wrong is refused alone."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.acting import by
from tests.support.seed import Seeder
from tests.support.way import made_text
from wenhen.kit.clock import china_day, start_of_day
from wenhen.kit.errors import BadInput, Forbidden, NotFound
from wenhen.kit.rights import Right
from wenhen.runtime.wiring import App
from wenhen.works.import_export import ImportedWorks, edit_works_csv, export_details_csv, import_upload
from wenhen.works.model import WorkDraft
from wenhen.works.service import edit_work, put_work, remove_work

DRAFT = WorkDraft(id="a", title="渡口", text=made_text("渡口"), origin="渡口.txt")


def test_what_people_set_stays_when_the_file_is_imported_again_also_with_another_text(product: App) -> None:
    put_work(by(product), DRAFT)
    said = {"title": "老渡口", "published_at": "2025-11-02", "proof": "登记第 7 号", "owner": ""}
    edited = edit_work(by(product, rights={Right.DETAILS}), "a", said)
    assert edited.published_at == datetime(2025, 11, 1, 16, tzinfo=UTC)
    assert put_work(by(product), DRAFT) == ("a", "unchanged")
    changed = WorkDraft(id="a", title="渡口", text=made_text("渡船"), author="沈", proof="无")
    assert put_work(by(product), changed) == ("a", "changed")
    work = product.store.works.get("a")
    assert (work.title, work.proof, work.author, work.version) == ("老渡口", "登记第 7 号", "沈", 2)
    assert [one.id for one in product.store.works.find(query="老渡")] == ["a"]


def test_the_cases_of_a_work_show_its_new_title_and_are_found_by_it(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    case = seed.case()
    edit_work(by(product), "dock", {"title": "船匠"})
    assert product.store.cases.get(case.id).work_title == "船匠"
    assert [one.number for one in product.store.cases.find(text="船匠")] == [case.number]


def test_what_is_wrong_names_its_field_and_changes_nothing(product: App) -> None:
    put_work(by(product), DRAFT)
    wrong = {"title": " ", "url": "ftp://a.example", "chapter": "七", "published_at": "昨天", "author": "长" * 201}
    for name, text in wrong.items():
        with pytest.raises(BadInput, match=f"^{name}: "):
            edit_work(by(product), "a", {name: text, "series": "海岸线"})
    with pytest.raises(BadInput, match="no text"):
        edit_work(by(product), "a", {"text": "别的"})
    with pytest.raises(Forbidden):
        edit_work(by(product, rights={Right.WORKS}), "a", {"title": "别的"})
    remove_work(by(product), "a")
    with pytest.raises(NotFound):
        edit_work(by(product), "a", {"title": "别的"})
    assert product.store.works.get("a").series is None


def test_a_work_that_came_out_after_today_is_refused_wherever_it_is_said_and_the_rest_goes_on(product: App) -> None:
    today, tomorrow = china_day(product.now()), china_day(product.now()) + timedelta(days=1)
    put_work(by(product), replace(DRAFT, published_at=start_of_day(today)))
    later = replace(DRAFT, id="b", title="未来", published_at=start_of_day(tomorrow))
    with pytest.raises(BadInput, match="after today"):
        put_work(by(product), later)
    with pytest.raises(BadInput, match=r"^published_at: .*after today"):
        edit_work(by(product), "a", {"published_at": tomorrow.isoformat()})
    table = edit_works_csv(by(product), f"id,published_at\na,{tomorrow}\n".encode(), preview=True)
    assert [one.reason.code for one in table.refused] == ["works.bad_field"]
    lines = f'title,text,published_at\n未来,"{made_text("山")}",{tomorrow}\n旧作,"{made_text("海")}",2019/5/3\n'
    done = import_upload(by(product), "书目.csv", lines.encode())
    assert [product.store.works.get(id).title for id in done.new] == ["旧作"]
    assert [(one.what, one.reason.code) for one in done.refused] == [("书目.csv: 未来", "works.to_come")]


def test_a_work_that_is_put_was_published_at_an_address_or_nowhere(product: App) -> None:
    with pytest.raises(BadInput, match="no address of http"):
        put_work(by(product), replace(DRAFT, url="javascript:alert(1)"))
    assert put_work(by(product), replace(DRAFT, url="https://hean.example/a")) == ("a", "new")


def test_a_table_goes_out_and_comes_back_with_what_was_changed_in_it(product: App) -> None:
    put_work(by(product), DRAFT)
    table = export_details_csv([product.store.works.get("a")])
    assert edit_works_csv(by(product), table) == edit_works_csv(by(product), table, preview=True)
    content = "id,owner,chapter,title\na,河岸社,-,\n没有,谁,1,\na,,七,\n".encode("gb18030")
    preview = edit_works_csv(by(product), content, preview=True)
    assert product.store.works.get("a").owner is None
    done = edit_works_csv(by(product), content)
    assert done == preview
    [line] = done.edited
    assert (line.line, line.changes) == (2, {"owner": ("", "河岸社")})
    assert [one.line for one in done.refused] == [3, 4]
    assert product.store.works.get("a").owner == "河岸社"
    with pytest.raises(BadInput, match="no column id"):
        edit_works_csv(by(product), b"title\nx\n")


def test_the_headings_of_the_table_are_in_the_language_asked_for_and_both_are_read(product: App) -> None:
    put_work(by(product), DRAFT)
    work = product.store.works.get("a")
    for language, heading in (("zh", "编号,标题,作者,权利人,"), ("en", "id,title,author,owner,")):
        table = export_details_csv([work], "zh" if language == "zh" else "en").decode("utf-8-sig")
        assert table.startswith(heading)
        changed = table.replace(f"a,{work.title}", f"a,{work.title}（{language}）")
        [line] = edit_works_csv(by(product), changed.encode(), preview=True).edited
        assert line.changes == {"title": (work.title, f"{work.title}（{language}）")}


def test_fields_that_no_work_has_are_counted_by_name_and_the_works_are_taken(product: App) -> None:
    lines = [
        {"title": "山", "text": made_text("山"), "published": "2024-05-01", "备注": None},
        {"title": "海", "text": made_text("海"), "published": "2024-05-02", "tags": ["散文"]},
        {"title": "", "text": "", "published": "2024-05-03"},
    ]
    content = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
    done = import_upload(by(product), "书目.jsonl", content)
    assert (len(done.new), len(done.refused)) == (2, 1)
    assert done.unknown_fields == {"published": 2, "tags": 1}
    table = f'标题,正文,备注,空\n河,"{made_text("河")}",待核,\n'
    assert import_upload(by(product), "书目.csv", table.encode()).unknown_fields == {"备注": 1}


def test_names_beyond_a_number_are_counted_together() -> None:
    done = ImportedWorks()
    done.count_unknown({f"字段{number}": 1 for number in range(70)})
    assert (len(done.unknown_fields), done.unknown_fields["…"]) == (51, 20)
