"""Users, one's own account, sign-in and tokens."""

import tempfile
from dataclasses import replace
from typing import Any, Final

import pyotp

from tests.support.people import PASSWORD, add_user
from tests.support.servers.mail_receiver import receiving
from tests.support.use_cases import Samples
from wenhen.accounts.model import Token, User
from wenhen.accounts.sessions import Browser, hash_session_secret, make_api_token, revoke_api_token, session_lengths
from wenhen.accounts.sign_in import (
    sign_user_in,
    sign_user_out,
    start_second_factor,
    turn_off_second_factor,
    turn_on_second_factor,
)
from wenhen.accounts.sign_in_throttling import refuse_proof, refuse_sign_in
from wenhen.accounts.single_sign_on import Identity, connect_user, create_connected_user
from wenhen.accounts.users import (
    _mail_link,
    _set_password,
    change_own_password,
    create_user,
    delete_user,
    disable_user,
    enable_user,
    end_own_session,
    end_own_sessions,
    hold_user,
    reset_second_factor,
    reset_user_password,
    set_own_mail,
    set_user_role,
)
from wenhen.backups.backup import request_backup
from wenhen.configuration.service import change_settings
from wenhen.configuration.trials import try_authorities, try_backup_target, try_mail_in, try_mail_out, try_provider
from wenhen.context.use_cases import Acting
from wenhen.holders.model import Holder
from wenhen.kit.rights import Right, Role
from wenhen.kit.sealed_secrets import Seal
from wenhen.operations.secret_rotation import reseal_secrets
from wenhen.settings.dashboard_and_sign_in import DashboardSettings

NOWHERE: Final = "127.0.0.1:9"  # where nobody answers
BROWSER: Final = Browser("198.51.100.7", "a browser")
SEAL: Final = Seal(lambda: ["only for tests"])
OTHER: Final = "another long password"


def user(acting: Acting, **values: object) -> User:
    return add_user(acting.product.store, **values)  # type: ignore[arg-type]  # names fields


def own(acting: Acting) -> Acting:
    """The same as a user, who is signed in."""
    return replace(acting, user_id=user(acting).id)


def confirm(acting: Acting) -> None:
    acting = own(acting)
    totp = pyotp.TOTP(start_second_factor(acting, SEAL, PASSWORD))
    turn_on_second_factor(acting, SEAL, totp.at(acting.product.now()))


def revoke(acting: Acting) -> None:
    revoke_api_token(acting, make(acting).id)


def make(acting: Acting) -> Token:
    """A token, through the one that is acted with."""
    one, given = user(acting), acting.token
    if given:
        now = acting.product.now()
        parent = Token(id=given.id, name=given.name, user_id=one.id, digest="", scopes=(), created_at=now)
        acting.product.store.tokens.add(parent)
    return make_api_token(acting, one, "ci", {Right.READ}, None)[0]


def end_one(acting: Acting) -> None:
    acting = own(acting)
    secret = sign_user_in(acting, BROWSER, session_lengths(DashboardSettings()))
    end_own_session(acting, hash_session_secret(secret))


def end(acting: Acting) -> None:
    acting = own(acting)
    sign_user_out(acting, sign_user_in(acting, BROWSER, session_lengths(DashboardSettings())), BROWSER)


def servers(acting: Acting) -> Acting:
    """The same, with servers in the settings that nobody answers at, and a folder for backups."""
    settings: Any = acting.product.settings
    notice = settings.notice.model_copy(update={"smtp": NOWHERE, "sender": "law@hean.example", "imap": NOWHERE})
    evidence = settings.evidence.model_copy(update={"authorities": [f"http://{NOWHERE}/tsr"]})
    signin = settings.signin.model_copy(update={"issuer": f"http://{NOWHERE}", "client": "wenhen"})
    backup = settings.backup.model_copy(update={"target": tempfile.gettempdir()})
    sections = {"notice": notice, "evidence": evidence, "signin": signin, "backup": backup}
    changed = settings.model_copy(update=sections)
    return replace(acting, product=replace(acting.product, settings=changed))


def mail_link(acting: Acting) -> None:
    """A mail with a link, which a server takes."""
    with receiving() as (_, place):
        settings: Any = acting.product.settings
        notice = settings.notice.model_copy(update={"smtp": place, "smtp_tls": False, "sender": "law@hean.example"})
        product = replace(acting.product, settings=settings.model_copy(update={"notice": notice}))
        _mail_link(replace(acting, product=product), user(acting, mail="yan@hean.example"), "yan@hean.example")


def _hold(acting: Acting) -> User:
    acting.product.store.holders.put(Holder(id="河岸文艺社"))
    return hold_user(acting, user(acting).id, ["河岸文艺社"])


SAMPLES: Samples = {
    change_settings: lambda acting: change_settings(acting, "reports", {"report.holder": "河岸文艺社"}),
    try_mail_out: lambda acting: try_mail_out(servers(acting), "chief@hean.example"),
    try_mail_in: lambda acting: try_mail_in(servers(acting)),
    try_authorities: lambda acting: try_authorities(servers(acting)),
    try_provider: lambda acting: try_provider(servers(acting)),
    try_backup_target: lambda acting: try_backup_target(servers(acting)),
    request_backup: lambda acting: request_backup(servers(acting)),
    connect_user: lambda acting: connect_user(acting, user(acting).id, "https://id.example 7f3"),
    create_connected_user: lambda acting: create_connected_user(
        acting, Identity("https://id.example 7f3", "陆"), Role.REVIEWER
    ),
    set_own_mail: lambda acting: set_own_mail(own(acting), PASSWORD, "yan@hean.example"),
    _set_password: lambda acting: _set_password(acting, user(acting), OTHER),
    _mail_link: mail_link,
    create_user: lambda acting: create_user(acting, "陆", Role.LAWYER),
    set_user_role: lambda acting: set_user_role(acting, user(acting).id, Role.LAWYER),
    hold_user: _hold,
    disable_user: lambda acting: disable_user(acting, user(acting).id),
    enable_user: lambda acting: enable_user(acting, user(acting).id),
    reset_user_password: lambda acting: reset_user_password(acting, user(acting).id),
    reset_second_factor: lambda acting: reset_second_factor(acting, user(acting).id),
    delete_user: lambda acting: delete_user(acting, user(acting).id),
    change_own_password: lambda acting: change_own_password(own(acting), PASSWORD, OTHER),
    end_own_session: end_one,
    end_own_sessions: lambda acting: end_own_sessions(own(acting)),
    turn_on_second_factor: confirm,
    turn_off_second_factor: lambda acting: turn_off_second_factor(own(acting), SEAL, PASSWORD, ""),
    sign_user_in: lambda acting: sign_user_in(own(acting), BROWSER, session_lengths(DashboardSettings())),
    sign_user_out: end,
    refuse_sign_in: lambda acting: refuse_sign_in(acting, BROWSER),
    refuse_proof: lambda acting: refuse_proof(own(acting)),
    reseal_secrets: lambda acting: (user(acting, totp_secret="not sealed"), reseal_secrets(acting)),
    make_api_token: make,
    revoke_api_token: revoke,
}
