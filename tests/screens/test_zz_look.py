from playwright.sync_api import sync_playwright
from tests.support.seed import *
from tests.support.people import add_user
from tests.support.served import dashboard_over
from tests.support.windows import violations
from store.ports import Store

def test_look(store: Store, redis_url: str):
    seed = Seeder(store); seed.library(); long_case(seed)
    add_user(store, "local"); store.cases.ask([1,2], "local", at=NOW)
    with product_over(store, redis_url) as product, dashboard_over(product) as address, sync_playwright() as p:
        b = p.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox","--disable-gpu"])
        for name, (w,h), lang, scheme in [("wide",(1440,900),"zh","light"),("narrow",(390,844),"en","dark")]:
            c = b.new_context(base_url=address, viewport={"width":w,"height":h}, color_scheme=scheme)
            page = c.new_page()
            page.goto(f"/check/fingerprints/?lang={lang}")
            page.locator("textarea").nth(0).fill(OPENING+MIDDLE+CLOSING); page.locator("textarea").nth(1).fill(OPENING+"另写一段"+CLOSING)
            page.locator("button.main").click(); page.wait_for_load_state()
            print(name, violations(page), page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
            page.screenshot(path=f"/tmp/screens-fp-{name}.png", full_page=True)
            page.goto("/cases/5?status=lead"); page.wait_for_timeout(600)
            page.screenshot(path=f"/tmp/screens-case-{name}.png", full_page=True)
            page.goto("/"); page.screenshot(path=f"/tmp/screens-over-{name}.png")
            print(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
        b.close()
