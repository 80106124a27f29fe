"""What people do with cases."""

from tests.support.people import add_user
from tests.support.seed import OPENING, Seeder
from tests.support.use_cases import Samples
from wenhen.cases.comments_and_amounts import add_amount, add_comment, correct_comment, remove_amount, withdraw_comment
from wenhen.cases.decisions import Decided, ask_second_opinion, assign_cases, decide_cases, undo_decision
from wenhen.cases.model import AmountKind, CaseStatus
from wenhen.cases.service import record_case_view
from wenhen.context.use_cases import Acting
from wenhen.exclusions.model import Excluded, ExclusionScope
from wenhen.exclusions.service import Followed, exclude_from_cases, reuse_exclusion, withdraw_exclusion
from wenhen.triage.model import RuleAct, TriageRule
from wenhen.triage.service import add_rule, remove_rule, switch_rule


def case(acting: Acting) -> int:
    seed = Seeder(acting.product.store)
    seed.work()
    return seed.case().number


def known(acting: Acting) -> str:
    return add_user(acting.product.store, "陆").name


def decide(acting: Acting) -> Decided:
    return decide_cases(acting, [case(acting)], CaseStatus.CONFIRMED)


def exclude(acting: Acting) -> Followed:
    return exclude_from_cases(acting, case(acting), Excluded.BLOCK, text=OPENING, why="两处都引自同一篇旧文")


def rule(acting: Acting) -> TriageRule:
    return add_rule(acting, "授权转载", RuleAct.DISMISS)


def claim(acting: Acting) -> tuple[int, str]:
    number = case(acting)
    return number, add_amount(acting, number, AmountKind.CLAIMED, "20,000").id


def remark(acting: Acting) -> tuple[int, str]:
    number = case(acting)
    return number, add_comment(acting, number, "与原文逐句对照过").id


SAMPLES: Samples = {
    add_amount: claim,
    remove_amount: lambda acting: remove_amount(acting, *claim(acting)),
    decide_cases: decide,
    undo_decision: lambda acting: undo_decision(acting, decide(acting).batch),
    assign_cases: lambda acting: assign_cases(acting, [case(acting)], "陆"),
    exclude_from_cases: exclude,
    reuse_exclusion: lambda acting: reuse_exclusion(
        acting, case(acting), exclude(acting).exclusion.id, scope=ExclusionScope.EVERYWHERE
    ),
    withdraw_exclusion: lambda acting: withdraw_exclusion(acting, exclude(acting).exclusion.id),
    add_rule: rule,
    switch_rule: lambda acting: switch_rule(acting, rule(acting).id, True),
    remove_rule: lambda acting: remove_rule(acting, rule(acting).id),
    ask_second_opinion: lambda acting: ask_second_opinion(acting, [case(acting)], known(acting), "是否算合理引用？"),
    record_case_view: lambda acting: record_case_view(acting, case(acting)),
    add_comment: lambda acting: add_comment(acting, case(acting), "与原文逐句对照过"),
    correct_comment: lambda acting: correct_comment(acting, *remark(acting), "与原文逐句对照过两遍"),
    withdraw_comment: lambda acting: withdraw_comment(acting, *remark(acting)),
}
