"""Let people in whom a provider of OpenID Connect or a trusted proxy has proved, and speak with the provider."""

import ipaddress
import json
import logging
import secrets
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, Final
from urllib.parse import urlencode, urljoin, urlsplit

from wenhen.accounts.model import User
from wenhen.accounts.passwords import hash_password
from wenhen.accounts.sessions import Browser
from wenhen.accounts.sign_in_throttling import refuse_sign_in
from wenhen.accounts.users import find_user, normalize_user_name, set_user_role, user_subject
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, Conflict, Forbidden, Unavailable
from wenhen.kit.rights import RIGHTS, Right, Role
from wenhen.kit.web import LOOPBACK_HOSTS
from wenhen.settings.dashboard_and_sign_in import SignInSettings

logger = logging.getLogger(__name__)
LOWEST_ROLE: Final = min(Role, key=lambda role: len(RIGHTS[role]))  # of who stands in no group of the settings


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as the provider or the proxy proves them."""

    subject: str  # issuer and id at the provider, or proxy and name
    name: str
    groups: tuple[str, ...] = ()


def role_of_groups(settings: SignInSettings, groups: tuple[str, ...]) -> Role | None:
    """Return the role of the first line of the settings that names one of the groups. None: no line is given.

    >>> settings = SignInSettings(roles=["law=lawyer", "cn=desk,dc=hean=operator"])
    >>> [str(role_of_groups(settings, groups)) for groups in [("cn=desk,dc=hean", "x"), ("desk", "law"), ()]]
    ['operator', 'lawyer', 'reviewer']
    """
    if not settings.roles:
        return None
    named = (line.rpartition("=") for line in settings.roles)
    return next((Role(role) for group, _, role in named if group in groups), LOWEST_ROLE)


def is_trusted_address(settings: SignInSettings, address: str) -> bool:
    """Return whether the settings trust the proxy at this address.

    >>> settings = SignInSettings(trusted=["10.1.0.0/16"])
    >>> [is_trusted_address(settings, address) for address in ("10.1.2.3", "::ffff:10.1.2.3", "10.2.0.1", "", "x")]
    [True, True, False, False, False]
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return any(found in ipaddress.ip_network(network) for network in settings.trusted)


def admit_person(product: Product, identity: Identity, browser: Browser) -> User:
    """Return the user of a proved person, who is created at the first time, with the role of their groups.

    Raises `Forbidden` for a person whom the settings refuse, a disabled user, and a name that another account has.
    `BadInput` for a name that no user can have.
    """
    try:
        user = _find_person(product, identity)
    except Forbidden:
        refuse_sign_in(Acting(product, identity.name, frozenset()), browser)
        raise
    role = role_of_groups(product.settings.signin, identity.groups)
    if role is None or role is user.role:
        return user
    try:
        return set_user_role(_acting_provider(product), user.id, role)
    except Conflict:
        logger.warning("%s stays an administrator, being the last one", user.name)
        return user


def _find_person(product: Product, identity: Identity) -> User:
    user = product.store.users.find_subject(identity.subject) or _first_sign_in(product, identity)
    if user.disabled_at is not None:
        raise Forbidden("provider.disabled")
    return user


def _first_sign_in(product: Product, identity: Identity) -> User:
    settings, acting = product.settings.signin, _acting_provider(product)
    known = find_user(product.store, identity.name)
    if known is None:
        if settings.newcomers == "refuse":
            raise Forbidden("provider.unknown", name=identity.name)
        return create_connected_user(acting, identity, role_of_groups(settings, identity.groups) or LOWEST_ROLE)
    if known.subject is not None or not settings.adopt:  # else whoever takes a name there would take the account
        raise Forbidden("provider.name_taken", name=identity.name)
    return connect_user(acting, known.id, identity.subject)


@audited("user.add")
def create_connected_user(acting: Acting, identity: Identity, role: Role) -> ChangeResult[User]:
    """Create a user who signs in by the provider. Nobody knows the password.

    Raises `BadInput` for an invalid name, `Forbidden` without the right or if the name exists.
    """
    acting.require(Right.USERS)
    id, name = normalize_user_name(identity.name)
    user = User(
        id=id,
        name=name,
        role=role,
        password=hash_password(secrets.token_urlsafe(32)),
        added_at=acting.product.now(),
        subject=identity.subject,
    )
    try:
        acting.product.store.users.add(user)
    except Conflict:  # another browser of the same person was faster
        found = acting.product.store.users.get(id)
        if found.subject != identity.subject:
            raise Forbidden("provider.name_taken", name=name) from None
        return change_result(found)
    return change_result(user, AuditLine(user_subject(user), new=f"{role} {identity.subject}"))


@audited("user.connect")
def connect_user(acting: Acting, id: str, subject: str | None) -> ChangeResult[User]:
    """Connect a user with a person at the provider, or with None disconnect them. Raises `NotFound`, `Forbidden`.

    Who is disconnected signs in by password; an administrator sets one.
    """
    acting.require(Right.USERS)
    before = acting.product.store.users.get(id)
    after = acting.product.store.users.change(id, {"subject": subject})
    if subject is None:
        acting.product.store.sessions.end_all(id)
    return change_result(after, AuditLine(user_subject(after), before.subject, subject))


def _acting_provider(product: Product) -> Acting:
    return Acting(product, "wenhen", frozenset({Right.USERS}))


# The provider of OpenID Connect: authorization code with PKCE, state and nonce. Authlib is imported where it is needed:
# an installation without a provider never loads it.

PENDING_LIFETIME: Final = timedelta(minutes=10)  # from the way to the provider to the way back
_LEEWAY_SECONDS: Final = 120  # tolerated difference between the clocks
_TIMEOUT_SECONDS: Final = 10.0
_MAX_ANSWER_BYTES: Final = 1_000_000
_DESCRIPTION_SECONDS: Final = 300.0  # how long a description and its keys are used
_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_MAX_GROUPS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Provider:
    """What a provider says of itself (OpenID Connect Discovery 1.0), and its keys."""

    issuer: str
    description: Mapping[str, Any]
    keys: Mapping[str, Any]

    def endpoint(self, name: str) -> str:
        """Return the address of an endpoint. Raises `Unavailable` if the provider names none."""
        address = self.description.get(name)
        if not isinstance(address, str) or not _is_safe(address):
            raise Unavailable("provider.description", issuer=self.issuer, part=name)
        return address


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    """What the browser's cookie holds while the person is at the provider."""

    state: str
    nonce: str
    verifier: str
    begun_at: str  # ISO 8601


_known: dict[str, tuple[float, Provider]] = {}
_lock = Lock()


def find_provider(issuer: str, *, fresh: bool = False) -> Provider:
    """Return the description and the keys of a provider, which are read again after five minutes.

    Raises `Unavailable` if it does not answer, or describes another issuer.
    """
    with _lock:
        until, provider = _known.get(issuer, (0.0, None))
    if provider is not None and not fresh and time.monotonic() < until:
        return provider
    if not _is_safe(issuer):
        raise Unavailable("provider.description", issuer=issuer, part="https")
    description = _read_json(issuer, urljoin(issuer.rstrip("/") + "/", ".well-known/openid-configuration"))
    if str(description.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
        raise Unavailable("provider.other_issuer", issuer=issuer, other=str(description.get("issuer"))[:200])
    provider = Provider(str(description["issuer"]), description, {})
    keys = _read_json(issuer, provider.endpoint("jwks_uri"))
    if not isinstance(keys.get("keys"), list):
        raise Unavailable("provider.description", issuer=issuer, part="keys")
    provider = Provider(provider.issuer, description, keys)
    with _lock:
        _known[issuer] = (time.monotonic() + _DESCRIPTION_SECONDS, provider)
    return provider


def begin_provider_sign_in(settings: SignInSettings, back: str, now: datetime) -> tuple[str, PendingSignIn]:
    """Return the address at the provider that the person goes to, and what to keep until they come back.

    Raises `Unavailable`.
    """
    provider = find_provider(settings.issuer)
    pending = PendingSignIn(
        secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_urlsafe(48), now.isoformat()
    )
    with _open_client(settings, provider, back) as client:
        address, _ = client.create_authorization_url(
            provider.endpoint("authorization_endpoint"),
            state=pending.state,
            nonce=pending.nonce,
            code_verifier=pending.verifier,
        )
    return str(address), pending


def complete_provider_sign_in(
    settings: SignInSettings, pending: PendingSignIn | None, answer: Mapping[str, str], back: str, now: datetime
) -> Identity:
    """Redeem the code with which the person came back, and return who they are.

    Raises `BadInput` for a sign-in that this browser did not begin or that is too old, `Forbidden` if the provider
    refuses or its token proves nothing, `Unavailable` if it does not answer.
    """
    if pending is None or not secrets.compare_digest(pending.state.encode(), answer.get("state", "").encode()):
        raise BadInput("provider.not_begun")
    if not timedelta() <= now - datetime.fromisoformat(pending.begun_at) <= PENDING_LIFETIME:
        raise BadInput("provider.not_begun")
    if "error" in answer:
        raise Forbidden("provider.refused", error=_shorten(answer.get("error_description") or answer["error"]))
    provider = find_provider(settings.issuer)
    if answer.get("iss", provider.issuer) != provider.issuer:  # RFC 9207
        raise Forbidden("provider.refused", error="iss")
    tokens = _redeem_code(settings, provider, pending, answer.get("code", ""), back)
    claims = _verify_token(settings, provider, tokens, pending, now)
    return _read_identity(settings, provider, claims, tokens)


def provider_sign_out_address(settings: SignInSettings, back: str) -> str | None:
    """Return the address that signs the person out at the provider (RP-Initiated Logout 1.0), or None."""
    try:
        address = find_provider(settings.issuer).endpoint("end_session_endpoint")
    except Unavailable:
        return None
    wanted = urlencode({"client_id": settings.client, "post_logout_redirect_uri": back})
    return f"{address}{'&' if '?' in address else '?'}{wanted}"


def _open_client(settings: SignInSettings, provider: Provider, back: str) -> Any:
    from authlib.deprecate import AuthlibDeprecationWarning

    with warnings.catch_warnings():  # that httpx has a successor, which nothing else here uses
        warnings.simplefilter("ignore", AuthlibDeprecationWarning)
        from authlib.integrations.httpx_client import OAuth2Client

    offered = provider.description.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    method = "client_secret_basic" if "client_secret_basic" in offered else "client_secret_post"
    return OAuth2Client(
        settings.client,
        settings.secret.get_secret_value() if settings.secret else None,
        token_endpoint_auth_method=method if settings.secret else "none",
        scope=" ".join(dict.fromkeys(("openid", *settings.scopes))),
        redirect_uri=back,
        code_challenge_method="S256",
        timeout=_TIMEOUT_SECONDS,
    )


def _redeem_code(
    settings: SignInSettings, provider: Provider, pending: PendingSignIn, code: str, back: str
) -> Mapping[str, Any]:
    import httpx
    from authlib.common.errors import AuthlibBaseError

    try:
        with _open_client(settings, provider, back) as client:
            tokens: Mapping[str, Any] = client.fetch_token(
                provider.endpoint("token_endpoint"), code=code, code_verifier=pending.verifier
            )
    except AuthlibBaseError as error:
        raise Forbidden("provider.refused", error=_shorten(error.description or error.error)) from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise Unavailable("provider.no_answer", issuer=settings.issuer, error=type(error).__name__) from None
    return tokens


def _verify_token(
    settings: SignInSettings, provider: Provider, tokens: Mapping[str, Any], pending: PendingSignIn, now: datetime
) -> Mapping[str, Any]:
    """Return the claims of the ID token after all checks of OpenID Connect Core 1.0, section 3.1.3.7."""
    from authlib.oidc.core import CodeIDToken
    from joserfc.errors import JoseError

    try:
        token = _decode(settings, provider, tokens)
        wanted = {
            "iss": {"essential": True, "value": provider.issuer},
            "aud": {"essential": True, "value": settings.client},
            "sub": {"essential": True},
        }
        params = {"nonce": pending.nonce, "client_id": settings.client, "access_token": tokens.get("access_token")}
        claims = CodeIDToken(token.claims, token.header, options=wanted, params=params)
        claims.validate(now=int(now.timestamp()), leeway=_LEEWAY_SECONDS)
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise Forbidden("provider.token", reason=_shorten(str(error) or type(error).__name__)) from None
    return dict(claims)


def _decode(settings: SignInSettings, provider: Provider, tokens: Mapping[str, Any]) -> Any:
    """Check the signature. Keys that the provider has changed since are read once more."""
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    offered = provider.description.get("id_token_signing_alg_values_supported") or ["RS256"]
    algorithms = [name for name in _ALGORITHMS if name in offered]  # never none, nor one with the client's secret
    text = str(tokens.get("id_token") or "")
    try:
        return jwt.decode(text, KeySet.import_key_set(dict(provider.keys)), algorithms=algorithms)  # type: ignore[arg-type]  # JSON of the provider
    except (JoseError, ValueError):
        anew = find_provider(settings.issuer, fresh=True)
        return jwt.decode(text, KeySet.import_key_set(dict(anew.keys)), algorithms=algorithms)  # type: ignore[arg-type]  # likewise


def _read_identity(
    settings: SignInSettings, provider: Provider, claims: Mapping[str, Any], tokens: Mapping[str, Any]
) -> Identity:
    """Take name and groups from the token, or from the provider's endpoint of user data if one is missing."""
    known = dict(claims)
    lacking = settings.name_claim not in known or (settings.roles and settings.groups_claim not in known)
    if lacking and provider.description.get("userinfo_endpoint"):
        more = _read_json(provider.issuer, provider.endpoint("userinfo_endpoint"), str(tokens.get("access_token")))
        if more.get("sub") != known["sub"]:
            raise Forbidden("provider.token", reason="sub")
        known = more | known
    named = (known.get(claim) for claim in (settings.name_claim, "preferred_username", "name", "email", "sub"))
    name = next(value for value in named if isinstance(value, str) and value.strip())
    groups = known.get(settings.groups_claim) or []
    groups = groups if isinstance(groups, list) else [groups]
    return Identity(
        subject=f"{provider.issuer} {known['sub']}",
        name=name,
        groups=tuple(str(group) for group in groups[:_MAX_GROUPS]),
    )


def _read_json(issuer: str, address: str, token: str | None = None) -> dict[str, Any]:
    """Read an object of JSON, bounded in time and size. Raises `Unavailable`."""
    import httpx

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    body = bytearray()
    try:
        with httpx.stream("GET", address, headers=headers, timeout=_TIMEOUT_SECONDS) as answer:
            answer.raise_for_status()
            for part in answer.iter_bytes():
                body += part
                if len(body) > _MAX_ANSWER_BYTES:
                    raise Unavailable("provider.no_answer", issuer=issuer, error=f"> {_MAX_ANSWER_BYTES} bytes")
        found = json.loads(body)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        what = str(error.response.status_code) if isinstance(error, httpx.HTTPStatusError) else type(error).__name__
        raise Unavailable("provider.no_answer", issuer=issuer, error=what) from None
    if not isinstance(found, dict):
        raise Unavailable("provider.no_answer", issuer=issuer, error="JSON")
    return found


def _is_safe(address: str) -> bool:
    """Return whether an endpoint is encrypted, or at loopback."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS)


def _shorten(said: object) -> str:
    return " ".join(str(said).split())[:200]
