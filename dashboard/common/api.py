"""Serve the API of common texts: list, add and remove."""

from dashboard.frame.api import (
    ApiBlueprint,
    IdQuery,
    JsonObject,
    ListQuery,
    UploadedFile,
    list_schema,
    page_by_rows,
    text_field,
)
from dashboard.frame.context import current_actor, services
from dashboard.frame.requests import printable_words
from dashboard.works.api import ImportedOut, ImportFiles, WorkBrief
from wenhen.common.service import add_common_upload, remove_common_text
from wenhen.kit.rights import Right
from wenhen.works.import_export import ImportedWorks

common_blp = ApiBlueprint("common", "Common texts, which accuse nobody")


class CommonQuery(ListQuery):
    """The conditions of the common texts to list."""

    q = text_field(200, metadata={"description": "part of a title, an author or an id"})


@common_blp.get("/common")
@common_blp.arguments(CommonQuery, location="query")
@common_blp.response(200, list_schema(WorkBrief))
@common_blp.scope(Right.READ)
def find(query: JsonObject) -> JsonObject:
    """The common texts, the last changed first."""
    wanted = printable_words(query.get("q", ""))
    works = services().store.works
    return page_by_rows(query, lambda skip, limit: works.find_common(query=wanted, skip=skip, limit=limit))


@common_blp.post("/common")
@common_blp.arguments(ImportFiles, location="files")
@common_blp.response(200, ImportedOut)
@common_blp.scope(Right.WORKS)
def add(files: dict[str, UploadedFile]) -> ImportedWorks:
    """Add the texts of a file; what is refused is listed with its reason, and the rest is taken."""
    return add_common_upload(current_actor(), *files["file"])


@common_blp.delete("/common/one")
@common_blp.arguments(IdQuery, location="query")
@common_blp.response(204)
@common_blp.scope(Right.WORKS)
def remove(query: dict[str, str]) -> None:
    """Remove a common text; pages with text of it are looked up again."""
    remove_common_text(current_actor(), query["id"])
