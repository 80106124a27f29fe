"""Settings come from the environment and wenhen.toml, are typed, and are all documented."""

from pathlib import Path

import pytest

from wenhen.kit.errors import BadInput
from wenhen.runtime.settings_sources import Settings, load_settings, settings_environment
from wenhen.settings import Section

ROOT = Path(__file__).parents[3]


def every_setting() -> list[tuple[str, str]]:
    return [
        (section, name)
        for section, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
        for name in field.annotation.model_fields
    ]


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for section, name in every_setting():
        monkeypatch.delenv(f"WENHEN_{section}_{name}".upper(), raising=False)
    monkeypatch.delenv("WENHEN_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("section", "name"), every_setting())
def test_every_setting_is_documented_with_its_variable_and_its_meaning(section: str, name: str) -> None:
    documented = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    field = Settings.model_fields[section].annotation.model_fields[name]  # type: ignore[union-attr]  # each is a Section
    line = next(line for line in documented.splitlines() if f"`WENHEN_{section}_{name}`".upper() in line)
    assert f"`[{section}]` `{name}`" in line
    assert field.description
    assert field.description in line
    default = field.get_default(call_default_factory=True)
    assert default in (None, "", {}) or f"`{default}`" in line


def test_every_documented_variable_is_a_setting() -> None:
    known = {f"WENHEN_{section}_{name}".upper() for section, name in every_setting()}
    known |= {"WENHEN_CONFIG", "WENHEN_DATA", "WENHEN_MONGOD", "WENHEN_REDIS_SERVER", "WENHEN_BROKER_URL"}
    documented = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    named = {line.split("`")[1] for line in documented.splitlines() if line.startswith("| `WENHEN_")}
    assert named == known


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wenhen.toml").write_text("[crawler]\ndelay = 3.5\ntimeout = 7\n", encoding="utf-8")
    monkeypatch.setenv("WENHEN_CRAWLER_DELAY", "0.5")
    settings = load_settings()
    assert settings.crawler.delay == 0.5
    assert settings.crawler.timeout == 7
    assert settings.crawler.concurrency == 4


def test_a_wrong_value_is_refused_with_the_name_of_its_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WENHEN_DASHBOARD_PORT", "many")
    with pytest.raises(BadInput, match=r"dashboard\.port"):
        load_settings()


def test_a_refusal_says_where_it_was_set_and_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wenhen.toml").write_text('[notice]\nsmtp = "mail.example"\n', encoding="utf-8")
    with pytest.raises(BadInput, match=r"notice\.smtp \(wenhen\.toml\).* host:port"):
        load_settings()
    monkeypatch.setenv("WENHEN_NOTICE_SMTP", "mail.example")
    with pytest.raises(BadInput, match=r"notice\.smtp \(WENHEN_NOTICE_SMTP\)"):
        load_settings()


def test_an_unknown_name_in_a_section_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wenhen.toml").write_text("[crawler]\nspeed = 3\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"wenhen\.toml: crawler\.speed is no setting"):
        load_settings()
    (tmp_path / "wenhen.toml").unlink()
    monkeypatch.setenv("WENHEN_CRAWLER_DELY", "3")
    with pytest.raises(BadInput, match=r"WENHEN_CRAWLER_DELY: crawler\.dely is no setting"):
        load_settings()


def test_an_empty_variable_sets_nothing_and_an_empty_address_in_the_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WENHEN_MONGO_URL", "WENHEN_DATA", "WENHEN_DASHBOARD_PORT"):
        monkeypatch.setenv(name, "")
    settings = load_settings()
    assert (settings.mongo.url, settings.dashboard.port) == (None, 8321)
    assert settings.data != tmp_path
    (tmp_path / "wenhen.toml").write_text('[mongo]\nurl = ""\n', encoding="utf-8")
    with pytest.raises(BadInput, match=r"mongo\.url \(wenhen\.toml\)"):
        load_settings()


def test_the_data_folder_is_the_same_for_every_process_wherever_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for given, meant in {"~/wenhen": tmp_path / "home" / "wenhen", "here": tmp_path / "here"}.items():
        monkeypatch.setenv("WENHEN_DATA", given)
        assert load_settings().data == meant
    monkeypatch.setenv("WENHEN_DATA", "~nobody-is-called-so/wenhen")
    with pytest.raises(BadInput, match=r"data \(WENHEN_DATA\)"):
        load_settings()


def test_a_broken_file_and_a_file_that_is_not_there_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wenhen.toml").write_text("[crawler\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"wenhen\.toml is not valid TOML"):
        load_settings()
    monkeypatch.setenv("WENHEN_CONFIG", str(tmp_path / "elsewhere.toml"))
    with pytest.raises(BadInput, match="which is not there"):
        load_settings()


def test_a_section_that_does_not_exist_is_refused_and_so_is_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "wenhen.toml").write_text("[crowler]\ndelay = 3\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"wenhen\.toml names crowler, which is no section"):
        load_settings()
    (tmp_path / "wenhen.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match=r"wenhen\.toml is not valid TOML"):
        load_settings()


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("WENHEN_CRAWLER_PROXIES", "http://a:1", r"crawler\.proxies \(WENHEN_CRAWLER_PROXIES\).* is written as JSON"),
        ("WENHEN_REDIS_URL", "localhost:6379", r"redis\.url.*redis://"),
        ("WENHEN_REDIS_URL", "redis://:geheim@host:port/", r"redis\.url (?!.*geheim)"),
        ("WENHEN_INDEX_URL", "http://host", r"index\.url.*redis://"),
    ],
)
def test_a_list_that_is_no_json_and_an_address_that_is_none_are_refused(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, told: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(BadInput, match=told):
        load_settings()


def test_a_child_process_that_gets_the_settings_as_variables_has_the_same_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WENHEN_CRAWLER_HOST_MAP", '{"a.test": "127.0.0.1:81"}')
    monkeypatch.setenv("WENHEN_DASHBOARD_PASSWORD", "open, please")
    settings = load_settings(data=Path("/some/where"))
    for name, value in settings_environment(settings).items():
        monkeypatch.setenv(name, value)
    assert load_settings() == settings


def test_the_place_of_a_file_may_begin_with_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/shen")
    for name in (
        "CRAWLER_WARC",
        "CRAWLER_BROWSER",
        "REPORT_FONTS",
        "REPORT_SEAL",
        "EVIDENCE_ROOTS",
        "CRAWLER_REFERENCE_FONT",
    ):
        monkeypatch.setenv(f"WENHEN_{name}", "~/there")
    settings = load_settings()
    found = settings.crawler.warc, settings.crawler.browser, settings.report.fonts, settings.report.seal
    assert {*found, settings.evidence.roots} == {"/home/shen/there"}
    assert settings.crawler.reference_font == Path("/home/shen/there")
    monkeypatch.setenv("WENHEN_CRAWLER_WARC", "off")
    assert load_settings().crawler.warc == "off"


def test_who_has_no_home_needs_none_where_the_data_folder_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    monkeypatch.setenv("WENHEN_DATA", "/srv/wenhen")
    assert load_settings().data == Path("/srv/wenhen")
    monkeypatch.delenv("WENHEN_DATA")
    with pytest.raises(BadInput, match=r"setting data .*home directory"):
        load_settings()
