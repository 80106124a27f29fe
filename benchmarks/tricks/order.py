"""Tricks that put the parts of a copy in another order, or put it between other text."""

from itertools import zip_longest

from benchmarks.tricks.catalogue import Draw, split_clauses, split_sentences, trick

FAMILY = "order"
# Sentences of our own that tell of nothing in particular.
PADDING = (
    "后来的事情大家都听说过，这里就不再多讲。",
    "这一段看似平常，细想起来却很有意思。",
    "说到这里，不妨停下来喝一口茶。",
    "每个地方都有这样的一些人和这样的一些事。",
    "天气时好时坏，日子也就这样一天一天过去。",
    "我们换一个角度，也许会看到不同的东西。",
    "如果你也有类似的经历，一定能明白其中的滋味。",
    "这样的安排并不复杂，只是需要一点耐心。",
)


@trick(FAMILY)
def sentences_shuffled(text: str, level: int, draw: Draw) -> str:
    """Shuffle the sentences within stretches. Source: text spinning, Zhang et al., DSpin, CIKM 2014."""
    sentences = split_sentences(text)
    step = (3, 6, len(sentences))[level]
    shuffled: list[str] = []
    for place in range(0, len(sentences), step):
        stretch = sentences[place : place + step]
        draw.shuffle(stretch)
        shuffled += stretch
    return "".join(shuffled)


@trick(FAMILY)
def clauses_shuffled(text: str, level: int, draw: Draw) -> str:
    """Shuffle the clauses within stretches. Source: random obfuscation of PAN, Potthast et al., COLING 2010."""
    clauses = split_clauses(text)
    step = (3, 6, len(clauses))[level]
    shuffled: list[str] = []
    for place in range(0, len(clauses), step):
        stretch = clauses[place : place + step]
        draw.shuffle(stretch)
        shuffled += stretch
    return "".join(shuffled)


@trick(FAMILY)
def clauses_rotated(text: str, level: int, draw: Draw) -> str:
    """Move the first clause of sentences to their end. Source: syntactic spinning of rewriting tools."""
    rotated = []
    for number, sentence in enumerate(split_sentences(text)):
        clauses = split_clauses(sentence)
        if number % (3, 2, 1)[level] == 0 and len(clauses) > 1:
            clauses = [*clauses[1:-1], f"{clauses[-1].rstrip('。！？')}，", f"{clauses[0].rstrip('，、；：')}。"]
        rotated += clauses
    return "".join(rotated)


@trick(FAMILY)
def halves_exchanged(text: str, level: int, draw: Draw) -> str:
    """Exchange the parts of a text. Source: paragraph permutation, Clough, 2003."""
    sentences = split_sentences(text)
    parts = (2, 3, 5)[level]
    size = max(1, len(sentences) // parts)
    pieces = [sentences[place : place + size] for place in range(0, len(sentences), size)]
    return "".join(sentence for piece in reversed(pieces) for sentence in piece)


@trick(FAMILY)
def sentences_in_reverse(text: str, level: int, draw: Draw) -> str:
    """Put sentences in reverse order. Source: paragraph permutation, Clough, 2003."""
    sentences = split_sentences(text)
    keep = int(len(sentences) * (0.6, 0.3, 0.0)[level])
    return "".join([*sentences[:keep], *reversed(sentences[keep:])])


@trick(FAMILY)
def padded_between_sentences(text: str, level: int, draw: Draw) -> str:
    """Put sentences of one's own between. Source: interleaved plagiarism, Clough, 2003."""
    share = (0.2, 0.5, 1.0)[level]
    return "".join(
        sentence + (draw.choice(PADDING) if draw.random() < share else "") for sentence in split_sentences(text)
    )


@trick(FAMILY)
def padded_between_clauses(text: str, level: int, draw: Draw) -> str:
    """Put clauses of one's own between. Source: interleaved plagiarism, Clough, 2003."""
    share = (0.2, 0.5, 1.0)[level]
    return "".join(
        clause + (f"{draw.choice(PADDING)[:-1]}，" if draw.random() < share else "") for clause in split_clauses(text)
    )


@trick(FAMILY)
def every_other_sentence(text: str, level: int, draw: Draw) -> str:
    """Keep sentences at a pace. Source: summary by extraction, Edmundson, 1969."""
    sentences = split_sentences(text)
    if level == 0:
        return "".join(sentence for place, sentence in enumerate(sentences) if place % 3 != 2)
    return "".join(sentences[:: level + 1])


@trick(FAMILY)
def woven_with_another_text(text: str, level: int, draw: Draw) -> str:
    """Weave the sentences with those of another text. Source: mosaic plagiarism, Weber-Wulff, 2014."""
    other = [draw.choice(PADDING) for _ in range(len(split_sentences(text)) * (level + 1) // 2)]
    woven = zip_longest(split_sentences(text), other, fillvalue="")
    return "".join(first + second for first, second in woven)


@trick(FAMILY)
def first_part_alone(text: str, level: int, draw: Draw) -> str:
    """Copy the beginning alone. Source: previews that are reposted."""
    return text[: int(len(text) * (0.8, 0.5, 0.3)[level])]


@trick(FAMILY)
def first_characters_of_sentences_moved(text: str, level: int, draw: Draw) -> str:
    """Move the first two characters of clauses to their end. Source: syntactic spinning of rewriting tools."""
    return "".join(
        f"{clause[2:-1]}{clause[:2]}{clause[-1]}"
        if len(clause) > 5 and draw.random() < (0.2, 0.5, 1.0)[level]
        else clause
        for clause in split_clauses(text)
    )


@trick(FAMILY)
def repeated_sentences(text: str, level: int, draw: Draw) -> str:
    """Repeat sentences. Source: repeat operation of TextBugger, Li et al., NDSS 2019."""
    share = (0.2, 0.5, 1.0)[level]
    return "".join(sentence * (1 + (draw.random() < share)) for sentence in split_sentences(text))
