"""Show the fingerprint of any text, and compare two. Nothing is stored."""

import json
from dataclasses import dataclass
from typing import Final

import numpy as np

from fingerprinter.alphabet import DIGIT_0, INITIALS, LATIN_A, Initials
from fingerprinter.features.index_features import (
    DIGIT_RANGES,
    FREQUENCIES,
    GRAMS,
    FrequencyFingerprint,
    Reference,
    deviations,
    extract_features,
    fingerprint_similarity,
    frequency_fingerprint,
    initial_counts,
    load_reference,
)
from fingerprinter.features.model import FEATURE_SCHEME
from fingerprinter.initials.to_initials import to_initials
from wenhen.kit.errors import BadInput

AUTO_WINDOW_LETTERS: Final = (20, 150)  # minimum and maximum letters of a window with `auto`
MAX_WINDOW_LETTERS: Final = 100_000
_NO_INITIAL_SIGN: Final = "·"


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintSettings:
    """Settings of a frequency fingerprint. None means: by the length of the text (`resolve_settings`).

    - window: letters of a window, its granularity.
    - overlap: share of a window that the next one has too.
    - highest: R of the digit range [0, R].
    - usual: reference frequencies.
    """

    window: int | None = None
    overlap: float = 0.5
    highest: int | None = None
    usual: Reference | None = None


@dataclass(frozen=True, slots=True)
class InitialHeat:
    """How often one initial occurs. deviation: from its usual share, in standard errors."""

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
    """The fingerprint of a text for display.

    letters: lower-case initials, upper-case Latin letters, and · for a syllable without an initial. grams, frequencies:
    numbers of features.
    """

    letters: str
    window: int
    overlap: float
    highest: int
    reference: str
    windows: tuple[WindowOfText, ...]
    heat: tuple[InitialHeat, ...]
    scheme: str  # the production scheme
    grams: int
    frequencies: int


@dataclass(frozen=True, slots=True)
class Likeness:
    """The similarity of two texts in [0, 1]: of their windows, and the share of common features.

    The share is of the features of the text that has more. None: one of the texts fills no window or has no feature.
    """

    windows: float | None
    features: float | None


def describe_fingerprint(text: str, settings: FingerprintSettings) -> ShownFingerprint:
    """Make the fingerprint of a text for display. Raises BadInput for invalid settings."""
    letters = to_initials(text)
    return _make_description(letters, *_make_fingerprint(letters, resolve_settings(settings, len(letters))))


def compare_fingerprints(
    text: str, other: str, settings: FingerprintSettings
) -> tuple[ShownFingerprint, ShownFingerprint, Likeness]:
    """Compare two texts with the settings that fit the shorter one. Raises BadInput for invalid settings."""
    left, right = to_initials(text), to_initials(other)
    same = resolve_settings(settings, min(len(left), len(right)))
    (a, _), (b, _) = _make_fingerprint(left, same), _make_fingerprint(right, same)
    filled = all(any(not window.short for window in each.windows) for each in (a, b))
    alike = Likeness(fingerprint_similarity(a, b) if filled else None, _common_share(left, right))
    return _make_description(left, a, same), _make_description(right, b, same), alike


def resolve_settings(settings: FingerprintSettings, length: int) -> FingerprintSettings:
    """Return the settings for a text of `length` letters.

    A window has half of the text, at least 20 and at most 150 letters. The digit range is 9 from 150 letters of a
    window on, 7 from 100, 3 from 50, else 1. Raises BadInput for invalid settings.
    """
    window = (
        min(AUTO_WINDOW_LETTERS[1], max(AUTO_WINDOW_LETTERS[0], length // 2))
        if settings.window is None
        else settings.window
    )
    highest = settings.highest
    if highest is None:
        highest = next(
            range_ for least, range_ in ((150, 9), (100, 7), (50, 3), (0, 1)) if window >= least or not least
        )
    if not 1 <= window <= MAX_WINDOW_LETTERS or not 0 <= settings.overlap < 1 or highest not in DIGIT_RANGES:
        raise BadInput(
            "check.fingerprint",
            most=MAX_WINDOW_LETTERS,
            ranges=", ".join(f"[0,{digit_range}]" for digit_range in DIGIT_RANGES),
        )
    return FingerprintSettings(
        window=window, overlap=settings.overlap, highest=highest, usual=settings.usual or load_reference()
    )


def parse_reference(content: bytes, name: str) -> Reference:
    """Parse reference frequencies: JSON with `counts` by initial and the `total` of characters. Raises BadInput."""
    try:
        stored = json.loads(content)
        counts = np.array([int(stored["counts"][initial]) for initial in INITIALS], np.int64)
        total = int(stored["total"])
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput("check.reference", name=name) from error
    if (counts <= 0).any() or counts.sum() > total:
        raise BadInput("check.reference", name=name)
    return Reference(counts=counts, total=total, origin=name)


def _make_fingerprint(
    letters: Initials, settings: FingerprintSettings
) -> tuple[FrequencyFingerprint, FingerprintSettings]:
    assert settings.window is not None
    assert settings.highest is not None
    made = frequency_fingerprint(
        letters, window=settings.window, overlap=settings.overlap, highest=settings.highest, usual=settings.usual
    )
    return made, settings


def _make_description(letters: Initials, made: FrequencyFingerprint, settings: FingerprintSettings) -> ShownFingerprint:
    return ShownFingerprint(
        letters=_format_letters(letters),
        window=made.window,
        overlap=settings.overlap,
        highest=made.highest,
        reference=made.reference,
        windows=tuple(
            WindowOfText(*letters.span(window.start, window.end), window.digits, window.short)
            for window in made.windows
        ),
        heat=_initial_heat(letters, settings.usual or load_reference()),
        scheme=FEATURE_SCHEME,
        grams=len(extract_features(letters, GRAMS).values),
        frequencies=len(extract_features(letters, FREQUENCIES).values),
    )


def _initial_heat(letters: Initials, usual: Reference) -> tuple[InitialHeat, ...]:
    if not len(letters):
        return ()
    counts = initial_counts(letters.codes)
    away = deviations(counts, len(letters), usual)
    rows = zip(INITIALS, counts.tolist(), usual.shares.tolist(), away.tolist(), strict=True)
    return tuple(InitialHeat(initial, count, count / len(letters), share, z) for initial, count, share, z in rows)


def _common_share(initials: Initials, other: Initials) -> float | None:
    left, right = (set(extract_features(letters).values.tolist()) for letters in (initials, other))
    return len(left & right) / max(len(left), len(right)) if left and right else None


def _format_letters(letters: Initials) -> str:
    return "".join(map(_letter_sign, letters.codes.tolist()))


def _letter_sign(code: int) -> str:
    if code < len(INITIALS):
        return INITIALS[code]
    if code >= DIGIT_0:
        return str(code - DIGIT_0)
    return chr(ord("A") + code - LATIN_A) if code >= LATIN_A else _NO_INITIAL_SIGN
