"""Ways through the console that people take, each with the mouse, without JavaScript or by keys alone."""
import re
import urllib.parse

from harness import WAYS, Program, Simulator, World
from shop import MONTHLY, Shop, sign_in, with_shop


@with_shop
def test_signing_in_with_a_key_and_with_a_link(world: World, shop: Shop):
    for way in WAYS:
        with world.page(script=way.script) as page:
            page.goto(shop.base + "/console/webhooks")
            way.fill(page.get_by_label("API key"), "cfk_wrong")
            way.press(page.get_by_role("button", name="Sign in"))
            page.get_by_text("The key is not known").or_(page.locator("[role=alert], .error").first).first.wait_for()
            world.expect("/console/sign-in" in page.url, f"{way.name}: a wrong key led to {page.url}")
            if way.script:
                world.check(page, "a key that is not known")
            way.fill(page.get_by_label("API key"), shop.key)
            way.press(page.get_by_role("button", name="Sign in"))
            page.get_by_role("button", name="Sign out").wait_for()
            way.press(page.get_by_role("button", name="Sign out"))
            page.get_by_label("API key").wait_for()
            page.goto(shop.base + "/console/customers")
            world.expect("/console/sign-in" in page.url, f"{way.name}: signed out, and still sees {page.url}")
        with world.page(script=way.script) as page:
            link = shop.link()
            page.goto(link)
            way.press(page.get_by_role("button", name="Sign in"))
            page.get_by_role("button", name="Sign out").wait_for()
        with world.page(script=way.script) as page:
            page.goto(link)
            world.expect("used" in page.inner_text("main"), f"{way.name}: nothing says that the link was used")
            page.goto(shop.base + "/console/customers")
            world.expect("/console/sign-in" in page.url, f"{way.name}: a link signs in twice")


@with_shop
def test_from_an_order_to_the_reason_for_no_access(world: World, shop: Shop):
    bought = shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.simulator.do("cancel", customer="anna")
    shop.simulator.call("POST", "/clock/advance", {"by": "40 days"})
    shop.need(lambda: len(shop.api("/v1/notifications")["items"]) >= 2)
    cookies = sign_in(world, shop)
    for way in WAYS:
        with world.page(script=way.script) as page:
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console/customers")
            way.fill(page.get_by_role("searchbox").or_(page.locator("input[name=q]")).first, bought["orderId"])
            page.keyboard.press("Enter")
            way.press(page.get_by_role("link", name=re.compile("Ask the App Store for the order")))
            way.press(page.get_by_role("button", name="Ask the App Store"))
            way.press(page.get_by_role("button", name="Ask the App Store"))
            way.press(page.locator("main").get_by_role("link", name=bought["appAccountToken"]).first)
            page.wait_for_url("**/console/customers/**")
            way.press(page.get_by_role("link", name="explain premium"))
            page.wait_for_url("**/explain/**")
            text = page.inner_text("main")
            world.expect("no access" in text.lower() or "expired" in text.lower(), f"{way.name}: no reason in {text[:300]}")


@with_shop
def test_an_outage_and_its_recovery(world: World, shop: Shop):
    shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.need(lambda: shop.api("/v1/notifications")["items"])
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
def test_an_outage_and_its_recovery_are_watched(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    # The one with which the server starts.
    shop.need(lambda: (items := shop.api("/v1/recoveries")["items"]) and all(i["state"] == "done" for i in items))

    def see(page, locator, way):
        """Waits until a page that is left open shows something; without a script it is loaded again until it does."""
        if way.script:
            return locator.first.wait_for(timeout=30_000)
        shop.wait(lambda: page.reload() and locator.count(), 30)
        world.expect(locator.count(), f"{way.name}: {page.url} does not show {locator}")

    for number, (customer, way) in enumerate(zip(("anna", "ben", "kim"), WAYS)):
        with world.page(script=way.script) as watch, world.page(script=way.script) as inbox, world.page(script=way.script) as page:
            loads = []
            for each, path in ((watch, "completeness"), (inbox, "notifications"), (page, "completeness")):
                each.context.add_cookies(cookies)
                each.goto(f"{shop.base}/console/{path}")
            for each in (watch, inbox):
                each.on("framenavigated", lambda frame: loads.append(frame.url))
            known = len(shop.api("/v1/recoveries")["items"])
            # The App Store sends nothing and answers nothing.
            for target, effect in (("notification:*", {"drop": {}}), ("route:*", {"status": {"code": 503}})):
                shop.simulator.call("POST", "/faults", {"target": target, "effect": effect})
            shop.simulator.do("purchase", customer=customer, product=MONTHLY)
            way.fill(page.get_by_label("From, such as 2026-05-03"), "2026-12-31")
            way.fill(page.get_by_label("to", exact=True), "2027-01-02")
            way.press(page.get_by_role("button", name="Read a part of the history again…"))
            way.press(page.get_by_role("button", name="Read a part of the history again"))
            page.get_by_text("Done").first.wait_for()
            see(watch, watch.locator("h2", has_text="Under way"), way)
            world.expect(inbox.locator("main tbody tr").count() == number, f"{way.name}: something arrived in the outage")
            shop.simulator.call("DELETE", "/faults")
            world.expect(
                shop.wait(lambda: len(items := shop.api("/v1/recoveries")["items"]) > known and all(i["state"] == "done" for i in items), 60),
                f"{way.name}: the recovery is not over")
            if way.script:
                watch.locator("h2", has_text="Under way").wait_for(state="detached", timeout=30_000)
                show = inbox.get_by_role("button", name="1 new: show")
                show.wait_for(timeout=30_000)
                if way.keys:
                    way.reach(show)
                    inbox.keyboard.press("Enter")
                else:
                    show.click()
                world.expect(not loads, f"{way.name}: pages were loaded again: {loads}")
            else:
                see(watch, watch.locator("main"), way)
                world.expect(watch.locator("h2", has_text="Under way").count() == 0, f"{way.name}: the recovery is under way for ever")
                see(inbox, inbox.locator(f"main tbody tr >> nth={number}"), way)
            world.expect(inbox.locator("main tbody tr").count() == number + 1, f"{way.name}: what was missed is not among the notifications")


@with_shop
def test_a_forged_text_is_told_from_a_genuine_one(world: World, shop: Shop):
    bought = shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    device = shop.simulator.call("GET", "/production/customers/anna/devices/phone")
    genuine = device["all"][0]["signedTransactionInfo"]
    head, body, signature = genuine.split(".")
    forged = ".".join([head, body[:-6] + ("A" if body[-6] != "A" else "B") + body[-5:], signature])
    cookies = sign_in(world, shop)
    for way in WAYS:
        with world.page(script=way.script) as page:
            page.context.add_cookies(cookies)
            for text, verdict in ((genuine, "proven"), (forged, "not proven")):
                page.goto(shop.base + "/console/decode")
                way.fill(page.get_by_label("Text").first, text)
                way.press(page.get_by_role("button", name="Decode"))
                page.locator("main .tag").first.wait_for()
                world.expect(
                    page.locator("main .tag").first.inner_text().strip() == verdict, f"{way.name}: no {verdict} of the text")
            page.goto(shop.base + "/console/decode")
            way.fill(page.get_by_label("Text").first, genuine)
            way.press(page.get_by_role("button", name="Decode"))
            page.locator("main .tag").first.wait_for()
            world.expect(bought["transactionId"] in page.inner_text("main"), f"{way.name}: the transaction is not read")


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
    for way in WAYS:
        simulator = Simulator()
        try:
            simulator.do("purchase", customer="anna", product=MONTHLY)
            with world.page(script=way.script) as page:
                for _ in range(12):
                    # While the clock goes forward it cannot be put forward again.
                    for _ in range(100):
                        page.goto(simulator.base)
                        if not page.get_by_role("button", name="Stop").count():
                            break
                    way.choose(page.locator("#advance-by"), "1 month")
                    way.press(page.get_by_role("button", name="Forward"))
                    page.wait_for_load_state()
                for _ in range(100):
                    page.goto(simulator.base + "/customers/anna")
                    if not page.get_by_role("button", name="Stop").count():
                        break
                bars = page.locator("svg .paid").count()
                world.expect(bars >= 11, f"{way.name}: a year of months shows {bars} bars")
        finally:
            simulator.stop()


@with_shop
def test_what_waits_is_discarded_only_by_who_types_the_name(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    shop.receiver.status = 500
    shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.need(lambda: shop.api("/v1/webhooks/backend/deliveries?state=pending")["items"])
    for number, way in enumerate(WAYS):
        with world.page(script=way.script) as page:
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console/webhooks/backend")
            way.press(page.get_by_role("button", name="Discard what waits…"))
            way.fill(page.get_by_label(re.compile("to confirm")), "somebody else")
            way.press(page.get_by_role("button", name="Discard what waits"))
            page.get_by_text("What you typed is not the name").wait_for()
            world.expect(page.title().startswith("Error: "), f"{way.name}: the title is {page.title()}")
            if way.script:
                world.check(page, "a word that was typed wrong")
            waiting = shop.api("/v1/webhooks/backend/deliveries?state=pending")["items"]
            world.expect(bool(waiting) == (number == 0), f"{way.name}: {len(waiting)} wait")
            way.fill(page.get_by_label(re.compile("to confirm")), "backend")
            way.press(page.get_by_role("button", name="Discard what waits"))
            page.get_by_text("Done").first.wait_for()
        world.expect(
            shop.wait(lambda: not shop.api("/v1/webhooks/backend/deliveries?state=pending")["items"]),
            f"{way.name}: what waits is not discarded")
