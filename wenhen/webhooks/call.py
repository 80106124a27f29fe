"""Send one signed call to a webhook, inside a bounded child process."""

import hmac
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from crawler.private_addresses import PrivateAddress, resolve_public_host
from wenhen.kit.errors import Message, failure, message, plain_message

if TYPE_CHECKING:
    import httpx

MAX_ANSWER_BYTES: Final = 200  # bytes of an error response that are kept
_TIMEOUT_SECONDS: Final = 10.0  # seconds for each phase of the call


@dataclass(frozen=True, slots=True)
class WebhookCall:
    """A call to a webhook. timestamp: seconds since 1970. private: the host may be in a private network."""

    url: str
    secret: str
    event: str
    delivery: str
    body: str
    timestamp: int
    private: bool


def sign_body(secret: str, timestamp: int, body: str) -> str:
    """Sign the time and the body with HMAC-SHA256, so that receivers can refuse old or forged calls."""
    return "sha256=" + hmac.new(secret.encode(), f"{timestamp}.{body}".encode(), sha256).hexdigest()


def post_call(call: WebhookCall) -> tuple[int | None, Message | None]:
    """Send the call. Return the status and the problem; the problem is None if the call was accepted."""
    import httpx  # slow to import, so only the calling child does it

    url = httpx.URL(call.url)
    try:
        # Connect to the address that was checked, because the name could resolve differently afterwards.
        address = url.host if call.private else resolve_public_host(url.host)
        # Proxies of the environment and redirects could reach private addresses.
        with httpx.Client(timeout=_TIMEOUT_SECONDS, trust_env=False, follow_redirects=False) as client:
            request = client.build_request(
                "POST",
                url.copy_with(host=address),
                content=call.body.encode(),
                headers=_call_headers(call, url),
                extensions={"sni_hostname": url.host},
            )
            answer = client.send(request, stream=True)
            # Read raw bytes: a few compressed bytes may unpack to gigabytes. No more is read.
            answer_start = b"" if answer.is_success else next(answer.iter_raw(MAX_ANSWER_BYTES), b"")
            answer.close()
    except (httpx.HTTPError, httpx.InvalidURL, PrivateAddress, OSError) as error:
        return None, failure(error, MAX_ANSWER_BYTES)
    if answer.is_success:
        return answer.status_code, None
    text = "".join(letter if letter.isprintable() else " " for letter in answer_start.decode("utf-8", "replace"))
    words = plain_message(" ".join(text.split()))
    return answer.status_code, message("webhooks.answered", status=answer.status_code, said=words)


def _call_headers(call: WebhookCall, url: "httpx.URL") -> dict[str, str]:
    return {
        "Host": url.netloc.decode(),
        "Accept-Encoding": "identity",
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": f"wenhen/{version('wenhen')}",
        "X-Wenhen-Event": call.event,
        "X-Wenhen-Delivery": call.delivery,
        "X-Wenhen-Timestamp": str(call.timestamp),
        "X-Wenhen-Signature": sign_body(call.secret, call.timestamp, call.body),
    }
