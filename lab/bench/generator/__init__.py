"""Chinese works in any number, written by chance from the words of jieba's dictionary in their real frequencies.

They stand for the other works of a large library: what unrelated texts share by chance (frequent words, set phrases,
idioms) and on purpose (quotations, licences, adverts) is shared here, too.
"""

from lab.bench.generator.works import GeneratedWork, Writer

__all__ = ["GeneratedWork", "Writer"]
