"""Ways through the console that people take, each with the mouse, without JavaScript or by keys alone."""
import re
import urllib.parse

from harness import Simulator, World
from test_server import MONTHLY, Program, Shop, sign_in, with_shop


def by_keys(page, locator):
    """Follows a link or presses a button as somebody without a mouse: Tab until it has the focus, and Enter."""
    page.wait_for_load_state()
    for _ in range(150):
        if locator.evaluate("element => element === document.activeElement"):
            break
        page.keyboard.press("Tab")
    else:
        raise AssertionError(f"Tab does not reach {locator}")
    page.keyboard.press("Enter")


def by_click(page, locator):
    locator.click()


WAYS = [("with the mouse", True, by_click), ("without a script", False, by_click), ("by keys", True, by_keys)]


@with_shop
def test_signing_in_with_a_key_and_with_a_link(world: World, shop: Shop):
    for name, script, press in WAYS:
        with world.page(script=script) as page:
            page.goto(shop.base + "/console/webhooks")
            page.get_by_label("API key").fill("cfk_wrong")
            press(page, page.get_by_role("button", name="Sign in"))
            page.get_by_text("The key is not known").or_(page.locator("[role=alert], .error").first).first.wait_for()
            world.expect("/console/sign-in" in page.url, f"{name}: a wrong key led to {page.url}")
            if script:
                world.check(page, "a key that is not known")
            page.get_by_label("API key").fill(shop.key)
            press(page, page.get_by_role("button", name="Sign in"))
            page.get_by_role("button", name="Sign out").wait_for()
            press(page, page.get_by_role("button", name="Sign out"))
            page.get_by_label("API key").wait_for()
            page.goto(shop.base + "/console/customers")
            world.expect("/console/sign-in" in page.url, f"{name}: signed out, and still sees {page.url}")
        with world.page(script=script) as page:
            link = shop.link()
            page.goto(link)
            press(page, page.get_by_role("button", name="Sign in"))
            page.get_by_role("button", name="Sign out").wait_for()
        with world.page(script=script) as page:
            page.goto(link)
            world.expect("used" in page.inner_text("main"), f"{name}: nothing says that the link was used")
            page.goto(shop.base + "/console/customers")
            world.expect("/console/sign-in" in page.url, f"{name}: a link signs in twice")


@with_shop
def test_from_an_order_to_the_reason_for_no_access(world: World, shop: Shop):
    bought = shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.simulator.do("cancel", customer="anna")
    shop.simulator.call("POST", "/clock/advance", {"by": "40 days"})
    shop.wait(lambda: len(shop.api("/v1/notifications")["items"]) >= 2)
    cookies = sign_in(world, shop)
    for name, script, press in WAYS:
        with world.page(script=script) as page:
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console/customers")
            page.get_by_role("searchbox").or_(page.locator("input[name=q]")).first.fill(bought["orderId"])
            page.keyboard.press("Enter")
            press(page, page.get_by_role("link", name=re.compile("Ask the App Store for the order")))
            press(page, page.get_by_role("button", name="Ask the App Store"))
            press(page, page.locator("main").get_by_role("link", name=bought["appAccountToken"]).first)
            page.wait_for_url("**/console/customers/**")
            press(page, page.get_by_role("link", name="explain premium"))
            page.wait_for_url("**/explain/**")
            text = page.inner_text("main")
            world.expect("no access" in text.lower() or "expired" in text.lower(), f"{name}: no reason in {text[:300]}")


@with_shop
def test_an_outage_and_its_recovery(world: World, shop: Shop):
    shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.wait(lambda: shop.api("/v1/notifications")["items"])
    # The server is away, and nothing of this is ever sent again.
    shop.server.stop()
    shop.simulator.call("POST", "/faults", {"target": "notification:*", "effect": {"drop": {}}})
    shop.simulator.do("cancel", customer="anna")
    shop.simulator.call("POST", "/clock/advance", {"by": "1 day"})
    for fault in shop.simulator.call("GET", "/faults")["items"]:
        shop.simulator.call("DELETE", f"/faults/{fault['number']}")
    shop.server = Program("serve", "--config", str(shop.config), "--port", str(shop.port), "--json")
    cookies = sign_in(world, shop)
    for name, script in (("live", True), ("without a script", False)):
        with world.page(script=script) as page:
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console/completeness")
            if script:
                page.locator("main").get_by_text("complete", exact=True).first.wait_for(timeout=30_000)
            else:
                world.expect("complete" in page.inner_text("main"), "completeness is not shown")
            page.goto(shop.base + "/console/notifications")
            world.expect(
                "DID_CHANGE_RENEWAL_STATUS" in page.inner_text("main"), f"{name}: what was missed is not among the notifications")


@with_shop
def test_a_forged_text_is_told_from_a_genuine_one(world: World, shop: Shop):
    bought = shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    device = shop.simulator.call("GET", "/production/customers/anna/devices/phone")
    genuine = device["all"][0]["signedTransactionInfo"]
    head, body, signature = genuine.split(".")
    forged = ".".join([head, body[:-6] + ("A" if body[-6] != "A" else "B") + body[-5:], signature])
    cookies = sign_in(world, shop)
    for name, script, press in WAYS:
        with world.page(script=script) as page:
            page.context.add_cookies(cookies)
            for text, verdict in ((genuine, "proven"), (forged, "not proven")):
                page.goto(shop.base + "/console/decode")
                page.get_by_label("Text").first.fill(text)
                press(page, page.get_by_role("button", name="Decode"))
                page.locator("main .tag").first.wait_for()
                world.expect(
                    page.locator("main .tag").first.inner_text().strip() == verdict, f"{name}: no {verdict} of the text")
            page.goto(shop.base + "/console/decode")
            page.get_by_label("Text").first.fill(genuine)
            press(page, page.get_by_role("button", name="Decode"))
            page.locator("main .tag").first.wait_for()
            world.expect(bought["transactionId"] in page.inner_text("main"), f"{name}: the transaction is not read")


@with_shop
def test_the_audit_log_is_opened_as_a_table(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    with world.page() as page:
        page.context.add_cookies(cookies)
        page.goto(shop.base + "/console/operations/audit")
        with page.expect_download() as download:
            page.get_by_role("link", name=re.compile("CSV")).click()
        lines = open(download.value.path(), encoding="utf-8").read().splitlines()
        world.expect(len(lines) >= 2 and "," in lines[0], f"the table is {lines[:2]}")
        world.expect(all(not re.match(r"[=+@\t-]", cell) for line in lines for cell in line.split(",")), "a cell is a formula")


def test_two_environments_are_apart(world: World):
    simulator = Simulator()
    try:
        simulator.do("purchase", environment="sandbox", customer="zoe", product=MONTHLY)
        with world.page() as page:
            page.goto(simulator.base)
            world.expect("zoe" not in page.inner_text("main"), "production shows who bought in the sandbox")
            page.get_by_role("link", name="Sandbox").click()
            page.wait_for_url("**sandbox**")
            world.expect("zoe" in page.inner_text("main"), "the sandbox does not show who bought there")
            world.expect(urllib.parse.urlparse(page.url).query.count("environment=") == 1, f"the address is {page.url}")
    finally:
        simulator.stop()


def test_a_year_in_the_simulator(world: World):
    for name, script, press in WAYS:
        simulator = Simulator()
        try:
            simulator.do("purchase", customer="anna", product=MONTHLY)
            with world.page(script=script) as page:
                for _ in range(12):
                    # While the clock goes forward there is nothing to press but Stop.
                    for _ in range(100):
                        page.goto(simulator.base)
                        if page.get_by_role("button", name="Month").count():
                            break
                    press(page, page.get_by_role("button", name="Month"))
                    page.wait_for_load_state()
                for _ in range(100):
                    page.goto(simulator.base + "/customers/anna")
                    if page.get_by_role("button", name="Month").count():
                        break
                bars = page.locator("svg .paid").count()
                world.expect(bars >= 11, f"{name}: a year of months shows {bars} bars")
        finally:
            simulator.stop()


@with_shop
def test_what_waits_is_discarded_only_by_who_types_the_name(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    shop.receiver.status = 500
    shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.wait(lambda: shop.api("/v1/webhooks/backend/deliveries?state=pending")["items"])
    for number, (name, script, press) in enumerate(WAYS):
        with world.page(script=script) as page:
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console/webhooks/backend")
            press(page, page.get_by_role("button", name="Discard what waits…"))
            page.get_by_label(re.compile("to confirm")).fill("somebody else")
            press(page, page.get_by_role("button", name="Discard what waits"))
            page.get_by_text("What you typed is not the name").wait_for()
            world.expect(page.title().startswith("Error: "), f"{name}: the title is {page.title()}")
            if script:
                world.check(page, "a word that was typed wrong")
            waiting = shop.api("/v1/webhooks/backend/deliveries?state=pending")["items"]
            world.expect(bool(waiting) == (number == 0), f"{name}: {len(waiting)} wait")
            page.get_by_label(re.compile("to confirm")).fill("backend")
            press(page, page.get_by_role("button", name="Discard what waits"))
            page.get_by_text("Done").first.wait_for()
        world.expect(
            shop.wait(lambda: not shop.api("/v1/webhooks/backend/deliveries?state=pending")["items"]),
            f"{name}: what waits is not discarded")
