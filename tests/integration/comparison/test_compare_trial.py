"""A suite is read as it stands; a folder of texts is made into one."""

import json
from pathlib import Path

import pytest

from tests.support.features.scheme_samples import texts
from wenhen.comparison.trial import DISGUISES, EXCERPT_CHARACTERS, disguise_text, read_trial
from wenhen.kit.errors import BadInput

LIBRARY = [{"id": "w1", "text": "渡口的灯还亮着。"}, {"id": "w2", "text": "老人系紧了缆绳。"}]
SUSPECTS = [{"id": "s1", "text": "渡口的灯还亮着。"}, {"id": "s2", "text": "下雨了。"}]
TRUTH = [{"suspect": "s1", "source": "w1", "kind": "none"}]


def _suite(folder: Path, truth: list[dict[str, str]]) -> Path:
    for name, rows in (("library", LIBRARY), ("suspects", SUSPECTS), ("truth", truth)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def _folder(folder: Path) -> Path:
    for number, text in enumerate(texts()):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


def test_a_suite_tells_which_suspect_copies_what(tmp_path: Path) -> None:
    trial = read_trial(_suite(tmp_path, TRUTH))
    assert [work for work, _ in trial.library] == ["w1", "w2"]
    assert [suspect.sources for suspect in trial.suspects] == [{"w1": "none"}, {}]
    assert (trial.pairs, trial.kinds) == (1, ["none"])


@pytest.mark.parametrize("wrong", [{"suspect": "s1", "source": "w9"}, {"suspect": "s9", "source": "w1"}])
def test_a_truth_about_unknown_texts_is_refused(tmp_path: Path, wrong: dict[str, str]) -> None:
    with pytest.raises(BadInput, match=r"truth\.jsonl names '[ws]9'"):
        read_trial(_suite(tmp_path, [wrong]))


def test_a_suite_without_its_truth_or_with_broken_lines_is_refused(tmp_path: Path) -> None:
    _suite(tmp_path, TRUTH)
    (tmp_path / "truth.jsonl").unlink()
    with pytest.raises(BadInput, match="cannot be read"):
        read_trial(tmp_path)
    (tmp_path / "truth.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(BadInput, match="not JSON lines"):
        read_trial(tmp_path)
    (tmp_path / "truth.jsonl").write_text('{"suspect": "s1"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="record 1: suspect and source"):
        read_trial(tmp_path)


def test_a_folder_is_disguised_in_every_way_and_every_fifth_text_held_out(tmp_path: Path) -> None:
    trial = read_trial(_folder(tmp_path))
    count = len(texts())
    held_out = [suspect for suspect in trial.suspects if not suspect.sources]
    assert len(held_out) == count // 5
    assert len(trial.library) == count - count // 5
    assert {suspect.id for suspect in held_out}.isdisjoint(work for work, _ in trial.library)
    assert set(trial.kinds) == set(DISGUISES)


def test_the_same_seed_makes_the_same_trial_and_another_one_another(tmp_path: Path) -> None:
    _folder(tmp_path)
    assert read_trial(tmp_path, seed=3) == read_trial(tmp_path, seed=3)
    assert read_trial(tmp_path, seed=3) != read_trial(tmp_path, seed=4)


def test_a_sample_bounds_the_disguised_texts(tmp_path: Path) -> None:
    trial = read_trial(_folder(tmp_path), sample=2)
    assert len({work for suspect in trial.suspects for work in suspect.sources}) == 2


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    _folder(tmp_path)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    trial = read_trial(tmp_path)
    assert len(trial.refused) == 1
    assert "picture.png" in trial.refused[0]


def test_a_folder_of_one_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(texts()[0], encoding="utf-8")
    with pytest.raises(BadInput, match="needs 2"):
        read_trial(tmp_path)


def test_noise_changes_its_share_of_the_characters() -> None:
    from rapidfuzz.distance import Levenshtein

    text = "".join(texts())[:6_000]
    for kind, share in (("noise05", 0.05), ("noise10", 0.10), ("noise20", 0.20)):
        made = disguise_text(text, kind, "1")
        assert made is not None
        assert Levenshtein.distance(text, made) == pytest.approx(share * len(text), rel=0.2)


def test_each_disguise_does_what_its_name_says() -> None:
    text = texts()[0]
    made = {kind: disguise_text(text, kind, "1") for kind in DISGUISES}
    assert made["none"] == text
    assert made["excerpt"] is not None
    assert len(made["excerpt"]) == EXCERPT_CHARACTERS
    assert made["excerpt"] in text
    assert made["shuffle"] is not None
    assert sorted(made["shuffle"].replace("\n", "")) == sorted(text.replace("\n", ""))
    assert made["invisible"] is not None
    assert "".join(char for char in made["invisible"] if char not in "\u200b\u200c\u2060\ufeff") == text
    assert made["ads"] is not None
    assert len(made["ads"]) > len(text)


def test_homophones_stand_for_about_three_tenths_of_the_characters() -> None:
    text = "".join(texts())
    made = disguise_text(text, "homophone30", "1")
    assert made is not None
    han = [(a, b) for a, b in zip(text, made, strict=True) if "一" <= a <= "龥"]
    assert sum(a != b for a, b in han) / len(han) == pytest.approx(0.3, abs=0.05)


def test_a_text_that_the_table_does_not_cover_is_not_called_traditional() -> None:
    assert disguise_text("龟鳖鲸鲨鸵鹦鹉" * 20, "trad", "1") is None


def test_a_short_text_gives_no_excerpt() -> None:
    assert disguise_text("渡口的灯还亮着。" * 20, "excerpt", "1") is None
