"""Settings of the dashboard (`dashboard.*`) and of sign-in by a provider or proxy (`signin.*`)."""

from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from wenhen.kit.rights import Role
from wenhen.settings import Section

TrustedNetwork = Annotated[str, AfterValidator(lambda value: str(ip_network(value, strict=False)))]
GroupRole = Annotated[str, Field(pattern=rf"^.+=({'|'.join(Role)})$")]


class OutwardSettings(Section):
    """Outgoing connections, and the users who need a second factor."""

    private_webhooks: bool = Field(False, description="Let webhooks be at private addresses.")
    address: str = Field(
        "",
        description="Address at which people open the dashboard: https://wenhen.example/; mails link to it.",
        pattern=r"^(https?://[^\s?#]+)?$",
    )
    second_factor_for: tuple[Role, ...] = Field(
        (), description="Roles that need a second factor: who has none sets one up before anything else."
    )


class DashboardSettings(OutwardSettings):
    """The web server for operators."""

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8321, description="Port to listen on; 0 takes a free one.", ge=0, le=65535)
    sign_in: bool = Field(
        True, description="Ask people to sign in; only a dashboard that listens on loopback can do without."
    )
    password: SecretStr | None = Field(
        None, description="Password of the first administrator, admin, who is made where there is no user yet."
    )
    idle_minutes: int = Field(240, description="Minutes without a request after which a session ends.", ge=1)
    session_hours: int = Field(12, description="Hours after which a session ends, whatever happens.", ge=1)
    proxies: int = Field(
        0, description="Reverse proxies in front, each of which adds to X-Forwarded-For, -Proto and -Host.", ge=0, le=9
    )
    api_per_minute: int = Field(600, description="Requests a minute that one token of the API may make.", ge=1)
    secret_key: SecretStr | None = Field(
        None,
        description="Key that signs cookies and seals what has to be read again (second factors, sessions and proxies "
        "of sites, secrets of webhooks), the same for every process; without one it is made and lies in the data "
        "folder, in secret.key.",
    )
    former_keys: SecretStr | None = Field(
        None, description="Keys of before, parted by spaces: what they sealed is sealed anew when the dashboard starts."
    )


class SignInSettings(Section):
    """Sign-in by a provider of OpenID Connect, or by the header of a proxy, beside the accounts here."""

    issuer: str = Field("", description="Issuer of the OpenID Connect provider.", pattern=r"^(https?://[^\s?#]+)?$")
    client: str = Field("", description="Client id at the provider.")
    secret: SecretStr | None = Field(None, description="Client secret; a public client has none.")
    label: str = Field("", description="Name of the provider on the button of the sign-in.", max_length=60)
    scopes: list[str] = Field(["profile", "email"], description="Scopes that are asked for beside openid.")
    name_claim: str = Field("preferred_username", description="Claim with the user's name.", min_length=1)
    groups_claim: str = Field("groups", description="Claim with the user's groups.", min_length=1)
    header: str = Field("", description="Header in which a proxy names the user.", pattern=r"^[A-Za-z0-9-]*$")
    groups_header: str = Field("", description="Header with the groups, parted by commas.", pattern=r"^[A-Za-z0-9-]*$")
    trusted: list[TrustedNetwork] = Field([], description="Addresses or networks of the proxies to be believed.")
    roles: list[GroupRole] = Field([], description="Roles by group: group=role; the first that applies.")
    newcomers: Literal["create", "refuse"] = Field("create", description="What happens to people without an account.")
    adopt: bool = Field(False, description="Connect people with the account here that has their name.")
    second_factor: bool = Field(False, description="The provider asks for a second factor, so nobody else does.")
    sign_out: str = Field("", description="Where the proxy signs people out.", pattern=r"^(https?://\S+|/\S*)?$")
