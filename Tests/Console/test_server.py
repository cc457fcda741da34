"""The server's console: a simulator, a server beside it, and a receiver of webhooks that fails when it is told to."""
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from harness import COMMAND, HOSTILE, WAYS, Program, Simulator, World

MONTHLY = "com.example.premium.monthly"
PAGES = ["", "customers", "notifications", "refused", "completeness", "webhooks", "refunds", "decode", "operations",
         "operations/audit"]


class Receiver:
    """Somebody's backend."""

    def __init__(self):
        self.status, self.body = 200, b"thanks"
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                self.send_response(outer.status)
                self.send_header("content-length", str(len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Shop:
    """A simulated App Store and a server that it notifies."""

    def __init__(self, extra: str = ""):
        self.receiver = Receiver()
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.simulator = Simulator("--notify", self.base + "/apple/notifications")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="server-"))
        self.config = folder / "counterfoil.yaml"
        made = subprocess.run(
            [str(COMMAND), "server", "init", "--simulator", self.simulator.folder, "--output", str(self.config)],
            capture_output=True, text=True, check=True)
        self.key = re.search(r"cfk_[\w-]+", made.stdout + made.stderr).group()
        text = self.config.read_text()
        text += ("\nwebhooks:\n  - name: backend\n    url: \"" + self.receiver.url + "\"\n    secrets: [\"whsec_"
                 + "QUJD" * 11 + "\"]\n    allow_private_networks: true\n" + extra)
        self.config.write_text(text)
        self.server = Program("server", "run", "--config", str(self.config), "--port", str(self.port), "--json")

    def api(self, path: str, body=None):
        request = urllib.request.Request(
            self.base + path, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    def link(self) -> str:
        made = subprocess.run(
            [str(COMMAND), "server", "console", "link", "--key", "first", "--config", str(self.config), "--url", self.base],
            capture_output=True, text=True, check=True)
        return made.stdout.strip()

    def wait(self, what, seconds: float = 15):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = what()
            if value:
                return value
            time.sleep(0.2)
        return what()

    def populate(self):
        self.simulator.do("purchase", customer="anna", product=MONTHLY)
        self.simulator.do("purchase", customer="ben", product="com.example.unlock")
        self.simulator.call("POST", "/clock/advance", {"by": "40 days"})
        self.simulator.do("cancel", customer="anna")
        self.simulator.do("requestRefund", customer="ben")
        try:
            urllib.request.urlopen(urllib.request.Request(
                self.base + "/apple/notifications", data="<script>alert(1)</script>\u202e".encode()))
        except urllib.error.HTTPError:
            pass
        self.wait(lambda: self.api("/v1/notifications")["items"])
        self.wait(lambda: any(i["state"] == "delivered" for i in self.api("/v1/webhooks/backend/deliveries")["items"]))

    def stop(self, world: World):
        begin = time.monotonic()
        self.server.stop()
        world.expect(time.monotonic() - begin < 10, "the server took long to stop")
        self.simulator.stop()


def with_shop(test):
    def run(world: World):
        shop = Shop()
        try:
            test(world, shop)
        finally:
            shop.stop(world)
    return run


def sign_in(world: World, shop: Shop):
    """Signs in once; gives the cookies."""
    with world.page() as page:
        page.goto(shop.base + "/console")
        world.expect("/console/sign-in" in page.url, "is not sent to where one signs in")
        page.get_by_label("API key").fill(shop.key)
        page.get_by_role("button", name="Sign in").click()
        world.expect(page.url.rstrip("/").endswith("/console"), f"signing in led to {page.url}")
        return page.context.cookies()


@with_shop
def test_server_pages_when_there_is_nothing(world: World, shop: Shop):
    world.look(shop.base + "/console/sign-in", "server-sign-in")
    cookies = sign_in(world, shop)
    for path in PAGES:
        world.look(f"{shop.base}/console/{path}", f"server-{path.replace('/', '-') or 'overview'}-empty", cookies)
    for path in ("customers/nobody", "notifications/none", "transactions/1", "webhooks/none", "recoveries/rec_99"):
        world.look(f"{shop.base}/console/{path}", f"server-{path.split('/')[0]}-missing", cookies)
    world.look(f"{shop.base}/console/nothing", "server-not-found", cookies, status=404)


@with_shop
def test_server_pages_when_there_is_something(world: World, shop: Shop):
    shop.populate()
    cookies = sign_in(world, shop)
    for path in PAGES:
        world.look(f"{shop.base}/console/{path}", f"server-{path.replace('/', '-') or 'overview'}", cookies)
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
        world.look(f"{shop.base}/console/{path}", f"server-{name}", cookies)


def deliveries(shop: Shop):
    return shop.api("/v1/webhooks/backend/deliveries")["items"]


@with_shop
def test_a_failing_endpoint_is_found_mended_and_sent_again(world: World, shop: Shop):
    shop.receiver.body = b"<script>alert(1)</script> out of order"
    for customer, way in zip(("anna", "ben", "kim"), WAYS):
        shop.receiver.status = 500
        known = {i["id"] for i in deliveries(shop)}
        shop.simulator.do("purchase", customer=customer, product=MONTHLY)
        failed = shop.wait(lambda: next((i for i in deliveries(shop) if i["id"] not in known and i["attempts"]), None))
        with world.page(script=way.script) as page:
            page.goto(shop.link())
            way.press(page.get_by_role("button", name="Sign in"))
            way.press(page.get_by_role("link", name="Webhooks"))
            way.press(page.get_by_role("link", name="backend"))
            page.wait_for_url("**/webhooks/backend**")
            way.press(page.locator(f"tbody a[href*='deliveries/{failed['id']}']").first)
            page.wait_for_url("**/deliveries/**")
            world.expect("500" in page.inner_text("main"), "the attempt's status is not shown")
            world.expect("out of order" in page.inner_text("main"), "the receiver's answer is not shown")
            shop.receiver.status = 200
            way.press(page.get_by_role("button", name="Send the event again…"))
            way.press(page.get_by_role("button", name="Send the event again"))
            page.get_by_text("Done").first.wait_for()
        # The clock stands still: the attempt that failed is repeated because somebody asked, not because it is time.
        world.expect(
            shop.wait(lambda: all(i["state"] == "delivered" for i in deliveries(shop) if i["id"] not in known)),
            "what was sent again did not arrive")


@with_shop
def test_from_a_search_to_the_reason(world: World, shop: Shop):
    shop.populate()
    event = next(i for i in shop.api("/v1/events?environment=Production")["items"] if i["data"].get("transaction"))
    cookies = sign_in(world, shop)
    for way in WAYS:
        with world.page(script=way.script) as page:
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console")
            if way.keys:
                page.keyboard.press("/")
                page.keyboard.type(event["data"]["transaction"]["transaction_id"])
            else:
                page.locator("header input[name=q]").fill(event["data"]["transaction"]["transaction_id"])
                page.locator("header input[name=q]").focus()
            page.keyboard.press("Enter")
            page.wait_for_url("**q=*")
            # The customer is the last link of the first row.
            way.press(page.locator("main table").first.locator("tbody tr").first.locator("a").last)
            page.wait_for_url("**/console/customers/**")
            way.press(page.get_by_role("link", name=re.compile("^explain")).first)
            page.wait_for_url("**/explain/**")
            world.expect("Facts" in page.inner_text("main"), f"{way.name}: the explanation has no facts")


@with_shop
def test_hostile_texts_in_the_server_are_text(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    for number, text in enumerate(HOSTILE, 1):
        try:
            urllib.request.urlopen(urllib.request.Request(shop.base + "/apple/notifications", data=text.encode()))
        except urllib.error.HTTPError:
            pass
        # What is refused faster than it can be kept is dropped.
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
        # Each refusal has its text behind a line that opens; the newest are on the first page.
        for details in page.locator("main details").all():
            details.evaluate("element => element.open = true")
        world.expect("<meta http-equiv=refresh content=0>" in page.inner_text("main"), "the text of a refusal is not seen")
        page.goto(shop.base + "/console/decode")
        for text in HOSTILE[:12]:
            page.get_by_label("Text").fill(text)
            page.get_by_role("button", name="Decode").click()
            world.expect("not proven" in page.inner_text("main"), f"no verdict about {text!r}")
