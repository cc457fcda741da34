"""User journeys through the console, with the mouse, without JavaScript, and with the keyboard only."""
import re
import urllib.parse

from harness import USERS, Simulator, World, with_simulator
from shop import MONTHLY, Shop, sign_in, with_shop


@with_shop
def test_signing_in_with_a_key_and_with_a_link(world: World, shop: Shop):
    for user in USERS:
        with world.page(script=user.script) as page:
            page.goto(shop.base + "/console/webhooks")
            user.fill(page.get_by_label("API key"), "cfk_wrong")
            user.press(page.get_by_role("button", name="Sign in"))
            page.get_by_text("The key is not known").or_(page.locator("[role=alert], .error").first).first.wait_for()
            world.expect("/console/sign-in" in page.url, f"{user.name}: a wrong key led to {page.url}")
            if user.script:
                world.check(page, "a key that is not known")
            user.fill(page.get_by_label("API key"), shop.key)
            user.press(page.get_by_role("button", name="Sign in"))
            page.get_by_role("button", name="Sign out").wait_for()
            user.press(page.get_by_role("button", name="Sign out"))
            page.get_by_label("API key").wait_for()
            page.goto(shop.base + "/console/customers")
            world.expect("/console/sign-in" in page.url, f"{user.name}: signed out, and still sees {page.url}")
        with world.page(script=user.script) as page:
            link = shop.link()
            page.goto(link)
            user.press(page.get_by_role("button", name="Sign in"))
            page.get_by_role("button", name="Sign out").wait_for()
        with world.page(script=user.script) as page:
            page.goto(link)
            world.expect("used" in page.inner_text("main"), f"{user.name}: nothing says that the link was used")
            page.goto(shop.base + "/console/customers")
            world.expect("/console/sign-in" in page.url, f"{user.name}: a link signs in twice")


@with_shop
def test_from_an_order_to_the_reason_for_no_access(world: World, shop: Shop):
    bought = shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.simulator.do("cancel", customer="anna")
    shop.simulator.call("POST", "/clock/advance", {"by": "40 days"})
    shop.require(lambda: len(shop.api("/v1/notifications")["items"]) >= 2)
    cookies = sign_in(world, shop)
    for user in USERS:
        with world.page(script=user.script) as page:
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console/customers")
            user.fill(page.get_by_role("searchbox").or_(page.locator("input[name=q]")).first, bought["orderId"])
            page.keyboard.press("Enter")
            user.press(page.get_by_role("link", name=re.compile("Ask the App Store for the order")))
            user.press(page.get_by_role("button", name="Ask the App Store"))
            user.press(page.get_by_role("button", name="Ask the App Store"))
            user.press(page.locator("main").get_by_role("link", name=bought["appAccountToken"]).first)
            page.wait_for_url("**/console/customers/**")
            user.press(page.get_by_role("link", name="explain premium"))
            page.wait_for_url("**/explain/**")
            text = page.inner_text("main")
            world.expect("no access" in text.lower() or "expired" in text.lower(), f"{user.name}: no reason in {text[:300]}")


@with_shop
def test_an_outage_and_its_recovery(world: World, shop: Shop):
    shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.require(lambda: shop.api("/v1/notifications")["items"])
    # The server is stopped, and the App Store will not retry these notifications.
    shop.server.stop()
    shop.simulator.call("POST", "/faults", {"target": "notification:*", "effect": {"drop": {}}})
    shop.simulator.do("cancel", customer="anna")
    shop.simulator.call("POST", "/clock/advance", {"by": "1 day"})
    for fault in shop.simulator.call("GET", "/faults")["items"]:
        shop.simulator.call("DELETE", f"/faults/{fault['number']}")
    shop.start()
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
    # The recovery at the start of the server.
    shop.require(lambda: (items := shop.api("/v1/recoveries")["items"]) and all(i["state"] == "done" for i in items))

    def see(page, locator, user):
        """Waits until an open page shows the element; reloads the page if JavaScript is disabled."""
        if user.script:
            return locator.first.wait_for(timeout=30_000)
        shop.wait(lambda: page.reload() and locator.count(), 30)
        world.expect(locator.count(), f"{user.name}: {page.url} does not show {locator}")

    for number, (customer, user) in enumerate(zip(("anna", "ben", "kim"), USERS)):
        with world.page(script=user.script) as watch, world.page(script=user.script) as inbox, world.page(script=user.script) as page:
            loads = []
            for each, path in ((watch, "completeness"), (inbox, "notifications"), (page, "completeness")):
                each.context.add_cookies(cookies)
                each.goto(f"{shop.base}/console/{path}")
            for each in (watch, inbox):
                each.on("framenavigated", lambda frame: loads.append(frame.url))
            known = len(shop.api("/v1/recoveries")["items"])
            # The App Store sends no notifications and answers no requests.
            for target, effect in (("notification:*", {"drop": {}}), ("route:*", {"status": {"code": 503}})):
                shop.simulator.call("POST", "/faults", {"target": target, "effect": effect})
            shop.simulator.do("purchase", customer=customer, product=MONTHLY)
            user.fill(page.get_by_label("From, such as 2026-05-03"), "2026-12-31")
            user.fill(page.get_by_label("To (empty: now)"), "2027-01-02")
            user.press(page.get_by_role("button", name="Read a period of the history again…"))
            user.press(page.get_by_role("button", name="Read a period of the history again"))
            page.get_by_text("Done").first.wait_for()
            see(watch, watch.locator("h2", has_text="Under way"), user)
            world.expect(inbox.locator("main tbody tr").count() == number, f"{user.name}: something arrived in the outage")
            shop.simulator.call("DELETE", "/faults")
            world.expect(
                shop.wait(lambda: len(items := shop.api("/v1/recoveries")["items"]) > known and all(i["state"] == "done" for i in items), 60),
                f"{user.name}: the recovery is not over")
            if user.script:
                watch.locator("h2", has_text="Under way").wait_for(state="detached", timeout=30_000)
                show = inbox.get_by_role("button", name="1 new: show")
                show.wait_for(timeout=30_000)
                if user.keys:
                    user.reach(show)
                    inbox.keyboard.press("Enter")
                else:
                    show.click()
                world.expect(not loads, f"{user.name}: pages were loaded again: {loads}")
            else:
                see(watch, watch.locator("main"), user)
                world.expect(watch.locator("h2", has_text="Under way").count() == 0, f"{user.name}: the recovery is still shown as under way")
                see(inbox, inbox.locator(f"main tbody tr >> nth={number}"), user)
            world.expect(inbox.locator("main tbody tr").count() == number + 1, f"{user.name}: what was missed is not among the notifications")


@with_shop
def test_a_forged_text_is_distinguished_from_a_genuine_one(world: World, shop: Shop):
    bought = shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    device = shop.simulator.call("GET", "/production/customers/anna/devices/phone")
    genuine = device["all"][0]["signedTransactionInfo"]
    head, body, signature = genuine.split(".")
    forged = ".".join([head, body[:-6] + ("A" if body[-6] != "A" else "B") + body[-5:], signature])
    cookies = sign_in(world, shop)
    for user in USERS:
        with world.page(script=user.script) as page:
            page.context.add_cookies(cookies)
            for text, verdict in ((genuine, "proven"), (forged, "not proven")):
                page.goto(shop.base + "/console/decode")
                user.fill(page.get_by_label("Text").first, text)
                user.press(page.get_by_role("button", name="Decode"))
                page.locator("main .tag").first.wait_for()
                world.expect(
                    page.locator("main .tag").first.inner_text().strip() == verdict, f"{user.name}: no {verdict} of the text")
            page.goto(shop.base + "/console/decode")
            user.fill(page.get_by_label("Text").first, genuine)
            user.press(page.get_by_role("button", name="Decode"))
            page.locator("main .tag").first.wait_for()
            world.expect(bought["transactionId"] in page.inner_text("main"), f"{user.name}: the transaction is not read")


@with_simulator
def test_environments_are_separate(world: World, simulator: Simulator):
    simulator.do("purchase", environment="sandbox", customer="zoe", product=MONTHLY)
    with world.page() as page:
        page.goto(simulator.base)
        world.expect("zoe" not in page.inner_text("main"), "production shows who bought in the sandbox")
        page.get_by_role("link", name="Sandbox").click()
        page.wait_for_url("**sandbox**")
        world.expect("zoe" in page.inner_text("main"), "the sandbox does not show who bought there")
        world.expect(urllib.parse.urlparse(page.url).query.count("environment=") == 1, f"the address is {page.url}")


def test_a_year_in_the_simulator(world: World):
    for user in USERS:
        simulator = Simulator()
        try:
            simulator.do("purchase", customer="anna", product=MONTHLY)
            with world.page(script=user.script) as page:
                for _ in range(12):
                    # The clock cannot be advanced again during an advance.
                    for _ in range(100):
                        page.goto(simulator.base)
                        if not page.get_by_role("button", name="Stop").count():
                            break
                    user.choose(page.locator("#advance-by"), "1 month")
                    user.press(page.get_by_role("button", name="Forward"))
                    page.wait_for_load_state()
                for _ in range(100):
                    page.goto(simulator.base + "/customers/anna")
                    if not page.get_by_role("button", name="Stop").count():
                        break
                bars = page.locator("svg .paid").count()
                world.expect(bars >= 11, f"{user.name}: a year of months shows {bars} bars")
        finally:
            simulator.stop()


@with_shop
def test_discarding_a_backlog_needs_the_typed_name(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    shop.receiver.status = 500
    shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.require(lambda: shop.api("/v1/webhooks/backend/deliveries?state=pending")["items"])
    for number, user in enumerate(USERS):
        with world.page(script=user.script) as page:
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console/webhooks/backend")
            user.press(page.get_by_role("button", name="Discard waiting deliveries…"))
            user.fill(page.get_by_label(re.compile("to confirm")), "somebody else")
            user.press(page.get_by_role("button", name="Discard waiting deliveries"))
            page.get_by_text("What you typed is not the name").wait_for()
            world.expect(page.title().startswith("Error: "), f"{user.name}: the title is {page.title()}")
            if user.script:
                world.check(page, "a word that was typed wrong")
            waiting = shop.api("/v1/webhooks/backend/deliveries?state=pending")["items"]
            world.expect(bool(waiting) == (number == 0), f"{user.name}: {len(waiting)} wait")
            user.fill(page.get_by_label(re.compile("to confirm")), "backend")
            user.press(page.get_by_role("button", name="Discard waiting deliveries"))
            page.get_by_text("Done").first.wait_for()
        world.expect(
            shop.wait(lambda: not shop.api("/v1/webhooks/backend/deliveries?state=pending")["items"]),
            f"{user.name}: what waits is not discarded")
