"""The documents become a site: each link leads somewhere, the search knows Chinese, no other server is asked."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ASKED = re.compile(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?(?:https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("mkdocs") is None and "CI" not in os.environ:
        pytest.skip("mkdocs is not installed: make setup")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_document_is_a_page(site: Path) -> None:
    pages = {str(file.relative_to(ROOT / "docs").with_suffix("")) for file in (ROOT / "docs").rglob("*.md")}
    made = {str(file.relative_to(site).with_suffix("")) for file in site.rglob("*.html")}
    assert {re.sub("README$", "index", page) for page in pages} <= made


def test_the_search_finds_words_of_chinese(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))
    assert index["config"]["lang"] == ["en", "zh"]
    words = " ".join(entry["text"] for entry in index["docs"])
    assert "侵权\u200b报告" in words  # a zero-width space stands where jieba cuts


def test_the_reference_describes_each_call_of_a_notebook(site: Path) -> None:
    page = (site / "reference.html").read_text("utf-8")
    for name in ("Library.from_texts", "Library.find", "compare", "fingerprint", "extract", "parallels"):
        assert f'id="wenhen.notebook.texts.{name}"' in page


def test_a_page_asks_no_other_server(site: Path) -> None:
    asking = [file.name for file in site.rglob("*.html") if ASKED.search(file.read_text("utf-8"))]
    assert asking == []
