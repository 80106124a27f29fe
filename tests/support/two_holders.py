"""Records of two rights holders, as an agency has them, with a mark in everything that is the second one's."""

from dataclasses import dataclass

from matcher.model import Change, CommonPassage, CommonReason
from tests.support.people import add_user
from tests.support.seed import NOW, Seeder, passage, watched
from wenhen.accounts.model import User
from wenhen.cases.model import Amount, AmountKind, Case
from wenhen.context.store_and_queue import Store
from wenhen.exclusions.model import Excluded, Exclusion, ExclusionScope
from wenhen.holders.model import Holder
from wenhen.kit.rights import Role
from wenhen.licences.model import Licence
from wenhen.notices.model import Notice, NoticeLaw
from wenhen.reports.repository import KeptReport

OWN, OTHER = "河岸出版社", "灯塔馝文化"
MARKS = ("馝", "othermark")  # in every field of what is the other holder's
OWN_TEXT = "河堤上的槐树开花的时候，修船的老人就把木凳搬到门外，一坐就是一个下午。"
OTHER_TEXT = "馝雾里的灯塔每隔七秒亮一次，守塔人数着它，像数自己的心跳，馝数到天明。"
SHARED_PAGE = "本站精选\n" + OWN_TEXT + "\n广告\n" + OTHER_TEXT + "\n完"
SHARED_URL = "https://both.example/read/1"


@dataclass
class Clients:
    """Two holders with a case each, and one page that copies a work of both."""

    store: Store
    own: Case
    own_of_both: Case
    other: Case
    other_of_both: Case
    user: User


def put_clients(seed: Seeder) -> Clients:
    """Put records of two holders; every field of the second holder's bears a mark."""
    store = seed.store
    seed.work("own-work", OWN_TEXT, title="修船的老人", owner=OWN, author="沈之遥", series="河岸集")
    seed.work("own-second", OWN_TEXT + "又一年。", title="老码头", owner=OWN, author="沈之遥", series=None)
    values = {"title": "馝七秒", "author": "陆馝", "kind": "馝体", "series": "馝丛书", "proof": "馝登记"}
    seed.work("othermark-work", OTHER_TEXT, owner=OTHER, url="https://othermark.example/w", **values)
    seed.work("othermark-copy", OWN_TEXT, owner=OTHER, url="https://othermark.example/v", **values)
    seed.work("othermark-nobody", "馝" + OTHER_TEXT, owner=None, **{**values, "title": "馝无主"})
    own = seed.case(
        "https://own.example/1",
        work_id="own-work",
        text=OWN_TEXT,
        passages=(passage(OWN_TEXT, OWN_TEXT, OWN_TEXT, OWN_TEXT, Change.VERBATIM),),
        match={"also_in": ("othermark-copy",)},
    )
    own_of_both = seed.case(
        SHARED_URL,
        work_id="own-work",
        text=SHARED_PAGE,
        passages=(passage(SHARED_PAGE, OWN_TEXT, OWN_TEXT, OWN_TEXT, Change.VERBATIM),),
        match={"common": (_common(),), "also_in": ("own-second", "othermark-copy")},
        page_title="两篇",
    )
    other_of_both = seed.case(
        SHARED_URL,
        work_id="othermark-work",
        text=SHARED_PAGE,
        passages=(passage(SHARED_PAGE, OTHER_TEXT, OTHER_TEXT, OTHER_TEXT, Change.VERBATIM),),
        page_title="馝两篇",
    )
    other = seed.case(
        "https://othermark.example/2",
        work_id="othermark-work",
        text=OTHER_TEXT,
        passages=(passage(OTHER_TEXT, OTHER_TEXT, OTHER_TEXT, OTHER_TEXT, Change.VERBATIM),),
        page_title="馝盗版页",
        cluster_id="cluster-othermark",
    )
    seed.case("https://othermark.example/3", work_id="othermark-nobody", text=OTHER_TEXT, passages=(), page_title="馝")
    _put_the_rest(store, own, other)
    user = add_user(store, "客户甲", Role.LAWYER, holders=(OWN,))
    add_user(store, "客户馝乙", Role.LAWYER, holders=(OTHER,))
    return Clients(store, own, own_of_both, other, other_of_both, user)


def _common() -> CommonPassage:
    shared = passage(SHARED_PAGE, "本站精选", "本站精选" + OWN_TEXT, "本站精选", Change.VERBATIM)
    return CommonPassage(passage=shared, reason=next(iter(CommonReason)), text_id="othermark-nobody", title="馝无主")


def _put_the_rest(store: Store, own: Case, other: Case) -> None:
    store.holders.put(Holder(id=OWN, contact="010-1", address="河岸"))
    store.holders.put(Holder(id=OTHER, contact="馝电话", address="馝路", sites=("othermark.example",)))
    site = watched("馝站")
    vars_of_site = {name: getattr(site, name) for name in site.__slots__}
    store.sites.put(
        type(site)(**{**vars_of_site, "id": "othermark-site", "hosts": ("othermark.example", "both.example")})
    )
    store.licences.put(
        Licence(id="othermark-l", licensee="馝网", url_prefix="othermark.example", work_id=None, holder=OTHER)
    )
    for case, words in ((own, "自己的话"), (other, "馝的话")):
        store.comments.add(case.number, by="编辑", text=words, moment=NOW)
    store.amounts.add(
        Amount(
            id="othermark-amount",
            case_number=other.number,
            page_host=other.page_host,
            kind=AmountKind.CLAIMED,
            currency="CNY",
            cents=100,
            day="2026-03-01",
            note="馝索赔",
            by="编辑",
            at=NOW,
        )
    )
    for id, holder, case, words in (("2026-0001", OWN, own, "自己"), ("2026-othermark", OTHER, other, "馝函")):
        store.notices.add(
            Notice(
                id=id,
                holder=holder,
                platform="host",
                law=next(iter(NoticeLaw)),
                to=f"{words}平台",
                hosts=(case.page_host,),
                case_numbers=(case.number,),
                text=f"{words}的通知",
                days=7,
                written_at=NOW,
                written_by="编辑",
            )
        )
    store.exclusions.add(
        Exclusion(
            id="othermark-x",
            what=next(iter(Excluded)),
            scope=next(iter(ExclusionScope)),
            covers=("everywhere",),
            case_number=other.number,
            work_id=other.work_id,
            letters=b"abc",
            text="馝片段",
            why="form",
            by="编辑",
            at=NOW,
        )
    )
    store.kept_reports.put(
        KeptReport(
            id="othermark-r",
            name="馝报告",
            format="pdf",
            by="编辑",
            wanted_at=NOW,
            where={},
            case_ids=(str(other.number),),
            due=None,
            made_at=NOW,
            file_digest=store.blobs.put("馝报告".encode()),
        )
    )
