"""Hostile texts in every field that a user or a client can fill: pages show them as text, and no injected script runs.

A page of the World fails the test if an injected script runs, if the browser reports a violation of the content security policy,
or if the page sends a request to another host.
"""
import base64
import itertools
import json
import unicodedata
import urllib.error
import urllib.parse

from harness import HOSTILE, Simulator, World, with_simulator
from shop import Receiver, Shop, sign_in, with_shop


def is_plain(text: str) -> bool:
    return all(" " <= c <= "~" for c in text)


def is_shown(text: str, on: str) -> bool:
    """Whether a page shows a text unchanged, with code points in place of hidden characters."""
    shown = "".join(f"U+{ord(c):04X}" if unicodedata.category(c) in ("Cc", "Cf") else c for c in text)
    if not is_plain(text):
        # The page splits combining marks and emoji.
        return any(f"U+{ord(c):04X}" in on for c in text if unicodedata.category(c) in ("Cc", "Cf", "Mn")) or text in on
    return " ".join(shown.split()) in " ".join(on.split())


def body(page) -> str:
    """Returns the visible text of a page, with all details open."""
    return page.evaluate("() => { document.querySelectorAll('details').forEach(d => { d.open = true }); return document.querySelector('main').innerText }")


def quote(text: str) -> str:
    return urllib.parse.quote(text, safe="").replace("..", "%2E%2E")


def unsigned(payload: dict) -> str:
    """Returns a JWS with an invalid signature."""
    def part(value) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    return f"{part({'alg': 'ES256', 'x5c': ['AAAA']})}.{part(payload)}.{'A' * 86}"


@with_shop(extra="log:\n  level: critical\n")
def test_texts_of_notifications_and_receivers_are_escaped(world: World, shop: Shop):
    answers = enumerate(itertools.cycle(HOSTILE))

    def answer() -> bytes:
        number, text = next(answers)
        # The server tries an endpoint less and less often if every delivery fails.
        shop.receiver.status = 200 if number % 8 == 7 else 500
        return text.encode()

    shop.receiver.body = answer
    for text in HOSTILE:
        shop.simulator.call("POST", "/production/trigger", {
            "notificationType": "SUBSCRIBED", "subtype": "INITIAL_BUY",
            "overrides": {f"transaction.{name}": text for name in ("productId", "offerIdentifier", "webOrderLineItemId", "currency")}
            | {"renewalInfo.autoRenewProductId": text, "renewalInfo.offerIdentifier": text}})
    notifications = shop.wait(lambda: (items := shop.api("/v1/notifications?limit=100")["items"])[len(HOSTILE) - 1:] and items, 40)
    world.expect(notifications, "not all notifications arrived")
    deliveries = shop.wait(lambda: [i for i in shop.api("/v1/webhooks/backend/deliveries?limit=100")["items"] if i["attempts"]][20:], 40)
    world.expect(deliveries, "nothing was sent")
    cookies = sign_in(world, shop)
    seen = ""
    with world.page() as page:
        page.context.add_cookies(cookies)
        for item in notifications or []:
            page.goto(f"{shop.base}/console/notifications/{item['uuid']}")
            seen += body(page)
        events = shop.api("/v1/events?environment=Production&limit=100")["items"]
        customers = {i["data"]["customer"] for i in events if i["data"].get("customer")}
        transactions = {i["data"]["transaction"]["transaction_id"] for i in events if i["data"].get("transaction")}
        for path in (*(f"customers/{quote(c)}" for c in sorted(customers)[:12]), *(f"transactions/{t}" for t in sorted(transactions)[:6]),
                     *(f"events/{i['event_id']}" for i in deliveries[:6] if 'event_id' in i), "", "customers", "notifications", "webhooks", "webhooks/backend", "refunds"):
            answer = page.goto(f"{shop.base}/console/{path}")
            world.expect(answer.status == 200, f"{path}: {answer.status}")
            body(page)
        said = ""
        for item in deliveries:
            page.goto(f"{shop.base}/console/webhooks/backend/deliveries/{item['id']}")
            said += body(page)
    for text in HOSTILE:
        world.expect(is_shown(text, seen), f"{text!r} of a notification is not seen")
    world.expect(sum(is_shown(text, said) for text in HOSTILE) >= 15, "the answers of the receiver are not seen")
    world.inspect(f"{shop.base}/console/notifications", "server-hostile-notifications", cookies)
    world.inspect(f"{shop.base}/console/webhooks/backend", "server-hostile-webhook", cookies)


@with_shop(keys={"a.key-with_marks": ["all"]})
def test_texts_of_users_are_escaped(world: World, shop: Shop):
    taken = []
    for text in HOSTILE:
        try:
            shop.api(f"/v1/customers/{quote(text)}/grants", {"entitlement": "premium", "reason": text, "actor": text})
        except urllib.error.HTTPError as error:
            world.expect(error.code in (400, 404), f"a customer {text!r}: {error.code}")
        try:
            shop.api("/v1/customers/one/grants", {"entitlement": "premium", "reason": text, "actor": text})
            taken.append(text)
        except urllib.error.HTTPError as error:
            world.expect(error.code == 400, f"a reason {text!r}: {error.code}")
        try:
            shop.api("/v1/webhooks", {"name": text, "url": f"{shop.receiver.url}/{text}"})
            world.expect(is_plain(text), f"an endpoint has the name {text!r}")
        except urllib.error.HTTPError as error:
            world.expect(error.code in (400, 409), f"an endpoint {text!r}: {error.code}")
    cookies = sign_in(world, shop, "a.key-with_marks")
    with world.page() as page:
        page.context.add_cookies(cookies)
        page.goto(f"{shop.base}/console/customers/one")
        reasons = body(page)
        world.expect(len(taken) >= 35, f"only these reasons were taken: {taken}")
        for text in taken:
            world.expect(is_shown(text, reasons), f"the reason {text!r} of a grant is not seen")
        for text in HOSTILE:
            address = page.goto(f"{shop.base}/console/customers/{quote(text)}")
            world.expect(address.status in (200, 400, 404), f"the customer {text!r}: {address.status}")
            if address.status == 200 and page.url.count("/customers/"):
                world.expect(is_shown(text, page.inner_text("h1")), f"the customer {text!r} is called {page.inner_text('h1')!r}")
            page.goto(f"{shop.base}/console/customers?q={quote(text)}")
            value = page.locator("#q").input_value()
            world.expect(value == text or not is_plain(text), f"the search for {text!r} comes back as {value!r}")
        page.goto(f"{shop.base}/console/operations/audit")
        log = body(page)
        while page.locator("main a[rel=next]").count():
            page.locator("main a[rel=next]").click()
            page.wait_for_load_state()
            log += body(page)
        world.expect(sum(is_shown(text, log) for text in HOSTILE) >= 30, "the audit log does not show who was given something")
        # All texts in the decoded data, as names and as values.
        page.goto(shop.base + "/console/decode")
        for payload in ({"transactionId": "1", "productId": HOSTILE[0], **{f"f{i}": text for i, text in enumerate(HOSTILE)}},
                        {text: text for text in HOSTILE}):
            page.get_by_label("Text").fill(unsigned(payload))
            page.get_by_role("button", name="Decode").click()
            page.locator("main .tag").first.wait_for()
            shown = body(page)
            for text in HOSTILE:
                world.expect(is_shown(text, shown), f"{text!r} in what is decoded is not seen")
        world.check(page, "what is decoded")


@with_shop
def test_endpoint_urls_are_escaped(world: World, shop: Shop):
    taken = []
    for number, text in enumerate(HOSTILE):
        for form, url in (("path", f"https://example.com/{text}"), ("name", text), ("query", f"https://example.com/?a={quote(text)}")):
            try:
                made = shop.api("/v1/webhooks", {"name": f"{form}-{number}", "url": url})
                taken.append(made["url"])
            except urllib.error.HTTPError as error:
                world.expect(error.code == 400, f"an endpoint at {url!r}: {error.code}")
    world.expect(len(taken) >= len(HOSTILE), f"only these addresses were taken: {taken}")
    world.expect(all(url.startswith("https://") for url in taken), "an address that no webhook is sent to was taken")
    cookies = sign_in(world, shop)
    with world.page() as page:
        page.context.add_cookies(cookies)
        page.goto(f"{shop.base}/console/webhooks")
        shown = page.locator("main").text_content()
        for url in taken:
            world.expect(is_shown(url, shown) or url[:100] in shown, f"the address {url!r} is not seen")
        world.check(page, "endpoints with addresses of a stranger")


@with_simulator
def test_catalogue_texts_are_escaped(world: World, simulator: Simulator):
    catalogue = simulator.call("GET", "/production/catalogue")
    product = next(p for p in catalogue["products"] if p["type"] == "Auto-Renewable Subscription")
    terms = product["subscription"]
    products = [dict(product, id=f"hostile.{number}", name=text, subscription=dict(terms, offers=[dict(terms["offers"][0], identifier=text)]))
                for number, text in enumerate(HOSTILE)]
    simulator.call("PUT", "/production/catalogue", dict(catalogue, products=catalogue["products"] + products))
    with world.page() as page:
        page.goto(f"{simulator.base}/catalogue")
        names = page.locator("table td[data-label=Name]").all_inner_texts()
        all_offers = page.locator("table td[data-label=Offers]").all_inner_texts()
        for text in HOSTILE:
            world.expect(any(is_shown(text, name) for name in names), f"the name {text!r} is not seen")
            world.expect(any(is_shown(text, offer) for offer in all_offers), f"the offer {text!r} is not seen")
        world.check(page, "a catalogue of a stranger")
        for path in ("", "customers", "trigger", "scenarios"):
            page.goto(f"{simulator.base}/{path}")
            body(page)


def test_texts_sent_to_the_simulator_are_escaped(world: World):
    receiver, answers = Receiver(), itertools.cycle(HOSTILE)
    receiver.status, receiver.body = 500, lambda: next(answers).encode()
    simulator = Simulator("--notify", receiver.url)
    try:
        for text in HOSTILE:
            try:
                simulator.call("POST", "/snapshots", {"name": text})
            except urllib.error.HTTPError as error:
                world.expect(error.code in (400, 409), f"a snapshot {text!r}: {error.code}")
            simulator.call("POST", "/production/trigger", {
                "notificationType": "SUBSCRIBED", "subtype": "INITIAL_BUY", "overrides": {"transaction.productId": text, "renewalInfo.offerIdentifier": text}})
        items = simulator.call("GET", "/production/notifications?limit=100")["items"]
        with world.page() as page:
            seen = ""
            for item in items:
                page.goto(f"{simulator.base}/notifications/{item['notificationUUID']}")
                seen += body(page)
            for text in HOSTILE:
                world.expect(is_shown(text, seen), f"{text!r} is not seen on the page of its notification")
            for path in ("snapshots", "notifications", "", "catalogue"):
                page.goto(f"{simulator.base}/{path}")
                body(page)
            for text in HOSTILE[:20]:
                # A refused form keeps the entered text.
                page.goto(f"{simulator.base}/trigger")
                page.locator("#form-trigger [name=override]").fill(text)
                page.locator("#form-trigger button").click()
                page.locator("main .problem").wait_for()
                world.expect(page.locator("#form-trigger [name=override]").input_value() == text.replace("\n", ""), f"{text!r} does not come back")
            page.goto(f"{simulator.base}/scenarios")
            page.locator("textarea").fill(f"name: {json.dumps(HOSTILE[0])}\nsteps:\n  - {{buy: {json.dumps(HOSTILE[1])}, product: {json.dumps(HOSTILE[2])}}}\n")
            page.locator("textarea").locator("xpath=ancestor::form").locator("button").click()
            page.wait_for_load_state()
            world.check(page, "a scenario of a stranger")
    finally:
        simulator.stop()
