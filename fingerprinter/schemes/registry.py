"""All schemes, with the settings that they are compared in."""

from fingerprinter.schemes.checksum import Checksum
from fingerprinter.schemes.cosine import Cosine
from fingerprinter.schemes.frequency_windows import FrequencyWindows
from fingerprinter.schemes.minhash import MinHash
from fingerprinter.schemes.production_features import ProductionFeatures
from fingerprinter.schemes.projection import RandomHyperplanes, RandomProjection
from fingerprinter.schemes.scheme import Scheme
from fingerprinter.schemes.sentences import LongestSentence, Nshash
from fingerprinter.schemes.shingles import CharacterShingles, WordShingles
from fingerprinter.schemes.sif import SifAll, SifAnchors
from fingerprinter.schemes.simhash import Simhash
from fingerprinter.schemes.terms import Terms
from fingerprinter.schemes.words.weights import WordWeights, default_weights


def all_schemes(
    weights: WordWeights | None = None, hash: str = "md5", frequency: FrequencyWindows | None = None
) -> tuple[Scheme, ...]:
    """One of each. weights: of words, the general table where there are none; hash: one of `hashes.HASHES`, for the
    schemes that leave the choice; frequency: with other settings than its own.
    """
    weights = weights or default_weights()
    return (
        Checksum(hash=hash),
        Terms(),
        Cosine(weights=weights),
        RandomProjection(weights=weights),
        RandomHyperplanes(weights=weights),
        Simhash(hash=hash, weights=weights),
        Simhash(bits=32, hash=hash, weights=weights),
        LongestSentence(hash=hash),
        Nshash(hash=hash),
        SifAnchors(),
        SifAll(),
        WordShingles(),
        CharacterShingles(),
        MinHash(),
        frequency or FrequencyWindows(),
        ProductionFeatures(),
    )
