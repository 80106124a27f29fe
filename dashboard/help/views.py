"""Show the guides and documents as help pages, rendered as HTML."""

import sysconfig
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from flask import Blueprint, render_template
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from dashboard.frame.context import language
from dashboard.frame.security import needs
from wenhen.kit.errors import DisplayLanguage, NotFound
from wenhen.kit.rights import Right
from wenhen.kit.taiwan import to_taiwan

# Guides are written in both languages. Documents are those of the source tree, which the wheel carries as data.


GUIDES: Final = ("start", "judging", "pursuing", "evidence", "alerts", "settings")
DOCUMENTS: Final = (
    *(
        "cases",
        "evidence",
        "reports",
        "alerts",
        "discovering",
        "marks",
        "glossary",
        "settings",
        "operations",
        "security",
    ),
    *("api", "command", "bulk", "notebooks", "plugins", "evaluation", "schemes", "scaling", "architecture"),
)
_GUIDES_FOLDER: Final = Path(__file__).parent / "guides"
_CHECKOUT: Final = Path(__file__).parents[2]


class HelpPage(NamedTuple):
    """A rendered page. headings: ids and texts of its sections."""

    title: str
    html: Markup
    headings: Sequence[tuple[str, str]]


def documents_folder() -> Path:
    """Return the folder of the documents: of the source tree, or of the installed wheel."""
    if (_CHECKOUT / "pyproject.toml").is_file():
        return _CHECKOUT / "docs"
    return Path(sysconfig.get_path("data")) / "share" / "wenhen" / "docs"


@cache
def render_guide(name: str, language: DisplayLanguage) -> HelpPage:
    """Render a guide. Raises `NotFound`."""
    if name not in GUIDES:
        raise NotFound("asked.no_help", name=name[:80])
    folder = _GUIDES_FOLDER / ("en" if language == "en" else "zh")
    text = (folder / f"{name}.md").read_text(encoding="utf-8")
    return render_markdown(to_taiwan(text) if language == "tw" else text)


@cache
def render_document(name: str) -> HelpPage:
    """Render a document. Raises `NotFound`."""
    path = documents_folder() / f"{name}.md"
    if name not in DOCUMENTS or not path.is_file():
        raise NotFound("asked.no_help", name=name[:80])
    return render_markdown(path.read_text(encoding="utf-8"))


@cache
def list_documents() -> Mapping[str, str]:
    """Return the titles of the documents that are there, by name."""
    folder = documents_folder()
    return {name: render_document(name).title for name in DOCUMENTS if (folder / f"{name}.md").is_file()}


# Rendering. HTML in a text is shown as text, and links lead to other help pages or outside.


def render_markdown(text: str) -> HelpPage:
    """Render a text without running or loading what stands in it."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    title, headings = "", list[tuple[str, str]]()
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            words = _plain_text(tokens[place + 1])
            if token.tag == "h1":
                title = title or words
                token.hidden = True  # the screen has the title
                tokens[place + 1].children = []
                tokens[place + 2].hidden = True
                continue
            id = f"part-{len(headings) + 1}"
            token.attrSet("id", id)
            headings.append((id, words))
        for child in token.children or ():
            _fix_token(child)
        if token.type in ("fence", "table_open"):
            _make_scrollable(token)
        if token.type == "th_open" and not tokens[place + 1].content:  # an empty corner is no heading
            token.tag = tokens[place + 2].tag = "td"
    return HelpPage(title, Markup(parser.renderer.render(tokens, parser.options, {})), headings)  # noqa: S704  of our own files


def _plain_text(token: Token) -> str:
    return "".join(child.content for child in token.children or ())


def _fix_token(token: Token) -> None:
    if token.type == "link_open":
        address = str(token.attrGet("href") or "")
        name, _, _ = address.partition("#")
        if address.startswith(("http://", "https://")):
            token.attrs.update({"rel": "noopener noreferrer", "target": "_blank"})
        elif name.removesuffix(".md") in DOCUMENTS:
            token.attrSet("href", f"/help/documents/{name.removesuffix('.md')}")
        elif not address.startswith("/"):  # a file of the source tree, or a place of the same page
            token.attrs.pop("href")
    elif token.type == "image":
        token.type, token.tag, token.content = "text", "", token.content


def _make_scrollable(token: Token) -> None:
    """Let a reader without a mouse scroll what is wider than the screen."""
    token.attrSet("tabindex", "0")


help_blueprint = Blueprint("help", __name__, url_prefix="/help")


@help_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """List the guides in the reader's language, and the documents."""
    guides = {name: render_guide(name, language()).title for name in GUIDES}
    return render_template("help/contents.html", guides=guides, documents=list_documents())


@help_blueprint.get("/<string:name>")
@needs(Right.READ)
def guide(name: str) -> str:
    """Show a guide."""
    return render_template("help/page.html", page=render_guide(name, language()), english=False)


@help_blueprint.get("/documents/<string:name>")
@needs(Right.READ)
def document(name: str) -> str:
    """Show a document. Most of them are in English."""
    return render_template("help/page.html", page=render_document(name), english=True)
