"""Settings of matches (`matcher.*`) and of near duplicates (`cluster.*`)."""

from pydantic import Field

from matcher.model import DEFAULT_SHORTEST_PASSAGE, MAX_SHORTEST_PASSAGE, MIN_SHORTEST_PASSAGE
from wenhen.settings import Section


class MatcherSettings(Section):
    """When a match becomes a case."""

    open_score: float = Field(0.2, description="Probability below which a match opens no case.", ge=0, le=1)
    certain_score: float = Field(
        0.9,
        description="Probability from which a case is certain; between the two a person has to look closely.",
        ge=0,
        le=1,
    )
    shortest_passage: int = Field(
        DEFAULT_SHORTEST_PASSAGE,
        description="Letters of the shortest passage that opens a case; a shorter one is a quotation. A work may have "
        "its own. Below 40, passages count by same characters, and are no longer asked for their probability.",
        ge=MIN_SHORTEST_PASSAGE,
        le=MAX_SHORTEST_PASSAGE,
    )
    candidates: int = Field(64, description="Works that a page is compared with in full, at most.", ge=1, le=1000)
    size_within: float = Field(
        0,
        description="A page is compared with works at most so many times longer or shorter; 0 with all. Passages of a "
        "work that stand in a page of another size are not found then.",
        ge=0,
    )
    same_kind: bool = Field(
        False,
        description="A page of a site whose kind is known (sites add --kind) is compared with works of that kind, and "
        "with those that have none.",
    )
    suspicions: bool = Field(
        False,
        description="Look at each page a second time, for works that it may be told after in other words; what is "
        "found is a suspicion for a person. It takes half as long to one and a half times as long as the first look, "
        "and three quarters of its index's memory.",
    )


class ClusterSettings(Section):
    """Which works and pages are near duplicates, shown as one."""

    likeness: float = Field(
        0.6,
        description="Near duplicates share so much: the lesser of the shares that they have in common.",
        gt=0,
        le=1,
    )
    window_days: float = Field(
        0, description="Days within which both texts must be dated (news); 0 joins them however far apart.", ge=0
    )
