"""Transcripts keep the second of each line, and a passage leads to it; what cannot be read is refused by its place."""

import json
from typing import Any

import pytest

from crawler.extraction.documents.file_kinds import FileKind, detect_file_kind, detect_response_kind
from crawler.extraction.documents.read_document import read_named_document
from crawler.extraction.documents.transcripts import read_transcript
from crawler.extraction.model import PartKind, TextPlace, find_text_place
from crawler.extraction.page import extract_page
from crawler.extraction.scrolling.json_responses import MAX_JSON_CHARACTERS
from tests.support.documents.files import packed
from wenhen.kit.errors import Unreadable

FERRY, LAMP, SNOW = "渡船靠岸的时候天已经黑了", "船夫把灯挂在桅杆上", "那年的雪下得早"
SUBRIP = f"""1
00:00:02,500 --> 00:00:05,000
{FERRY}

2
00:00:05,000 --> 00:00:09,100
<i>{LAMP}</i>
{{\\an8}}等最后一个人

3
01:02:05,000 --> 01:02:09,000
{SNOW}
"""
WEBVTT = f"""WEBVTT - 第七集
Kind: captions

NOTE
00 不是字幕

STYLE
::cue {{ color: lime }}

intro
00:02.500 --> 00:05.000 align:start position:0%
<v 说书人>{FERRY}

00:05.000 --> 00:07.000
{FERRY}
{LAMP[:4]}<00:00:06.000><c>{LAMP[4:]}</c>

00:07.000 --> 00:09.000
{LAMP}
A &amp; B

01:02:05.000 --> 01:02:09.000
{SNOW}
"""
WHISPER = {
    "text": FERRY,
    "segments": [{"id": 0, "start": 2.5, "end": 5, "text": f" {FERRY}"}, {"start": 3725, "text": SNOW}],
}
WHISPER_CPP = {
    "transcription": [
        {"offsets": {"from": 2500, "to": 5000}, "text": FERRY},
        {"offsets": {"from": 3725000}, "text": SNOW},
    ]
}


def cues(content: str | bytes, kind: FileKind) -> list[tuple[int, tuple[str, ...]]]:
    body = content if isinstance(content, bytes) else content.encode()
    parts = read_transcript(body, kind).parts
    assert all(part.kind is PartKind.TIME for part in parts)
    return [(part.number, part.paragraphs) for part in parts]


def test_each_line_of_a_transcript_has_its_second() -> None:
    assert cues(SUBRIP, FileKind.SRT) == [(2, (FERRY,)), (5, (LAMP, "等最后一个人")), (3725, (SNOW,))]
    told_once = [(2, (FERRY,)), (5, (LAMP,)), (7, ("A & B",)), (3725, (SNOW,))]
    assert cues(WEBVTT, FileKind.VTT) == told_once, "captions that roll show each line twice"
    for value in (WHISPER, WHISPER_CPP):
        assert cues(json.dumps(value), FileKind.WHISPER) == [(2, (FERRY,)), (3725, (SNOW,))]


@pytest.mark.parametrize("charset", ["utf-8-sig", "gb18030", "utf-16"])
def test_it_is_read_in_any_charset_with_any_line_ends(charset: str) -> None:
    content = SUBRIP.replace("\n", "\r\n").encode(charset)
    assert [second for second, _ in cues(content, FileKind.SRT)] == [2, 5, 3725]


def test_lines_without_a_blank_one_between_them_are_cues_too() -> None:
    content = f"1\n00:00:01,000 --> 00:00:02,000\n{FERRY}\n2\n00:00:02,000 --> 00:00:03,000\n{LAMP}\n1984\n"
    assert cues(content, FileKind.SRT) == [(1, (FERRY,)), (2, (LAMP, "1984"))]


@pytest.mark.parametrize(
    ("content", "kind", "why"),
    [
        ("1\n00:61:00,000 --> 00:62:00,000\na", FileKind.SRT, "line 2"),
        ("00:00:09,000 --> 00:00:03,000\na", FileKind.SRT, "line 1"),
        ("00:00:09 -> 00:00:12\na", FileKind.SRT, "no line with a time"),
        ("WEBVTT\n\n00:01 --> later\na", FileKind.VTT, "line 3"),
        ("WEBVTT\n", FileKind.VTT, "no line with a time"),
        ('{"segments": [{"start": 1, "text": "a"}, {"start": "2", "text": "b"}]}', FileKind.WHISPER, "segment 2"),
        ('{"segments": [{"start": -1, "text": "a"}]}', FileKind.WHISPER, "segment 1"),
        ('{"segments": [{"start": 1e99, "text": "a"}]}', FileKind.WHISPER, "segment 1"),
        ('{"segments": [{"start": NaN, "text": "a"}]}', FileKind.WHISPER, "segment 1"),
        ('{"segments": [7]}', FileKind.WHISPER, "segment 1"),
        ('{"segments": {}}', FileKind.WHISPER, "no segments"),
        ('{"segments": [', FileKind.WHISPER, "no segments"),
        ("[" * 100_000, FileKind.WHISPER, "no segments"),
        ('{"segments": [' + " " * MAX_JSON_CHARACTERS, FileKind.WHISPER, "without the times of words"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(content: str, kind: FileKind, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read_transcript(content.encode(), kind)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.SRT", SUBRIP, FileKind.SRT),
        ("a.vtt", WEBVTT, FileKind.VTT),
        ("a.json", json.dumps(WHISPER), FileKind.WHISPER),
        ("a.json", '{"pages": []}', None),
        ("a.srt", "<!doctype html><p>not found", None),
    ],
)
def test_it_is_known_by_name_and_content(name: str, content: str, kind: FileKind | None) -> None:
    assert detect_file_kind(content.encode(), name) is kind


def test_json_at_an_address_stays_a_page() -> None:
    body = json.dumps(WHISPER).encode()
    assert detect_response_kind(body, (), "http://a.test/a.json") is None
    assert detect_response_kind(SUBRIP.encode(), (), "http://a.test/a.srt") is FileKind.SRT


@pytest.mark.parametrize(("name", "content"), [("7.srt", SUBRIP), ("7.json", json.dumps(WHISPER))])
def test_a_place_in_an_archive_of_them_is_a_file_and_a_time(name: str, content: str) -> None:
    page: Any = extract_page(packed({name: content.encode()}), (), "http://a.test/brought.zip")
    place = find_text_place(page.text, page.parts, page.text.index(SNOW) + 2)
    assert place == TextPlace(PartKind.TIME, 3725, 1, name)
    assert place
    assert place.clock == "1:02:05"
    assert read_named_document(SUBRIP.encode(), "a.srt").parts[0].number == 2
