"""The pages of the server's console, without and with data."""
import json
import re
import urllib.error
import urllib.parse
import urllib.request

from harness import HOSTILE, USERS, World
from shop import MONTHLY, Shop, sign_in, with_shop

PAGES = ["", "customers", "notifications", "refused", "completeness", "webhooks", "refunds", "decode", "operations",
         "operations/audit"]


@with_shop
def test_server_pages_without_data(world: World, shop: Shop):
    world.inspect(shop.base + "/console/sign-in", "server-sign-in")
    cookies = sign_in(world, shop)
    for path in PAGES:
        world.inspect(f"{shop.base}/console/{path}", f"server-{path.replace('/', '-') or 'overview'}-empty", cookies)
    for path in ("customers/nobody", "notifications/none", "transactions/1", "webhooks/none", "recoveries/rec_99"):
        # A customer without purchases has a page.
        status = 200 if path.startswith("customers/") else 404
        world.inspect(f"{shop.base}/console/{path}", f"server-{path.split('/')[0]}-missing", cookies, status=status)
    world.inspect(f"{shop.base}/console/nothing", "server-not-found", cookies, status=404)


@with_shop
def test_server_pages_with_data(world: World, shop: Shop):
    shop.populate()
    # A long result for the audit log.
    try:
        shop.api("/v1/customers/anna/grants", {"entitlement": "nothing", "reason": "a gift", "actor": "tests"})
        world.expect(False, "an unknown entitlement was granted")
    except urllib.error.HTTPError as error:
        code = json.loads(error.read())["code"]
        world.expect(code == "unknown_entitlement", f"a grant of an unknown entitlement: {code}")
    cookies = sign_in(world, shop)
    for path in PAGES:
        world.inspect(f"{shop.base}/console/{path}", f"server-{path.replace('/', '-') or 'overview'}", cookies)
    event = next(i for i in shop.api("/v1/events?environment=Production")["items"] if i["data"].get("customer"))
    customer = urllib.parse.quote(event["data"]["customer"])
    notification = shop.api("/v1/notifications")["items"][0]["uuid"]
    delivery = shop.api("/v1/webhooks/backend/deliveries")["items"][0]["id"]
    entitlement = shop.api(f"/v1/customers/{customer}")["entitlements"][0]["key"]
    entry = next(i["uuid"] for i in shop.api(f"/v1/customers/{customer}/timeline")["items"] if "uuid" in i)
    transaction = event["data"].get("transaction", {}).get("transaction_id", "1")
    for name, path in {
        "customer": f"customers/{customer}", "entry": f"customers/{customer}?open={entry}", "explain": f"customers/{customer}/explain/{entitlement}",
        "search": f"customers?q={customer}", "notification": f"notifications/{notification}",
        "webhook": "webhooks/backend", "delivery": f"webhooks/backend/deliveries/{delivery}",
        "transaction": f"transactions/{transaction}", "refund": f"refunds/of?customer={customer}&transaction={transaction}",
    }.items():
        world.inspect(f"{shop.base}/console/{path}", f"server-{name}", cookies)


@with_shop
def test_a_filter_is_closed_on_a_phone_only(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    for width, is_open in ((1280, True), (390, False)):
        with world.page(width=width, script=False) as page:
            page.context.add_cookies(cookies)
            page.goto(f"{shop.base}/console/notifications")
            field = page.get_by_label("Subtype")
            world.expect(field.is_visible() == is_open, f"the fields at {width} pixels are {'closed' if is_open else 'open'}")
            if not is_open:
                page.locator(".filters > summary").click()
                world.expect(field.is_visible(), "a click does not open the filter")


def deliveries(shop: Shop):
    return shop.api("/v1/webhooks/backend/deliveries")["items"]


@with_shop
def test_a_failing_endpoint_is_found_mended_and_sent_again(world: World, shop: Shop):
    shop.receiver.body = b"<script>alert(1)</script> out of order"
    for customer, user in zip(("anna", "ben", "kim"), USERS):
        shop.receiver.status = 500
        known = {i["id"] for i in deliveries(shop)}
        shop.simulator.do("purchase", customer=customer, product=MONTHLY)
        failed = shop.wait(lambda: next((i for i in deliveries(shop) if i["id"] not in known and i["attempts"]), None))
        with world.page(script=user.script) as page:
            page.goto(shop.link())
            user.press(page.get_by_role("button", name="Sign in"))
            user.press(page.get_by_role("link", name="Webhooks"))
            user.press(page.get_by_role("link", name="backend"))
            page.wait_for_url("**/webhooks/backend**")
            user.press(page.locator(f"tbody a[href*='deliveries/{failed['id']}']").first)
            page.wait_for_url("**/deliveries/**")
            world.expect("500" in page.inner_text("main"), "the attempt's status is not shown")
            world.expect("out of order" in page.inner_text("main"), "the receiver's answer is not shown")
            shop.receiver.status = 200
            user.press(page.get_by_role("button", name="Send the event again…"))
            user.press(page.get_by_role("button", name="Send the event again"))
            page.get_by_text("Done").first.wait_for()
        # The clock stands still, so the failed attempt is repeated because the user requested it, not because it is due.
        world.expect(
            shop.wait(lambda: all(i["state"] == "delivered" for i in deliveries(shop) if i["id"] not in known)),
            "what was sent again did not arrive")


@with_shop
def test_from_a_search_to_the_reason(world: World, shop: Shop):
    shop.populate()
    event = next(i for i in shop.api("/v1/events?environment=Production")["items"] if i["data"].get("transaction"))
    cookies = sign_in(world, shop)
    for user in USERS:
        with world.page(script=user.script) as page:
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console")
            if user.keys:
                page.keyboard.press("/")
                page.keyboard.type(event["data"]["transaction"]["transaction_id"])
            else:
                page.locator("header input[name=q]").fill(event["data"]["transaction"]["transaction_id"])
                page.locator("header input[name=q]").focus()
            page.keyboard.press("Enter")
            page.wait_for_url("**q=*")
            # The customer is the last link of the first row.
            user.press(page.locator("main table").first.locator("tbody tr").first.locator("a").last)
            page.wait_for_url("**/console/customers/**")
            user.press(page.get_by_role("link", name=re.compile("^explain")).first)
            page.wait_for_url("**/explain/**")
            world.expect("Facts" in page.inner_text("main"), f"{user.name}: the explanation has no facts")


@with_shop
def test_hostile_texts_in_the_server_are_escaped(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    for number, text in enumerate(HOSTILE, 1):
        try:
            urllib.request.urlopen(urllib.request.Request(shop.base + "/apple/notifications", data=text.encode()))
        except urllib.error.HTTPError:
            pass
        # The server drops refused deliveries that arrive faster than it can store them.
        if number % 16 == 0 or number == len(HOSTILE):
            shop.wait(lambda: len(shop.api("/v1/refused?limit=100")["items"]) >= number)
    customer = urllib.parse.quote("<script>alert(1)</script>\u202eab", safe="")
    shop.api(f"/v1/customers/{customer}/grants",
             {"entitlement": "premium", "reason": HOSTILE[1], "actor": HOSTILE[2]})
    with world.page() as page:
        page.context.add_cookies(cookies)
        for path in ["refused", f"customers/{customer}", "operations/audit",
                     *("customers?q=" + urllib.parse.quote(text, safe="") for text in HOSTILE),
                     *("notifications?type=" + urllib.parse.quote(text, safe="") for text in HOSTILE[:10])]:
            answer = page.goto(f"{shop.base}/console/{path}")
            world.expect(answer.status < 500, f"{path}: {answer.status}")
        page.goto(f"{shop.base}/console/refused")
        # The text of each refusal is in a details element. The newest are on the first page.
        for details in page.locator("main details").all():
            details.evaluate("element => element.open = true")
        world.expect("<meta http-equiv=refresh content=0>" in page.inner_text("main"), "the text of a refusal is not seen")
        page.goto(shop.base + "/console/decode")
        for text in HOSTILE[:12]:
            page.get_by_label("Text").fill(text)
            page.get_by_role("button", name="Decode").click()
            world.expect("not proven" in page.inner_text("main"), f"no verdict about {text!r}")


@with_shop
def test_a_tap_on_a_time_shows_the_local_one(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    shop.simulator.call("POST", "/production/trigger", {"notificationType": "SUBSCRIBED", "subtype": "INITIAL_BUY"})
    # An update of the page would show the time in UTC again.
    shop.wait(lambda: any(item["state"] == "processed" for item in shop.api("/v1/notifications")["items"]))
    with world.page(timezone_id="Asia/Tokyo", locale="en-GB", has_touch=True) as page:
        page.context.add_cookies(cookies)
        page.goto(shop.base + "/console/notifications")
        shown = page.locator("main time").first
        utc = shown.inner_text()
        hour = int(re.search(r" (\d\d):", utc).group(1))
        world.expect(utc.endswith("UTC"), f"a time is {utc!r}")
        shown.tap()
        world.expect(f"{(hour + 9) % 24:02}:" in shown.inner_text(), f"{utc} is {shown.inner_text()!r} in Tokyo")
        world.expect(shown.get_attribute("title") == utc, "the time in UTC is gone")
        with page.expect_response(lambda answer: "fragment=all" in answer.url):
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_timeout(200)
        world.expect(shown.get_attribute("title") == utc, "an update that changes nothing brings the time in UTC back")
        shown.tap()
        world.expect(shown.inner_text() == utc, f"a second tap shows {shown.inner_text()!r}")
