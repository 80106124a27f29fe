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
from fingerprinter.schemes.weights import WordWeights, default_weights


def all_schemes(weights: WordWeights | None = None) -> tuple[Scheme, ...]:
    """One of each; those that weigh words use these weights, or the general table."""
    weights = weights or default_weights()
    return (
        Checksum(),
        Terms(),
        Cosine(weights=weights),
        RandomProjection(weights=weights),
        RandomHyperplanes(weights=weights),
        Simhash(weights=weights),
        Simhash(bits=32, weights=weights),
        LongestSentence(),
        Nshash(),
        SifAnchors(),
        SifAll(),
        WordShingles(),
        CharacterShingles(),
        MinHash(),
        FrequencyWindows(),
        ProductionFeatures(),
    )
