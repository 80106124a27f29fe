"""The fingerprint of any text, to be looked at; nothing is stored."""

import json
from dataclasses import dataclass
from typing import Final

import numpy as np

from fingerprinter.features.frequency import (
    RANGES,
    FrequencyFingerprint,
    deviations,
    frequency_fingerprint,
    initial_counts,
    similarity,
)
from fingerprinter.features.index_features import FREQUENCIES, GRAMS, SCHEME, features
from fingerprinter.features.usual_frequencies import Reference, reference
from fingerprinter.letters import DIGIT_0, INITIALS, LATIN_A, Letters
from fingerprinter.normalize.read_letters import read_letters
from store.errors import BadInput

WINDOWS: Final = (20, 150)  # letters of a window that `auto` chooses between
MOST_WINDOW: Final = 100_000
_RANGES: Final = ((150, 9), (100, 7), (50, 3), (0, 1))  # from so many letters of a window on, the range of `auto`
_NO_INITIAL: Final = "·"


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintSettings:
    """How a frequency fingerprint is made; None: by the length of the text (`settled`).

    window: letters of one (its granularity); overlap: share of it that the next one has too; highest: R of the range
    [0, R]; usual: what the letters are held against.
    """

    window: int | None = None
    overlap: float = 0.5
    highest: int | None = None
    usual: Reference | None = None


@dataclass(frozen=True, slots=True)
class InitialHeat:
    """How often one initial occurs; deviation: from its usual share, in standard errors."""

    initial: str
    count: int
    share: float
    usual: float
    deviation: float


@dataclass(frozen=True, slots=True)
class WindowOfText:
    """One frequency window, in code points of the text."""

    start: int
    end: int
    digits: str
    short: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFingerprint:
    """What is made of a text. letters: initials small, Latin capital, · for a syllable without an initial."""

    letters: str
    window: int
    overlap: float
    highest: int
    reference: str
    windows: tuple[WindowOfText, ...]
    heat: tuple[InitialHeat, ...]
    scheme: str  # of production, and how many features it makes of the text
    grams: int
    frequencies: int


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two texts are, each in [0, 1]: by their windows, and by the lesser share of common features."""

    windows: float
    features: float


def shown_fingerprint(text: str, settings: FingerprintSettings) -> ShownFingerprint:
    """The fingerprint of a text. BadInput for settings that cannot be."""
    letters = read_letters(text)
    return _shown(letters, *_made(letters, settled(settings, len(letters))))


def side_by_side(
    one: str, other: str, settings: FingerprintSettings
) -> tuple[ShownFingerprint, ShownFingerprint, Likeness]:
    """Two texts with the same settings, those that the shorter one asks for, and how alike they are. BadInput."""
    left, right = read_letters(one), read_letters(other)
    same = settled(settings, min(len(left), len(right)))
    (a, _), (b, _) = _made(left, same), _made(right, same)
    alike = Likeness(similarity(a, b), _in_common(left, right))
    return _shown(left, a, same), _shown(right, b, same), alike


def settled(settings: FingerprintSettings, length: int) -> FingerprintSettings:
    """The settings for a text of so many letters. A window takes half of the text, from 20 letters to 150; the fewer
    letters it has, the fewer steps say something: 9 from 150 on, 7 from 100, 3 from 50, else 1.
    """
    window = min(WINDOWS[1], max(WINDOWS[0], length // 2)) if settings.window is None else settings.window
    highest = settings.highest
    if highest is None:
        highest = next(
            range_ for least, range_ in ((150, 9), (100, 7), (50, 3), (0, 1)) if window >= least or not least
        )
    if not 1 <= window <= MOST_WINDOW or not 0 <= settings.overlap < 1 or highest not in RANGES:
        raise BadInput("check.fingerprint", most=MOST_WINDOW, ranges=", ".join(f"[0,{one}]" for one in RANGES))
    return FingerprintSettings(
        window=window, overlap=settings.overlap, highest=highest, usual=settings.usual or reference()
    )


def reference_of(content: bytes, name: str) -> Reference:
    """A reference of one's own: JSON with `counts` by initial and the `total` of characters. BadInput."""
    try:
        stored = json.loads(content)
        counts = np.array([int(stored["counts"][initial]) for initial in INITIALS], np.int64)
        total = int(stored["total"])
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput("check.reference", name=name) from error
    if (counts <= 0).any() or counts.sum() > total:
        raise BadInput("check.reference", name=name)
    return Reference(counts=counts, total=total, origin=name)


def _made(letters: Letters, settings: FingerprintSettings) -> tuple[FrequencyFingerprint, FingerprintSettings]:
    assert settings.window is not None
    assert settings.highest is not None
    made = frequency_fingerprint(
        letters, window=settings.window, overlap=settings.overlap, highest=settings.highest, usual=settings.usual
    )
    return made, settings


def _shown(letters: Letters, made: FrequencyFingerprint, settings: FingerprintSettings) -> ShownFingerprint:
    return ShownFingerprint(
        letters=_written(letters),
        window=made.window,
        overlap=settings.overlap,
        highest=made.highest,
        reference=made.reference,
        windows=tuple(WindowOfText(*letters.span(one.start, one.end), one.digits, one.short) for one in made.windows),
        heat=_heat(letters, settings.usual or reference()),
        scheme=SCHEME,
        grams=len(features(letters, GRAMS).values),
        frequencies=len(features(letters, FREQUENCIES).values),
    )


def _heat(letters: Letters, usual: Reference) -> tuple[InitialHeat, ...]:
    if not len(letters):
        return ()
    counts = initial_counts(letters.codes)
    away = deviations(counts, len(letters), usual)
    rows = zip(INITIALS, counts.tolist(), usual.shares.tolist(), away.tolist(), strict=True)
    return tuple(InitialHeat(one, count, count / len(letters), share, z) for one, count, share, z in rows)


def _in_common(one: Letters, other: Letters) -> float:
    left, right = (set(features(letters).values.tolist()) for letters in (one, other))
    return len(left & right) / max(len(left), len(right)) if left and right else 0.0


def _written(letters: Letters) -> str:
    return "".join(map(_sign, letters.codes.tolist()))


def _sign(code: int) -> str:
    if code < len(INITIALS):
        return INITIALS[code]
    if code >= DIGIT_0:
        return str(code - DIGIT_0)
    return chr(ord("A") + code - LATIN_A) if code >= LATIN_A else _NO_INITIAL
