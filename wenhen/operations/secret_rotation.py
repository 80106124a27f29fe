"""Encrypt every stored secret again under the current key."""

from dataclasses import replace

from crawler.site_access import Access
from wenhen.accounts.model import User
from wenhen.alerts.alert_rules import channel_owner
from wenhen.alerts.model import AlertRule
from wenhen.configuration.service import reseal_setting, setting_owner
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.evidence.exhibits import exhibit_stamp_id
from wenhen.evidence.model import Exhibit
from wenhen.evidence.signing import reseal_signing_key
from wenhen.kit.rights import Right
from wenhen.marks.service import marked_text_owner, reseal_marked_text
from wenhen.sites.access import reseal_cookies, reseal_proxies
from wenhen.webhooks.model import Webhook
from wenhen.webhooks.service import webhook_owner


@audited("secrets.reseal")
def reseal_secrets(acting: Acting) -> ChangeResult[int]:
    """Encrypt all secrets that are not under the current key. Return how many users, sites, webhooks, rules,
    settings, marked texts and exhibits.

    Raises `SetupError` for a secret that no key decrypts.
    """
    acting.require(Right.USERS)
    product, store = acting.product, acting.product.store
    done = [
        *(f"user:{user.id}" for user in store.users.all() if _reseal_user(product, user)),
        *(f"site:{access.id}" for access in store.accesses.all() if _reseal_access(product, access)),
        *(f"webhook:{webhook.id}" for webhook in store.webhooks.all() if _reseal_webhook(product, webhook)),
        *(f"alert:{rule.id}" for rule in store.alerts.rules() if _reseal_alert_rule(product, rule)),
        *(setting_owner(setting.id) for setting in store.stored_settings.all() if reseal_setting(product, setting)),
        *(marked_text_owner(text.id) for text in store.marked_texts.all() if reseal_marked_text(product, text)),
        *(["evidence:key"] if reseal_signing_key(product) else []),
        *(f"exhibit:{exhibit.id}" for exhibit in store.exhibits.all_sealed() if _reseal_exhibit(product, exhibit)),
    ]
    return change_result(len(done), *map(AuditLine, done))


def _reseal_user(product: Product, user: User) -> bool:
    kept = {name: value for name in ("totp_secret", "totp_pending") if (value := getattr(user, name))}
    new = {name: product.seal.reseal(value, user.id) for name, value in kept.items()}
    if new != kept:
        product.store.users.change(user.id, new)
    return new != kept


def _reseal_access(product: Product, access: Access) -> bool:
    cookies = reseal_cookies(product.seal, access.id, access.cookies)
    proxies = reseal_proxies(product.seal, access.id, access.proxies)
    if cookies != access.cookies:
        product.store.accesses.set_cookies(access.id, cookies, product.now())
    if proxies != access.proxies:
        product.store.accesses.set_proxies(access.id, proxies, product.now())
    return (cookies, proxies) != (access.cookies, access.proxies)


def _reseal_webhook(product: Product, hook: Webhook) -> bool:
    secret = product.seal.reseal(hook.secret, webhook_owner(hook.id))
    if secret != hook.secret:
        product.store.webhooks.put(replace(hook, secret=secret))
    return secret != hook.secret


def _reseal_alert_rule(product: Product, rule: AlertRule) -> bool:
    if rule.channel is None:
        return False
    channel = product.seal.reseal(rule.channel, channel_owner(rule.id))
    if channel != rule.channel:
        product.store.alerts.put_rule(replace(rule, channel=channel))
    return channel != rule.channel


def _reseal_exhibit(product: Product, exhibit: Exhibit) -> bool:
    assert exhibit.sealed
    sealed = product.seal.reseal(exhibit.sealed, exhibit_stamp_id(exhibit.id))
    return sealed != exhibit.sealed and product.store.exhibits.reseal(exhibit.id, exhibit.sealed, sealed)
