"""Works come in and go out by use cases: each with its line in the log, by those alone who may."""

import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.acting import by
from tests.support.way import made_text
from wenhen.kit.errors import Forbidden, NotFound
from wenhen.kit.progress import OwnerKind, Step
from wenhen.kit.rights import Right
from wenhen.runtime.wiring import App
from wenhen.works.import_export import import_paths, import_upload
from wenhen.works.model import WorkDraft
from wenhen.works.service import put_work, remove_work

TEXT = made_text("渡口")
DRAFT = WorkDraft(id="a", title="渡口", text=TEXT)


def logged(product: App) -> list[tuple[str, str, str | None, str | None]]:
    """The log, oldest first."""
    return [(one.action, one.subject, one.old, one.new) for one in reversed(product.store.audit.find())]


def test_an_import_of_files_takes_what_is_good_and_names_the_rest_in_each_language(
    product: App, tmp_path: Path
) -> None:
    (tmp_path / "渡口.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "图.png").write_bytes(b"PNG")
    told: list[tuple[int, int]] = []
    done = import_paths(by(product), [tmp_path], owner="河岸", progress=lambda done, total: told.append((done, total)))
    assert (done.counts(), done.counts().accepted_count) == ((1, 0, 0, 1), 1)
    [refused] = done.refused
    assert refused.what == f"{tmp_path}/图.png"
    assert refused.reason.text("zh").startswith("不支持以 .png 结尾的文件；支持：.txt ")
    assert str(refused.reason).startswith("files that end in .png are not known; known: .txt ")
    assert [one.what for one in product.store.problems.recent()] == [refused.what]
    assert product.store.works.get(done.new[0]).owner == "河岸"
    assert told[-1] == (2, 2)
    assert logged(product) == [("work.import", f"file:{tmp_path}", None, "new 1, changed 0, unchanged 0, refused 1")]


def test_a_pipe_among_the_files_is_not_waited_for(product: App, tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "管.txt")
    done = import_paths(by(product), [pipe, tmp_path])
    assert [one.reason.code for one in done.refused] == ["importing.no_file", "importing.empty_folder"]


def test_the_log_names_no_more_of_many_paths_than_a_screen_can_show(product: App) -> None:
    import_paths(by(product), [Path("/nowhere") / ("x" * 200)] * 5)
    [(_, subject, _, _)] = logged(product)
    assert len(subject) == 500


def test_a_file_that_was_sent_is_named_as_its_sender_knows_it(product: App) -> None:
    done = import_upload(by(product), "空.txt", b"")
    assert [(one.what, one.reason.code) for one in done.refused] == [("空.txt", "importing.empty_file")]
    done = import_upload(by(product), "渡口.txt", TEXT.encode())
    assert product.store.works.get(done.new[0]).origin == "upload/渡口.txt"
    assert [subject for _, subject, _, _ in logged(product)] == ["file:空.txt", "file:渡口.txt"]


def test_a_row_that_was_mended_and_sent_again_is_no_problem_any_more(product: App) -> None:
    good, mended = ("".join(made_text(title).split()) for title in ("河", "海"))
    done = import_upload(by(product), "书目.csv", f"title,text\n河,{good}\n海,\n".encode())
    assert [one.what for one in done.refused] == ["书目.csv:3"]
    import_upload(by(product), "另一书目.csv", "title,text\n山,\n".encode())
    assert len(product.store.problems.recent()) == 2
    later = replace(product, now=lambda: product.now() + timedelta(hours=1))
    import_upload(by(later), "书目.csv", f"title,text\n河,{good}\n海,{mended}\n".encode())
    assert [one.what for one in product.store.problems.recent()] == ["upload/另一书目.csv:2"]


def test_a_work_that_changes_nothing_is_not_logged(product: App) -> None:
    assert put_work(by(product), DRAFT) == ("a", "new")
    assert put_work(by(product), DRAFT) == ("a", "unchanged")
    assert product.store.works.get("a").progress.step is Step.FINGERPRINT
    assert logged(product) == [("work.put", "work:a", None, "new: 渡口")]


def test_a_work_that_is_removed_is_gone_and_its_title_stays_in_the_log(product: App) -> None:
    put_work(by(product), DRAFT)
    assert remove_work(by(product), "a").title == "渡口"
    assert product.store.works.count() == 0
    assert product.store.fingerprints.of(OwnerKind.WORK, "a") == []
    assert logged(product)[1:] == [("work.remove", "work:a", "渡口", None)]
    with pytest.raises(NotFound):
        remove_work(by(product), "nobody")
    assert len(logged(product)) == 2


def test_whoever_may_not_changes_nothing(product: App, tmp_path: Path) -> None:
    put_work(by(product), DRAFT)
    reader = by(product, rights={Right.READ})
    (tmp_path / "b.txt").write_text(made_text("b"), encoding="utf-8")
    for refused in (
        lambda: import_paths(reader, [tmp_path]),
        lambda: import_upload(reader, "b.txt", made_text("b").encode()),
        lambda: put_work(reader, WorkDraft(id="b", title="b", text=made_text("b"))),
        lambda: remove_work(reader, "a"),
    ):
        with pytest.raises(Forbidden, match="works"):
            refused()
    assert [*product.store.works.ids()] == ["a"]
    assert len(logged(product)) == 1
