"""What is written in a picture is kept by the picture's content, and by page for a document."""

from crawler.extraction.model import Box, PictureLine, PictureText
from tests.support.samples import digest
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import Message

BOOK = digest("book")


def test_readings_are_found_by_their_pictures_and_all_of_one_document_together(store: Store) -> None:
    line = PictureLine(text="渡口的老陈", box=Box(40, 50, 200, 76), begins=False)
    picture = PictureText(id=digest("picture"), lines=(line,))
    pages = [PictureText(id=f"{BOOK}:{number}", lines=(line,)) for number in (1, 2)]
    for one in (picture, *pages):
        store.picture_texts.put(one)
    assert store.picture_texts.read_already([picture.id, digest("other")]) == {picture.id: picture}
    assert store.picture_texts.of_document(BOOK) == {one.id: one for one in pages}
    broken = PictureText(id=picture.id, problem=Message("documents.no_text"))
    store.picture_texts.put(broken)
    assert store.picture_texts.read_already([picture.id]) == {picture.id: broken}
