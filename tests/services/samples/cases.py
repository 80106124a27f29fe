"""What people do with cases."""

from services.acting import Acting
from services.cases import (
    assignments,
    comments,
    decisions,
    exclusions,
    second_opinion,
    triage_rules,
    undoing,
    who_looked,
)
from store.records import CaseStatus, Excluded, ExclusionScope, RuleAct, TriageRule
from tests.support.people import add_user
from tests.support.seed import OPENING, Seeder
from tests.support.use_cases import Samples


def case(acting: Acting) -> int:
    seed = Seeder(acting.product.store)
    seed.work()
    return seed.case().number


def known(acting: Acting) -> str:
    return add_user(acting.product.store, "陆").name


def decide(acting: Acting) -> decisions.Decided:
    return decisions.decide(acting, [case(acting)], CaseStatus.CONFIRMED)


def exclude(acting: Acting) -> exclusions.Followed:
    return exclusions.exclude(acting, case(acting), Excluded.BLOCK, text=OPENING, why="两处都引自同一篇旧文")


def rule(acting: Acting) -> TriageRule:
    return triage_rules.add(acting, "授权转载", RuleAct.DISMISS)


SAMPLES: Samples = {
    decisions.decide: decide,
    undoing.undo: lambda acting: undoing.undo(acting, decide(acting).batch),
    assignments.assign: lambda acting: assignments.assign(acting, [case(acting)], "陆"),
    exclusions.exclude: exclude,
    exclusions.exclude_alike: lambda acting: exclusions.exclude_alike(
        acting, case(acting), exclude(acting).exclusion.id, scope=ExclusionScope.EVERYWHERE
    ),
    exclusions.include: lambda acting: exclusions.include(acting, exclude(acting).exclusion.id),
    triage_rules.add: rule,
    triage_rules.switch: lambda acting: triage_rules.switch(acting, rule(acting).id, True),
    triage_rules.remove: lambda acting: triage_rules.remove(acting, rule(acting).id),
    second_opinion.ask: lambda acting: second_opinion.ask(acting, [case(acting)], known(acting), "是否算合理引用？"),
    who_looked.view: lambda acting: who_looked.view(acting, case(acting)),
    comments.comment: lambda acting: comments.comment(acting, case(acting), "与原文逐句对照过"),
}
