"""Accessibility of pages that are reached by forms, with a key of few scopes, or after an error."""
import contextlib
import pathlib
import re
import sqlite3
import time

from harness import FEW_VIEWS, Simulator, World, with_simulator
from shop import MONTHLY, Shop, sign_in, with_shop

# Sample values for empty fields.
SAMPLES = {"from": "2026-12-31", "to": "2027-03-01", "reason": "A mistake", "entitlement": "premium", "until": "2027-12-31",
           "transaction": "2000000000000001", "product": MONTHLY, "offer": "save20", "code": "bad_json"}


def confirm(button: str):
    """Returns a function that presses a form's button and waits for the confirmation page."""
    def prepare(page):
        form = page.locator("main form[action*='/console/confirm']").filter(has=page.get_by_role("button", name=button, exact=True)).first
        for field in form.locator("input:not([type=hidden])").all():
            if not field.input_value():
                field.fill(SAMPLES.get(field.get_attribute("name"), ""))
        form.get_by_role("button", name=button, exact=True).click()
        page.wait_for_url("**/console/confirm")
    return prepare


def buttons(world: World, url: str, cookies) -> list[str]:
    """Returns the buttons of all forms of a page that ask for a confirmation."""
    with world.page() as page:
        page.context.add_cookies(cookies)
        page.goto(url)
        return page.locator("main form[action*='/console/confirm'] button").all_inner_texts()


@with_shop
def test_confirmation_pages_of_the_server(world: World, shop: Shop):
    shop.populate()
    cookies = sign_in(world, shop)
    token = shop.simulator.call("GET", "/production/customers/anna")["appAccountToken"]
    # A grant that can be revoked.
    shop.api(f"/v1/customers/{token}/grants", {"entitlement": "premium", "reason": "a gift", "actor": "tests"})
    notification = shop.api("/v1/notifications")["items"][0]["uuid"]
    delivery = shop.api("/v1/webhooks/backend/deliveries")["items"][0]["id"]
    asked = set()
    for path in (f"customers/{token}", "webhooks/backend", f"webhooks/backend/deliveries/{delivery}",
                 f"notifications/{notification}", "completeness", "orders/MJ1", "operations"):
        for button in buttons(world, f"{shop.base}/console/{path}", cookies):
            if button not in asked:
                asked.add(button)
                name = re.sub(r"\W+", "-", button).strip("-").lower()
                world.inspect(f"{shop.base}/console/{path}", f"server-question-{name}", cookies, prepare=confirm(button),
                           views=FEW_VIEWS if len(asked) < 4 else FEW_VIEWS[:1])
    world.expect(len(asked) >= 15, f"only these questions were found: {sorted(asked)}")


@with_shop
def test_pages_behind_forms_and_links(world: World, shop: Shop):
    shop.populate()
    cookies = sign_in(world, shop)
    bought = shop.simulator.do("purchase", customer="kim", product=MONTHLY)
    signed = shop.simulator.call("GET", "/production/customers/kim/devices/phone")["all"][0]["signedTransactionInfo"]
    # The server reads the notification history at start.
    recovery = shop.wait(lambda: shop.api("/v1/recoveries")["items"])[0]["id"]
    shop.wait(lambda: shop.api(f"/v1/customers/{bought['appAccountToken']}")["subscriptions"])

    def decode(text):
        def prepare(page):
            page.get_by_label("Text").first.fill(text)
            page.get_by_role("button", name="Decode").click()
            page.locator("main .tag").first.wait_for()
        return prepare

    def order(page):
        confirm("Ask the App Store for the order…")(page)
        page.get_by_role("button", name="Ask the App Store").click()
        page.get_by_role("heading", name=re.compile("^Transaction ")).first.wait_for()

    def wrong_key(page):
        page.get_by_label("API key").fill("cfk_wrong")
        page.get_by_role("button", name="Sign in").click()
        page.locator("main .problem").wait_for()

    def no_days(page):
        page.get_by_label("Days (1 to 90)").fill("500")
        page.get_by_role("button", name="Extend the subscription…").click()
        page.get_by_role("button", name="Extend the subscription").click()
        page.locator("main .problem").wait_for()

    base = shop.base + "/console"
    world.inspect(f"{base}/orders/{bought['orderId']}", "server-order", cookies, views=FEW_VIEWS)
    world.inspect(f"{base}/orders/{bought['orderId']}", "server-order-answer", cookies, prepare=order, views=FEW_VIEWS)
    world.inspect(f"{base}/recoveries/{recovery}", "server-recovery", cookies)
    world.inspect(f"{base}/customers/{bought['appAccountToken']}", "server-claims", cookies, views=FEW_VIEWS)
    world.inspect(f"{base}/transactions/{bought['transactionId']}", "server-transaction-claimed", cookies, views=FEW_VIEWS)
    world.inspect(f"{base}/operations/configuration", "server-configuration", cookies, views=FEW_VIEWS)
    world.inspect(f"{base}/decode", "server-decode-proven", cookies, prepare=decode(signed), views=FEW_VIEWS)
    world.inspect(f"{base}/decode", "server-decode-not-proven", cookies, prepare=decode(signed[:-8] + "AAAAAAAA"))
    world.inspect(f"{base}/customers/{bought['appAccountToken']}", "server-refused-form", cookies, prepare=no_days, views=FEW_VIEWS)
    world.inspect(f"{base}/sign-in", "server-sign-in-error", prepare=wrong_key)
    world.inspect(shop.link(), "server-sign-in-link", views=FEW_VIEWS)
    world.inspect(f"{base}/sign-in?link=1.x.y.z", "server-sign-in-link-used", views=FEW_VIEWS)


@with_shop
def test_pages_follow_the_font_size_of_the_browser(world: World, shop: Shop):
    shop.populate()
    cookies = sign_in(world, shop)
    token = shop.simulator.call("GET", "/production/customers/anna")["appAccountToken"]
    urls = [f"{shop.base}/console/{path}" for path in ("", "customers", f"customers/{token}", "notifications", "webhooks")]
    urls += [f"{shop.simulator.base}/{path}" for path in ("", "customers/anna", "notifications", "faults")]
    for width in (1280, 390):
        with world.page(width=width) as page:
            page.context.add_cookies(cookies)
            page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
            for url in urls:
                page.goto(url)
                size = page.evaluate("() => getComputedStyle(document.body).fontSize")
                world.expect(size == "32px", f"{url}: the text has the size {size}")
                world.check_width(page, f"{url} at {width} with large text")


@with_shop(keys={"viewer": ["console:open", "operations:read"], "nothing": ["console:open"]})
def test_a_key_with_few_scopes_gets_an_explanation(world: World, shop: Shop):
    shop.populate()
    for key, paths in (("viewer", {"customers/anna": 403, "decode": 200, "operations/audit": 403, "webhooks": 403}),
                       ("nothing", {"": 200, "customers": 200, "notifications": 403, "completeness": 403, "operations": 403})):
        cookies = sign_in(world, shop, key)
        for path, status in paths.items():
            name = f"server-{key}-{path.replace('/', '-') or 'overview'}"
            world.inspect(f"{shop.base}/console/{path}", name, cookies, status=status, views=FEW_VIEWS)
            with world.page() as page:
                page.context.add_cookies(cookies)
                page.goto(f"{shop.base}/console/{path}")
                if status == 403:
                    world.expect(re.search(r"\w+:\w+", page.inner_text("main")), f"{name}: the scope is not named")
                    world.expect(page.get_by_role("button", name="Live").count() == 0, f"{name}: follows what it may not show")
                world.expect(page.locator("main form[action*='/console/confirm']").count() == 0, f"{name}: a form that may not be sent")


@with_shop(read_only=True)
def test_a_read_only_console_changes_nothing(world: World, shop: Shop):
    shop.populate()
    cookies = sign_in(world, shop)
    token = shop.simulator.call("GET", "/production/customers/anna")["appAccountToken"]
    for path in ("", "webhooks/backend", f"customers/{token}", "completeness"):
        name = f"server-read-only-{path.split('/')[0] or 'overview'}"
        world.inspect(f"{shop.base}/console/{path}", name, cookies, views=FEW_VIEWS)
        with world.page() as page:
            page.context.add_cookies(cookies)
            page.goto(f"{shop.base}/console/{path}")
            world.expect("Read-only" in page.locator("main .note").first.inner_text(), f"{name}: nothing says that it is read-only")
            world.expect(page.locator("main form[action*='/console/confirm']").count() == 0, f"{name}: there is a form that changes something")
            for route in ("confirm", "do"):
                answer = page.request.post(f"{shop.base}/console/{route}", form={"action": "webhook-off", "name": "backend"},
                                           headers={"Origin": shop.base})
                world.expect(answer.status == 403 and "read-only" in answer.text(), f"{route}: {answer.status}")
    world.expect(shop.api("/v1/webhooks/backend")["enabled"], "the endpoint is off")


@with_shop(extra="log:\n  level: critical\n")
def test_a_failing_ledger_and_an_ended_session_are_reported(world: World, shop: Shop):
    cookies = sign_in(world, shop)

    def ended(page):
        page.get_by_role("button", name="Live").wait_for()
        page.request.post(shop.base + "/console/sign-out", headers={"Origin": shop.base})
        # The page requests an update when it becomes visible again.
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.get_by_text("The session has ended.").wait_for()
        page.get_by_role("link", name="Sign in").wait_for()

    # Sign in each time, because the test ends the session.
    def sign_in_again(page):
        page.context.add_cookies(sign_in(world, shop))
        page.goto(shop.base + "/console/notifications")
        ended(page)

    world.inspect(shop.base + "/console/sign-in", "server-session-ended", prepare=sign_in_again, views=FEW_VIEWS)
    ledger = pathlib.Path(shop.config.parent, "counterfoil.sqlite")
    world.expect(ledger.stat().st_size > 0, f"there is no ledger at {ledger}")
    # After a commit the readers must read the file again. They notice the commit within a second.
    with contextlib.closing(sqlite3.connect(ledger)) as other:
        other.execute("CREATE TABLE of_a_test (number)")
        other.commit()
    for file in ledger.parent.glob(ledger.name + "*"):
        if not file.name.endswith("-shm"):
            file.write_bytes(b"\xff" * file.stat().st_size)
    time.sleep(1.5)
    for path in ("customers/anna", "notifications", "completeness", "webhooks"):
        with world.page() as page:
            page.context.add_cookies(cookies)
            status = page.goto(f"{shop.base}/console/{path}").status
            world.expect(status in (500, 503), f"{path} with a ledger that is broken: {status}")
            world.expect(page.title().startswith("Error: "), f"{path}: the title is {page.title()}")
            world.expect(re.search(r"Code \w+, request \w+", page.inner_text("main")), f"{path}: no code and request")
            world.expect(page.locator("nav.pages a").count() == 8, f"{path}: the frame is gone")
            world.check(page, f"{path} with a ledger that is broken")


@with_simulator
def test_confirmations_and_errors_of_the_simulator(world: World, simulator: Simulator):
    simulator.do("purchase", customer="anna", product=MONTHLY)
    simulator.call("POST", "/snapshots", {"name": "before"})

    def press(form, **fields):
        def prepare(page):
            page.evaluate("document.querySelectorAll('main details').forEach(d => { d.open = true })")
            for label, text in fields.items():
                page.locator(f"#{form}").locator(f"[name={label}]").fill(text)
            page.locator(f"#{form} button").last.click()
            page.wait_for_load_state()
        return prepare

    def wrong_word(page):
        press("form-reset")(page)
        page.get_by_label(re.compile("to confirm")).fill("something else")
        page.get_by_role("button", name="Reset").click()
        page.locator("main .problem").wait_for()

    def shown(what, then):
        def prepare(page):
            then(page)
            page.locator(what).first.wait_for()
        return prepare

    base = simulator.base
    problem = "main .problem"
    world.inspect(f"{base}/snapshots", "simulator-question-reset", prepare=press("form-reset"), views=FEW_VIEWS)
    world.inspect(f"{base}/snapshots", "simulator-question-restore", prepare=press("form-restore-0"), views=FEW_VIEWS)
    world.inspect(f"{base}/snapshots", "simulator-wrong-word", prepare=wrong_word, views=FEW_VIEWS)
    world.inspect(f"{base}/faults", "simulator-wrong-fault", views=FEW_VIEWS, prepare=shown(problem, press("form-custom", probability="7")))
    world.inspect(f"{base}/snapshots", "simulator-wrong-snapshot", views=FEW_VIEWS,
                  prepare=shown("[name=name][aria-invalid]", press("form-save", name="a b")))
    world.inspect(f"{base}/catalogue", "simulator-wrong-catalogue", views=FEW_VIEWS, prepare=shown(problem, press("form-catalogue", json="{")))
    world.inspect(f"{base}/trigger", "simulator-wrong-trigger", views=FEW_VIEWS, prepare=shown(problem, press("form-trigger", override="x")))
    world.inspect(f"{base}/scenarios", "simulator-report", prepare=press("form-run-upgrade"))
    with world.page() as page:
        answer = page.request.get(f"{base}/nothing", headers={"Accept": "text/html"})
        world.expect(answer.status == 404 and "<h1" in answer.text(), f"a path that leads nowhere has no page: {answer.status}, {answer.text()[:60]!r}")
    world.expect(simulator.call("GET", "/production/customers")["items"], "a question that nobody answered forgot the customers")
