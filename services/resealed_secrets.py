"""Every secret that is kept, sealed anew under the key of today: after an upgrade, and after the key was changed."""

from dataclasses import replace

from services.acting import Acting
from services.alerts.own_rules import whose as whose_alert
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.crawls.opened_access import renewed_cookies, renewed_proxies
from services.evidence.signing_key import reseal_key
from services.evidence.wanted_exhibits import name_of
from services.webhooks.registry import whose
from store.records import Access, AlertRule, Exhibit, User, Webhook
from store.rules.role_rights import Right


@audited("secrets.reseal")
def reseal(acting: Acting) -> Changed[int]:
    """Seal what is not sealed under the present key; how many users, sites, webhooks, rules and exhibits that
    were.

    Raises `SetupError` for what no key opens.
    """
    acting.require(Right.USERS)
    product, store = acting.product, acting.product.store
    done = [
        *(f"user:{one.id}" for one in store.users.all() if _user(product, one)),
        *(f"site:{one.id}" for one in store.accesses.all() if _access(product, one)),
        *(f"webhook:{one.id}" for one in store.webhooks.all() if _webhook(product, one)),
        *(f"alert:{one.id}" for one in store.alerts.rules() if _alert(product, one)),
        *(["evidence:key"] if reseal_key(product) else []),
        *(f"exhibit:{one.id}" for one in store.exhibits.sealed() if _exhibit(product, one)),
    ]
    return changed(len(done), *map(Line, done))


def _user(product: Product, user: User) -> bool:
    kept = {name: value for name in ("totp_secret", "totp_pending") if (value := getattr(user, name))}
    new = {name: product.seal.renewed(value, user.id) for name, value in kept.items()}
    if new != kept:
        product.store.users.change(user.id, new)
    return new != kept


def _access(product: Product, access: Access) -> bool:
    cookies = renewed_cookies(product.seal, access.id, access.cookies)
    proxies = renewed_proxies(product.seal, access.id, access.proxies)
    if cookies != access.cookies:
        product.store.accesses.set_cookies(access.id, cookies, product.now())
    if proxies != access.proxies:
        product.store.accesses.set_proxies(access.id, proxies, product.now())
    return (cookies, proxies) != (access.cookies, access.proxies)


def _webhook(product: Product, hook: Webhook) -> bool:
    secret = product.seal.renewed(hook.secret, whose(hook.id))
    if secret != hook.secret:
        product.store.webhooks.put(replace(hook, secret=secret))
    return secret != hook.secret


def _alert(product: Product, rule: AlertRule) -> bool:
    if rule.channel is None:
        return False
    channel = product.seal.renewed(rule.channel, whose_alert(rule.id))
    if channel != rule.channel:
        product.store.alerts.put_rule(replace(rule, channel=channel))
    return channel != rule.channel


def _exhibit(product: Product, exhibit: Exhibit) -> bool:
    assert exhibit.sealed
    sealed = product.seal.renewed(exhibit.sealed, name_of(exhibit.id))
    return sealed != exhibit.sealed and product.store.exhibits.reseal(exhibit.id, exhibit.sealed, sealed)
