"""Read the library, the suspects and the ground truth of a comparison, and make disguised copies.

The same seed makes the same copy.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from wenhen.demo.articles import ADVERTS, INVISIBLE_CHARACTERS, to_traditional
from wenhen.kit.errors import BadInput
from wenhen.works.importers.drafts import Refused
from wenhen.works.importers.path_reader import read_paths
from wenhen.works.model import WorkDraft

Disguise = Callable[[str, random.Random], str | None]

EXCERPT_CHARACTERS = 400  # characters
_SENTENCES_PER_ADVERT = 6  # sentences
_MAX_SIMPLIFIED_SHARE = 0.02  # of the characters; above it, the conversion table does not cover the text
_SENTENCE_PATTERN = re.compile(r"[^。！？\n]*[。！？\n]+|[^。！？\n]+$")
_COMMON_CODES = range(0xB0A1, 0xD7FA)  # GB 2312, rows 16-55: the 3,755 characters in common use
_SWAPPED_SHARE = 0.3


def _copy_plain(text: str, source: random.Random) -> str:  # noqa: ARG001  a plain copy uses no randomness
    return text


def _make_noise(share: float) -> Disguise:
    def disguise(text: str, source: random.Random) -> str:
        """Substitute, delete and insert characters of the text in equal parts."""
        made = []
        for char in text:
            edit = source.choice("sdi") if char != "\n" and source.random() < share else ""
            made.append({"s": source.choice(text), "d": "", "i": char + source.choice(text)}.get(edit, char))
        return "".join(made)

    return disguise


@cache
def _load_sounds() -> tuple[dict[str, str], dict[str, str]]:
    """Load the usual reading of each common character, and the characters of each reading."""
    import pypinyin  # loads the readings of 47,000 phrases

    sound_of: dict[str, str] = {}
    most_frequent: dict[str, str] = {}
    for code in _COMMON_CODES:
        if char := code.to_bytes(2, "big").decode("gb2312", "ignore"):
            ((sound,),) = pypinyin.pinyin(char, style=pypinyin.Style.NORMAL)
            sound_of[char] = sound
            most_frequent[sound] = most_frequent.get(sound, "") + char
    return sound_of, most_frequent


def _swap_homophones(text: str, source: random.Random) -> str:
    """Replace three in ten characters by others of the same sound, in any tone, if there are any."""
    sound_of, most_frequent = _load_sounds()
    return "".join(
        source.choice(most_frequent[sound_of[char]].replace(char, "") or char)
        if char in sound_of and source.random() < _SWAPPED_SHARE
        else char
        for char in text
    )


def _convert_to_traditional(text: str, source: random.Random) -> str | None:  # noqa: ARG001  uses no randomness
    """Convert to traditional characters. Return None if the table does not cover the text."""
    made = to_traditional(text)
    simplified = sum(1 for char in made if char.encode("gb2312", "ignore") and not char.encode("big5", "ignore"))
    return made if simplified <= _MAX_SIMPLIFIED_SHARE * len(made) and made != text else None


def _insert_adverts(text: str, source: random.Random) -> str:
    """Insert an advert after every sixth sentence."""
    return "".join(
        sentence + (source.choice(ADVERTS) if number % _SENTENCES_PER_ADVERT == 0 else "")
        for number, sentence in enumerate(_SENTENCE_PATTERN.findall(text), 1)
    )


def _insert_invisible(text: str, source: random.Random) -> str:
    """Insert a zero-width character after about every third character."""
    return "".join(char + (source.choice(INVISIBLE_CHARACTERS) if source.random() < 1 / 3 else "") for char in text)


def _shuffle_sentences(text: str, source: random.Random) -> str:
    sentences = [sentence.strip("\n") for sentence in _SENTENCE_PATTERN.findall(text)]
    source.shuffle(sentences)
    return "\n".join(sentence for sentence in sentences if sentence)


def _take_excerpt(text: str, source: random.Random) -> str | None:
    """Take an excerpt. Return None if the text has less than two excerpts' length."""
    if len(text) < 2 * EXCERPT_CHARACTERS:
        return None
    start = source.randrange(len(text) - EXCERPT_CHARACTERS)
    return text[start : start + EXCERPT_CHARACTERS]


DISGUISES: dict[str, Disguise] = {
    "none": _copy_plain,
    "noise05": _make_noise(0.05),
    "noise10": _make_noise(0.10),
    "noise20": _make_noise(0.20),
    "homophone30": _swap_homophones,
    "trad": _convert_to_traditional,
    "ads": _insert_adverts,
    "invisible": _insert_invisible,
    "shuffle": _shuffle_sentences,
    "excerpt": _take_excerpt,
}


def disguise_text(text: str, kind: str, seed: str) -> str | None:
    """Return the text in a disguise of `DISGUISES`, or None if the disguise does not apply to it."""
    return DISGUISES[kind](text, random.Random(f"{kind}/{seed}"))


def read_json_lines(path: Path, *fields: str) -> list[dict[str, Any]]:
    """Read the records of a file.

    Raises BadInput, with the file and the number of the record, if a record lacks one of the fields as text.
    """
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except OSError as error:
        raise BadInput("files.unreadable", path=path, error=error.strerror) from error
    except ValueError as error:
        raise BadInput("files.no_json_lines", path=path, error=error) from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not all(isinstance(row.get(field), str) for field in fields):
            raise BadInput("lab.fields_needed", path=path, number=number, fields=" and ".join(fields))
    return rows


# A trial: a library, suspects, and the ground truth of which suspect copies which work.


_HELD_OUT_PERIOD = 5  # every fifth text of a folder is held out of the library, as a suspect that copies nothing
_MIN_TEXTS = 2


@dataclass(frozen=True, slots=True)
class Suspect:
    """A text to look up.

    - sources: kind of disguise, by id of the work that it copies.
    - category: news, novel ...
    """

    id: str
    text: str = field(repr=False)
    sources: dict[str, str]
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A library, suspects and their sources.

    - library: id and text of each work.
    - refused: what could not be read, and why.
    - categories: category of works, by id.
    """

    library: tuple[tuple[str, str], ...] = field(repr=False)
    suspects: tuple[Suspect, ...] = field(repr=False)
    refused: tuple[str, ...] = ()
    categories: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def pairs(self) -> int:
        """Return the number of true pairs of suspect and source."""
        return sum(len(suspect.sources) for suspect in self.suspects)

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of disguise, sorted by name."""
        return sorted({kind for suspect in self.suspects for kind in suspect.sources.values()})


def read_trial(path: Path, *, sample: int = 100, seed: int = 1) -> Trial:
    """Read a suite (a folder with library.jsonl, suspects.jsonl and truth.jsonl), or files and folders of texts.

    Of plain texts, every fifth is held out of the library. `sample` of the others are disguised in every way. The same
    seed gives the same suspects. Raises BadInput for too few texts.
    """
    if (path / "library.jsonl").exists():
        return _read_suite(path)
    return _read_folder(path, sample, seed)


def _read_suite(path: Path) -> Trial:
    works = read_json_lines(path / "library.jsonl", "id", "text")
    library = tuple((row["id"], row["text"]) for row in works)
    sources: dict[str, dict[str, str]] = {}
    for row in read_json_lines(path / "truth.jsonl", "suspect", "source"):
        sources.setdefault(row["suspect"], {})[row["source"]] = str(row.get("kind") or "copy")
    suspects = tuple(
        Suspect(row["id"], row["text"], sources.get(row["id"], {}), row.get("category"))
        for row in read_json_lines(path / "suspects.jsonl", "id", "text")
    )
    unknown = {source for each in sources.values() for source in each} - {work for work, _ in library}
    unknown |= sources.keys() - {suspect.id for suspect in suspects}
    if unknown:
        raise BadInput("lab.stray_name", path=path / "truth.jsonl", name=repr(min(unknown)))
    return Trial(library, suspects, categories={row["id"]: row["category"] for row in works if row.get("category")})


def _read_folder(path: Path, sample: int, seed: int) -> Trial:
    drafts, refused = [], []
    for text in read_paths([path]):
        if isinstance(text, Refused):
            refused.append(f"{text.what}: {text.reason}")
        else:
            drafts.append(text)
    if len(drafts) < _MIN_TEXTS:
        raise BadInput("lab.too_few", path=path, count=len(drafts), least=_MIN_TEXTS)
    source = random.Random(seed)
    source.shuffle(drafts)
    held_out, works = drafts[: len(drafts) // _HELD_OUT_PERIOD], drafts[len(drafts) // _HELD_OUT_PERIOD :]
    honest = (Suspect(draft.id, draft.text, {}, draft.kind) for draft in held_out)
    return Trial(
        tuple((draft.id, draft.text) for draft in works),
        (*_disguised_copies(works[:sample], seed), *honest),
        tuple(refused),
        {draft.id: draft.kind for draft in works if draft.kind},
    )


def _disguised_copies(works: Sequence[WorkDraft], seed: int) -> Iterator[Suspect]:
    for draft in works:
        for kind in DISGUISES:
            text = disguise_text(draft.text, kind, f"{seed}/{draft.id}")
            if text is not None:
                yield Suspect(f"{kind}/{draft.id}", text, {draft.id: kind}, draft.kind)
