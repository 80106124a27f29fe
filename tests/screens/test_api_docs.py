"""The API's description is shown by a library of ours alone, with a token for whoever wants to try it out."""

from tests.support.people import add_user, signed_in
from tests.support.screens import MakeApp, token_in
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import Role


def test_a_reader_gets_the_library_from_us_and_a_token_that_ends_tomorrow(make_app: MakeApp, store: Store) -> None:
    add_user(store, "沈", Role.LAWYER)
    client = signed_in(make_app(sign_in=True), "沈")
    page = client.get("/account/api/")
    assert "img-src 'self' data:" in page.headers["Content-Security-Policy"]
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    address = page.text.split('<script src="/assets/')[1].split('"')[0]
    script = client.get(f"/assets/{address}")
    assert (script.status_code, script.mimetype) == (200, "text/javascript")
    assert "no-store" not in script.headers["Cache-Control"]
    assert client.get("/assets/other.js").status_code == 404
    page = client.post("/account/api/", data={"csrf_token": token_in(page.text), "scopes": "read"})
    text = page.text.split('data-token="')[1].split('"')[0]
    answer = client.get("/api/v1/works", headers={"Authorization": f"Bearer {text}"})
    assert answer.status_code == 200
    [made] = store.tokens.all()
    assert made.scopes == ("read",)
    assert made.expires_at
