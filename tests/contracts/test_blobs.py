"""Content is kept once under its digest, whoever puts it and however often."""

from hashlib import sha256

import pymongo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.samples import at_once
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.mongo.blobs import _chunk_bytes, _chunk_document
from wenhen.kit.mongo.codec import Document
from wenhen.runtime.store import open_store

LARGE = bytes(range(256)) * 4096  # 1 MiB, several chunks and no whole number of them


@pytest.mark.parametrize("content", [b"", b"\x00\xff", LARGE, LARGE[: 255 * 1024]])
def test_content_comes_back_as_it_went_in(store: Store, content: bytes) -> None:
    digest = store.blobs.put(content)
    assert digest == sha256(content).hexdigest()
    assert store.blobs.get(digest) == content


def test_text_comes_back_with_its_rare_characters(store: Store) -> None:
    text = "𠮷野家\u200b的\r\n招牌\u0000"
    assert store.blobs.get_text(store.blobs.put_text(text)) == text


def test_a_text_that_is_not_unicode_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="surrogate"):
        store.blobs.put_text("前\ud800后")


def test_an_unknown_digest_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match="0000"):
        store.blobs.get("0" * 64)


def test_writers_of_the_same_content_at_once_store_it_once_and_whole(
    store: Store, mongo_url_and_db: tuple[str, str]
) -> None:
    digests = at_once(*[lambda: store.blobs.put(LARGE)] * 8)
    assert len(set(digests)) == 1
    assert store.blobs.get(digests[0]) == LARGE
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as client:
        assert client[database]["blobs.files"].count_documents({}) == 1
        assert sum(len(chunk["data"]) for chunk in client[database]["blobs.chunks"].find()) == len(LARGE)


def test_what_a_killed_writer_left_is_completed_by_the_next(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    """A writer that dies leaves chunks without their entry: not found, until the content is put again."""
    url, database = mongo_url_and_db
    digest = store.blobs.put(LARGE)
    with pymongo.MongoClient[Document](url) as client:
        client[database]["blobs.files"].delete_one({"_id": digest})
        client[database]["blobs.chunks"].delete_many({"files_id": digest, "n": {"$gt": 1}})
    with pytest.raises(NotFound):
        store.blobs.get(digest)
    store.blobs.put(LARGE)
    assert store.blobs.get(digest) == LARGE


def test_content_that_lost_a_part_is_not_given_out(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    url, database = mongo_url_and_db
    digest = store.blobs.put(LARGE)
    with pymongo.MongoClient[Document](url) as client:
        client[database]["blobs.chunks"].delete_one({"files_id": digest, "n": 1})
    with pytest.raises(NotFound, match="damaged"):
        store.blobs.get(digest)


def test_content_outlives_the_connection(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    digest = store.blobs.put(b"kept")
    store.close()
    other = open_store(*mongo_url_and_db)
    assert other.blobs.get(digest) == b"kept"
    other.close()


def test_texts_put_together_come_back_together_and_one_by_one(store: Store) -> None:
    long = "长" * 200_000  # several chunks
    texts = ["一", long, "", "一", "𠮷野家"]
    store.blobs.put_text("一")
    digests = store.blobs.put_texts(texts)
    assert digests == [sha256(text.encode()).hexdigest() for text in texts]
    assert store.blobs.get_texts(digests) == dict(zip(digests, texts, strict=True))
    assert [store.blobs.get_text(one) for one in digests] == texts
    assert store.blobs.put_texts([]) == []
    assert store.blobs.get_texts([]) == {}


def test_of_texts_put_together_one_that_is_not_unicode_is_told(store: Store) -> None:
    with pytest.raises(BadInput, match="surrogate"):
        store.blobs.put_texts(["好", "前\ud800后"])


def test_bodies_put_together_come_back_together_whatever_was_there_before(store: Store) -> None:
    bodies = [b"\x00\xff", LARGE, b"", b"\x00\xff"]
    store.blobs.put(LARGE)
    digests = store.blobs.put_all(bodies)
    assert digests == [sha256(body).hexdigest() for body in bodies]
    assert store.blobs.get_all(digests) == dict(zip(digests, bodies, strict=True))
    with pytest.raises(NotFound, match="0000"):
        store.blobs.get_all([*digests, "0" * 64])


def test_among_many_texts_one_that_is_missing_or_damaged_is_told(
    store: Store, mongo_url_and_db: tuple[str, str]
) -> None:
    digests = [*store.blobs.put_texts(["一", "长" * 200_000])]
    with pytest.raises(NotFound, match="0000"):
        store.blobs.get_texts([*digests, "0" * 64])
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as client:
        client[database]["blobs.chunks"].delete_one({"files_id": digests[1], "n": 1})
    with pytest.raises(NotFound, match="damaged"):
        store.blobs.get_texts(digests)
    assert store.blobs.get_texts(digests[:1]) == {digests[0]: "一"}


def test_bodies_are_compressed_on_the_disk(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    store.blobs.put(b"<p>once more</p>" * 1000)
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as client:
        about = client[database].command("collStats", "blobs.chunks")
    assert "block_compressor=zstd" in about["wiredTiger"]["creationString"]


@given(st.text(max_size=40))
def test_any_text_is_the_same_in_either_coding(text: str) -> None:
    content = text.encode()
    assert _chunk_bytes(_chunk_document(content)) == content


def test_a_content_of_chunks_in_either_coding_is_whole(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    text = "长" * 200_000
    digest = store.blobs.put_text(text)
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as client:
        chunks = client[database]["blobs.chunks"]
        assert {one.get("coding") for one in chunks.find()} == {"gb18030"}
        before = text.encode()[: 255 * 1024]
        chunks.update_one({"files_id": digest, "n": 0}, {"$set": {"data": before}, "$unset": {"coding": ""}})
    assert store.blobs.get_text(digest) == text
