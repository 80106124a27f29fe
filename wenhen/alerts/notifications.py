"""Create notifications from case events, and send them as letters."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from crawler.sandbox.pool import read_in_child
from wenhen.alerts.alert_rules import MAIL_KIND, is_mail_address, make_mail_channel
from wenhen.alerts.apprise_delivery import LetterCall
from wenhen.alerts.model import NO_LETTER, Alert, AlertEvent, AlertPace, AlertRule, Letter, last_letter_time
from wenhen.cases.filters import parse_conditions
from wenhen.cases.model import Case, CaseConditions, CaseStatus
from wenhen.cases.notice_deadlines import is_overdue
from wenhen.cases.rules import PURSUED_STATUSES
from wenhen.cases.service import CHANGE_OVERLAP, find_changed_cases
from wenhen.context.mail_delivery import has_mail_server
from wenhen.context.use_cases import Product
from wenhen.crawls.breakages import EXTRACTION_TIME, breakage_words
from wenhen.crawls.model import Breakage
from wenhen.kit.clock import ALERT_RETENTION, CHINA, DELIVERY_BACKOFF
from wenhen.kit.errors import Language, Message, NotFound, SetupError, Unreadable, failure
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import CHAT_BOUNDS

# Only rules of active users with the necessary rights are applied.


def is_rule_active(product: Product, rule: AlertRule) -> bool:
    """Return whether a rule applies: it is not paused, and its owner is active and has the necessary right."""
    if rule.paused_at is not None:
        return False
    if rule.user_id is None:
        return True
    try:
        user = product.store.users.get(rule.user_id)
    except NotFound:
        return False
    if user.holders:  # rules and letters are not narrowed to their holders
        return False
    return user.disabled_at is None and (rule.channel is None or Right.EXPORT in user.rights)


# Each person has a rule for what is assigned to them, asked of them, answers them or mentions them. They may change or
# pause it.


OWN_EVENTS: Final = (AlertEvent.ASSIGNED, AlertEvent.ASKED, AlertEvent.OPINION, AlertEvent.MENTIONED)
_OPINIONS_MARK: Final = "alerts:opinions"  # set once the rules of earlier versions tell of opinions too
_OWN_RULE_NAME: Final = "与我有关 About me"
_NEW_PERSON_PERIOD: Final = timedelta(hours=1)  # events of new people count from their first moment


def ensure_own_rules(product: Product, rules: Sequence[AlertRule]) -> list[AlertRule]:
    """Create the missing rules of active people, and return them. Let rules of earlier versions tell of opinions."""
    if product.store.marks.get(_OPINIONS_MARK) is None:
        for rule in rules:
            if rule.own and AlertEvent.OPINION not in rule.events:
                product.store.alerts.put_rule(replace(rule, events=(*rule.events, AlertEvent.OPINION)))
        product.store.marks.set(_OPINIONS_MARK, {"at": product.now()})
    having, now = {rule.user_id for rule in rules if rule.own}, product.now()
    added = [
        AlertRule(
            id=own_rule_id(user.id),
            user=user.name,
            user_id=user.id,
            name=_OWN_RULE_NAME,
            query="",
            where={},
            events=OWN_EVENTS,
            pace=AlertPace.AT_ONCE,
            language="zh",
            created_at=user.added_at if now - user.added_at < _NEW_PERSON_PERIOD else now,
            told_until=now,
            kind=MAIL_KIND,
            own=True,
        )
        for user in product.store.users.all()
        if user.disabled_at is None and not user.holders and user.id not in having
    ]
    for rule in added:
        product.store.alerts.put_rule(rule)
    return added


def own_rule_id(user_id: str) -> str:
    """Return the id of the rule that a person has by default."""
    return f"own-{sha256(user_id.encode('utf-8', 'replace')).hexdigest()[:12]}"


def rule_channel(product: Product, rule: AlertRule) -> str | None:
    """Return where the letters of a rule go; None if its alerts stand under the bell alone."""
    if rule.channel is not None:
        return product.seal.open_sealed(rule.channel, f"alert:{rule.id}")
    if not rule.own or rule.kind != MAIL_KIND or not has_mail_server(product.settings.notice):
        return None
    try:
        return product.store.users.get(rule.user_id or "").mail
    except NotFound:
        return None


def _has_channel(product: Product, rule: AlertRule) -> bool:
    return rule.channel is not None or (rule.own and rule_channel(product, rule) is not None)


def _offer_alerts(product: Product, rule: AlertRule, alerts: Sequence[Alert]) -> None:
    """Store alerts. Those of a rule without a channel go into no letter, even if the rule gets a channel later."""
    if alerts and not _has_channel(product, rule):
        alerts = [replace(alert, letter=NO_LETTER) for alert in alerts]
    product.store.alerts.offer(alerts)


# Letters are created when due, and sent until they are accepted.


_MAX_LISTED_ALERTS: Final = 40  # alerts listed in a letter, further ones are counted
_MAX_ENCLOSED_ALERTS: Final = 5_000  # per letter
_ENCLOSING_PERIOD: Final = timedelta(seconds=30)  # the letter is stored before alerts are added to it
_LETTER_LEASE: Final = timedelta(minutes=3)
_MAX_LETTERS_PER_TASK: Final = 40
_MAX_REASON_CHARACTERS: Final = 200  # characters of an error message


def make_letters(product: Product, rules: Sequence[AlertRule]) -> None:
    """Create a letter for each rule that is due and has unsent alerts."""
    now, store = product.now(), product.store.alerts
    for rule in rules:
        turn = last_letter_time(rule.pace, now)
        due = rule.pace is AlertPace.AT_ONCE or turn > rule.told_until
        if not _has_channel(product, rule) or not due or not store.unsent(rule.id) or not store.tell_until(rule, turn):
            continue
        # If this is interrupted, the empty letter is dropped when due, and its alerts wait for the next one.
        letter = Letter(id=f"{rule.id}:{turn.isoformat()}", rule_id=rule.id, made_at=now, due=now + _ENCLOSING_PERIOD)
        store.put_letter(letter)
        store.enclose(rule.id, letter.id, _MAX_ENCLOSED_ALERTS)
        store.put_letter(replace(letter, due=now))


def send_due_letters(product: Product) -> None:
    """Send due letters. Failures are retried with backoff."""
    store = product.store.alerts
    for _ in range(_MAX_LETTERS_PER_TASK):
        now = product.now()
        letter = store.claim(now, now + _LETTER_LEASE)
        if letter is None:
            return
        try:
            rule = store.rule(letter.rule_id)
        except NotFound:  # removed meanwhile
            store.put_letter(replace(letter, due=None))
            continue
        store.put_letter(_send_letter(product, rule, letter))


def _send_letter(product: Product, rule: AlertRule, letter: Letter) -> Letter:
    """Send a letter and return its new state."""
    alerts = product.store.alerts.of_letter(letter.id)
    is_test = letter.id.startswith(f"{rule.id}:test:")
    channel = rule_channel(product, rule)
    if channel is None or (not alerts and not is_test):
        return replace(letter, due=None)
    if not is_rule_active(product, rule):
        return replace(letter, due=product.now() + DELIVERY_BACKOFF.longest)
    title, body = format_letter(rule, alerts)
    private = product.settings.dashboard.private_webhooks
    problem: Message | None
    try:
        if is_mail_address(channel):
            # The administrator named this server, and it often stands in the house's own network.
            channel, private = make_mail_channel(channel, product.settings.notice), True
        problem = read_in_child(
            "wenhen.alerts.apprise_delivery:send_through_apprise",
            LetterCall(channel, title, body, private),
            bounds=CHAT_BOUNDS,
        )
    except SetupError as error:
        problem = error.message
    except Unreadable as error:
        problem = failure(error, _MAX_REASON_CHARACTERS)
    now = product.now()
    if problem is None:
        return replace(letter, due=None, problem=None, taken_at=now)
    return replace(letter, due=now + DELIVERY_BACKOFF.after(letter.tries), problem=problem)


def format_letter(rule: AlertRule, alerts: Sequence[Alert]) -> tuple[str, str]:
    """Return title and body of a letter in the language of the rule."""
    language: Language = "en" if rule.language == "en" else "zh"

    def translate(code: str, **figures: str | int) -> str:
        return Message(code, figures).text(language)

    if not alerts:
        return translate("alerts.title", name=rule.name, count=0), translate("alerts.test")
    counts = Counter(alert.event for alert in alerts)
    lines = [translate(f"alerts.count_{event}", count=counts[event]) for event in rule.events if counts[event]]
    lines.append("")
    lines += (_letter_line(alert, language) for alert in alerts[:_MAX_LISTED_ALERTS])
    if len(alerts) > _MAX_LISTED_ALERTS:
        lines.append(translate("alerts.more", count=len(alerts) - _MAX_LISTED_ALERTS))
    return translate("alerts.title", name=rule.name, count=len(alerts)), "\n".join(lines)


def _letter_line(alert: Alert, language: Language) -> str:
    title, number = alert.work_title[:100], str(alert.case_number)
    if alert.event is AlertEvent.BROKEN:  # of no case: how it broke, an example, and when that was last captured well
        title = f"{alert.reason.text(language) if alert.reason else ''} ({alert.url})"
        number = "—" if alert.good_at is None else f"{alert.good_at.astimezone(CHINA):%Y-%m-%d %H:%M}"
    return Message(f"alerts.of_{alert.event}", {"number": number, "title": title, "host": alert.page_host}).text(
        language
    )


def case_events(case: Case, rule: AlertRule, now: datetime) -> Iterator[tuple[AlertEvent, str]]:
    """Yield the events of a case since the creation of the rule, each with a key for deduplication."""
    for event in rule.events:
        what = _event_key(event, case, rule, now)
        if what is not None:
            yield event, what


def _event_key(event: AlertEvent, case: Case, rule: AlertRule, now: datetime) -> str | None:
    decided = case.decided_at.isoformat() if case.decided_at else ""
    is_recent = case.updated_at >= rule.created_at
    told_from = max(rule.created_at, now - ALERT_RETENTION)  # records of earlier alerts may have expired
    happened, what = False, ""
    match event:
        case AlertEvent.NEW:
            happened = case.opened_at >= told_from
        case AlertEvent.ASSIGNED:
            given_at = case.assigned_at or (None if rule.own else case.updated_at)
            happened = case.assignee == rule.user and given_at is not None and given_at >= rule.created_at
            happened &= not rule.own or case.assigned_by != rule.user
            what = case.assigned_at.isoformat() if case.assigned_at else ""
        case AlertEvent.ASKED:
            happened, what = is_recent and case.asked == rule.user, decided
        case AlertEvent.OPINION if case.opinion is not None:
            given = case.opinion
            happened = given.asked_by == rule.user != given.by and given.at >= told_from
            what = given.at.isoformat()
        case AlertEvent.GONE:
            happened, what = (
                is_recent and not case.present and case.status in PURSUED_STATUSES,
                case.capture.fetched_at.isoformat(),
            )
        case AlertEvent.RETURNED:
            happened, what = is_recent and case.present and case.status is CaseStatus.REMOVED, decided
        case AlertEvent.OVERDUE if case.deadline is not None:
            # a notice may be recorded long after it was sent
            since = max(case.deadline, case.decided_at or case.deadline)
            happened, what = is_overdue(case, now) and since >= told_from, case.deadline.isoformat()
    return what if happened else None


# Notifications are created from recently changed cases. The id of an alert derives from rule, case and event, so
# repeated scans create no duplicates.


_ALERTS_MARK: Final = "alerts"  # mark with the time of the last scan


def create_notifications(product: Product) -> None:
    """Create notifications for events since the last scan, create due letters, and queue their delivery."""
    store, now = product.store, product.now()
    stored = store.alerts.rules()
    rules = [rule for rule in (*stored, *ensure_own_rules(product, stored)) if is_rule_active(product, rule)]
    if rules:
        _scan_cases(product, rules, now)
        _offer_breakage_alerts(product, rules, now)
        make_letters(product, rules)
    if store.alerts.has_due(now):
        product.queue.deliver()


def _offer_breakage_alerts(product: Product, rules: Sequence[AlertRule], now: datetime) -> None:
    """Create alerts for crawls that broke: one for each way, with the site in place of a case."""
    asking = [rule for rule in rules if AlertEvent.BROKEN in rule.events]
    for run in product.store.runs.ended_crawls(now - EXTRACTION_TIME) if asking else ():
        site = run.subject.id if run.subject else ""
        for rule in asking:
            new = run.ended_at is not None and run.ended_at >= rule.created_at
            alerts = [_make_breakage_alert(rule, run.id, site, broken, now) for broken in run.breakages if new]
            _offer_alerts(product, rule, alerts)


def _make_breakage_alert(rule: AlertRule, run: str, site: str, broken: Breakage, now: datetime) -> Alert:
    return Alert(
        id=sha256(f"{rule.id} {run} {broken.kind}".encode("utf-8", "replace")).hexdigest()[:24],
        rule_id=rule.id,
        user=rule.user,
        event=AlertEvent.BROKEN,
        case_number=0,
        work_title="",
        page_host=site,
        at=now,
        url=broken.url,
        run_id=run,
        reason=breakage_words(broken),
        page_id=broken.page_id,
        good_at=broken.good_at,
    )


def _scan_cases(product: Product, rules: Sequence[AlertRule], now: datetime) -> None:
    mark = product.store.marks.get(_ALERTS_MARK) or {}
    before = mark.get("at")
    since = before if isinstance(before, datetime) else min(rule.created_at for rule in rules)
    _offer_answer_alerts(product, rules, since - CHANGE_OVERLAP, now)
    for cases in find_changed_cases(since, product.store.webhooks.changed_cases):
        _offer_case_alerts(product, rules, cases, now)
    # A passing deadline does not change the case, so it is queried separately.
    _offer_case_alerts(product, rules, product.store.cases.passed_deadlines(since - CHANGE_OVERLAP, now), now)
    product.store.marks.set(_ALERTS_MARK, {"at": now})


def _offer_case_alerts(product: Product, rules: Sequence[AlertRule], cases: Sequence[Case], now: datetime) -> None:
    told: set[tuple[str, int, AlertEvent]] = set()  # by the rules that people made, which come first
    for rule in sorted(rules, key=lambda rule: rule.own):
        happened = [(case, event, what) for case in cases for event, what in case_events(case, rule, now)]
        if rule.own:
            happened = [each for each in happened if (rule.user, each[0].number, each[1]) not in told]
        fitting = _matching_numbers(product, rule, {case.number for case, _, _ in happened})
        happened = [each for each in happened if each[0].number in fitting]
        told |= {(rule.user, case.number, event) for case, event, _ in happened}
        _offer_alerts(product, rule, [_make_alert(rule, case, event, what, now) for case, event, what in happened])


def _offer_answer_alerts(product: Product, rules: Sequence[AlertRule], since: datetime, now: datetime) -> None:
    """Create alerts for reply mails: one per mail and rule, for the first case of the notice that matches."""
    asking = [rule for rule in rules if AlertEvent.ANSWERED in rule.events]
    for mail in product.store.replies.assigned_since(since) if asking else ():
        numbers = product.store.notices.get(mail.notice or "").case_numbers
        for rule in asking:
            new = mail.assigned_at is not None and mail.assigned_at >= rule.created_at
            fitting = _matching_numbers(product, rule, numbers) if new and (mail.failed or not mail.is_report) else ()
            for case in product.store.cases.many(sorted(fitting)[:1]).values():
                _offer_alerts(product, rule, [_make_alert(rule, case, AlertEvent.ANSWERED, mail.id, now)])


def _matching_numbers(product: Product, rule: AlertRule, numbers: Collection[int]) -> set[int]:
    """Return the numbers of the cases that match the filter of the rule."""
    if not numbers:
        return set()
    wanted: CaseConditions = {**parse_conditions(rule.where), "numbers": tuple(numbers)}
    return {key["number"] for key in product.store.cases.keys(limit=len(numbers), **wanted)}


def _make_alert(rule: AlertRule, case: Case, event: AlertEvent, what: str, now: datetime) -> Alert:
    return Alert(
        id=sha256(f"{rule.id} {case.id} {event} {what}".encode("utf-8", "replace")).hexdigest()[:24],
        rule_id=rule.id,
        user=rule.user,
        event=event,
        case_number=case.number,
        work_title=case.work_title,
        page_host=case.page_host,
        at=now,
    )
