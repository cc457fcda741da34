"""Pages of other origins can neither read nor change a console or a simulator; nor can unusual spellings of paths and hosts."""
import http.client
import http.server
import json
import socket
import threading

from harness import World
from shop import MONTHLY, Shop, sign_in, with_shop
from test_security import COOKIE, session

# A foreign page tries every kind of request that a browser has, and returns the results.
ATTACK = """async ({ base, reads, writes, assets, key }) => {
  const got = [], limit = (work, name) => Promise.race([work, new Promise(r => setTimeout(r, 8000, "no answer"))])
    .then(result => got.push([name, result]));
  const read = (path, options) => fetch(base + path, options).then(a => a.text().then(t => a.type === "opaque" ? "opaque" : "READ " + a.status), () => "blocked");
  for (const path of reads) {
    await limit(read(path, { credentials: "include" }), "fetch " + path);
    await limit(read(path, { credentials: "include", mode: "no-cors" }), "no-cors " + path);
    await limit(read(path, { headers: { Authorization: "Bearer " + key } }), "fetch with a key " + path);
    await limit(new Promise(r => { const i = new Image(); i.onload = () => r("SHOWN"); i.onerror = () => r("blocked"); i.src = base + path }), "image " + path);
    await limit(new Promise(r => { const s = new EventSource(base + path, { withCredentials: true });
      s.onopen = () => { s.close(); r("OPEN") }; s.onerror = () => { s.close(); r("blocked") } }), "stream " + path);
    await limit(new Promise(r => { const f = document.createElement("iframe"); f.onload = () => { let text = null;
      try { text = f.contentDocument && f.contentDocument.body.innerText } catch { } r(text ? "READ " + text : "blocked") };
      f.src = base + path; document.body.append(f) }), "iframe " + path);
  }
  for (const path of assets)
    await limit(new Promise(r => { const i = new Image(); i.onload = () => r("SHOWN"); i.onerror = () => r("blocked"); i.src = base + path }), "asset " + path);
  for (const [path, body, type] of writes)
    for (const [method, mode] of [["POST", "cors"], ["POST", "no-cors"], ["PATCH", "cors"], ["DELETE", "cors"]])
      await limit(read(path, { method, mode, body, credentials: "include", headers: { "Content-Type": type } }), method + " " + mode + " " + path);
  return got;
}"""
FORM = """([url, fields, kind]) => {
  const f = document.createElement("form"); f.method = "post"; f.action = url; f.enctype = kind;
  for (const [name, value] of Object.entries(fields)) {
    const i = document.createElement("input"); i.type = "hidden"; i.name = name; i.value = value; f.append(i) }
  document.body.append(f); f.submit() }"""
OWN = """async ([events, asset]) => [
  await fetch("/console/customers").then(a => a.status), await fetch("/console/theme", { method: "POST", body: new URLSearchParams({ theme: "" }) }).then(a => a.status),
  await new Promise(r => { const s = new EventSource(events); s.onopen = () => { s.close(); r("open") }; s.onerror = () => r("blocked") }),
  await new Promise(r => { const i = new Image(); i.onload = () => r("shown"); i.onerror = () => r("blocked"); i.src = asset })]"""
KINDS = ("application/x-www-form-urlencoded", "text/plain")


class Stranger:
    """A server for a page of another origin."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>a stranger</title><body>")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origins = [f"http://{host}:{self.server.server_port}/" for host in ("127.0.0.1", "localhost")]


def state(shop: Shop) -> str:
    """Returns all state that an attacker might want to change."""
    simulator = shop.simulator
    return json.dumps([
        shop.api("/v1/webhooks"), shop.api("/v1/customers/mallory/grants"), simulator.call("GET", "/clock"),
        simulator.call("GET", "/faults"), simulator.call("GET", "/snapshots"),
        *(simulator.call("GET", f"/{name}/customers") for name in ("production", "sandbox")),
    ])


def own_forms(world: World, shop: Shop, cookies) -> tuple[dict, dict, list[str]]:
    """Returns the fields of a form of the simulator and of one of the console, with valid tickets, and the URLs of both icons."""
    with world.page() as page:
        page.goto(shop.simulator.base)
        buy = {"ticket": page.locator("#form-buy input[name=ticket]").input_value(), "form": "buy", "page": "/",
               "environment": "production", "command": "purchase", "customer": "mallory", "product": MONTHLY}
        icons = [page.locator("link[rel=icon]").get_attribute("href")]
        page.context.add_cookies(cookies)
        page.goto(shop.base + "/console/webhooks/backend")
        icons.append(page.locator("link[rel=icon]").get_attribute("href"))
        page.get_by_role("button", name="Switch the endpoint off…").click()
        off = {"ticket": page.locator("input[name=ticket]").input_value(), "action": "webhook-off", "name": "backend"}
        # The same requests succeed from a page of the server itself.
        got = page.evaluate(OWN, ["/console/events?topics=inbox", icons[1]])
        world.expect(got == [200, 200, "open", "shown"], f"from its own page: {got}")
        return buy, off, icons


def attacks(shop: Shop, off: dict, icons: list[str]) -> list[tuple[str, dict]]:
    """Returns what ATTACK requests from the console and from the simulator."""
    return [
        (shop.base, {
            "reads": ["/console/events?topics=inbox", "/console/customers?fragment=all", "/console/operations/audit.csv", "/v1/customers/anna"],
            "assets": [icons[1]],
            "writes": [("/console/do", "action=webhook-off&name=backend&ticket=" + off["ticket"], KINDS[0]),
                       ("/console/sign-out", "", KINDS[0]), ("/console/decode", "text=1", KINDS[0]),
                       ("/v1/webhooks/backend", '{"enabled":false}', "text/plain"),
                       ("/v1/customers/mallory/grants", '{"entitlement":"premium","reason":"x","actor":"x"}', "text/plain")]}),
        (shop.simulator.base, {
            "reads": ["/events?topics=production", "/customers/anna?fragment=all", "/simulator/production/customers"],
            "assets": [icons[0]],
            "writes": [("/simulator/reset", "{}", "text/plain"), ("/simulator/reset", "{}", "application/json"),
                       ("/simulator/faults", '{"target":"*","effect":{"drop":{}}}', "text/plain"),
                       ("/simulator/production/commands", json.dumps({"purchase": {"customer": "mallory", "product": MONTHLY}}), "text/plain")]}),
    ]


def forms(shop: Shop, buy: dict, off: dict) -> list[tuple[str, dict]]:
    """Returns the forms that a foreign page sends: URL and fields."""
    panel = shop.simulator.base
    return [(shop.base + "/console/do", off), (shop.base + "/console/confirm", off), (shop.base + "/console/sign-out", {}),
            (shop.base + "/console/theme", {"theme": "dark", "return": "/console"}), (shop.base + "/console/decode", {"text": "1"}),
            (shop.base + "/console/sign-in", {"key": shop.key, "return": "/console"}),
            (shop.base + "/v1/customers/mallory/grants", {'{"entitlement":"premium","reason":"x","actor":"x","x":"': '"}'}),
            (panel + "/forms/do", buy), (panel + "/theme", {"theme": "dark", "return": "/"}), (panel + "/simulator/reset", {"a": "b"}),
            (panel + "/simulator/production/commands", {'{"purchase":{"customer":"mallory","product":"' + MONTHLY + '","x":"': '"}}'})]


def attack(world: World, page, origin: str, base: str, requests: dict):
    """Sends the requests from a page of another origin. All must be refused."""
    seen: list[tuple[str, int]] = []
    sent: list[str] = []
    page.goto(origin)
    page.on("response", note := lambda answer: seen.append((f"{answer.request.method} {answer.url}", answer.status)))
    page.on("request", count := lambda request: sent.append(request.url))
    for name, result in page.evaluate(ATTACK, {"base": base, **requests}):
        world.expect(result in ("blocked", "opaque"), f"{origin}: {base} {name}: {result}")
    page.remove_listener("response", note)
    page.remove_listener("request", count)
    for name, status in seen:
        world.expect(status in (401, 403, 404, 405, 415), f"{origin}: {name} is answered with {status}")
    world.expect(len(sent) > 30, f"{origin}: only {len(sent)} requests were sent")


def send_form(world: World, page, origin: str, url: str, fields: dict):
    """Sends a form from a page of another origin. It must be refused."""
    # A form can send a body in the shape of JSON only as text/plain.
    kind = KINDS[1] if any("{" in name for name in fields) else KINDS[0]
    page.goto(origin)
    with page.expect_navigation() as navigation:
        page.evaluate(FORM, [url, fields, kind])
    status = navigation.value.status
    world.expect(status in (401, 403, 415), f"{origin}: a form ({kind}) to {url} is answered with {status}")


@with_shop
def test_other_origins_change_and_read_nothing(world: World, shop: Shop):
    shop.simulator.do("purchase", customer="anna", product=MONTHLY)
    shop.require(lambda: shop.api("/v1/notifications")["items"])
    cookies = sign_in(world, shop)
    buy, off, icons = own_forms(world, shop, cookies)
    before = state(shop)
    for origin in Stranger().origins:
        context = world.browser.new_context()
        context.add_cookies(cookies)
        page = context.new_page()
        for base, requests in attacks(shop, off, icons):
            attack(world, page, origin, base, {"key": shop.key, **requests})
        for url, fields in forms(shop, buy, off):
            send_form(world, page, origin, url, fields)
        names = {cookie["name"]: cookie["value"] for cookie in context.cookies()}
        world.expect(all(names.get(c["name"]) == c["value"] for c in cookies), f"{origin}: cookies are {names}")
        world.expect(len(names) == len(cookies), f"{origin}: a stranger set a cookie: {names}")
        # A user who follows a link from another origin to the console is still signed in.
        page.goto(origin)
        page.evaluate("url => { location = url }", shop.base + "/console/customers")
        page.get_by_role("button", name="Sign out").wait_for()
        context.close()
    world.expect(state(shop) == before, f"a stranger changed something:\n{before}\n{state(shop)}")


def send_request(port: int, method: str, target: str, body: str | None = None, **headers: str):
    """Sends one request on a new connection, with the target unchanged. Returns the status, the headers and the body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
    try:
        connection.putrequest(method, target, skip_host=True)
        for name, value in {"Host": f"127.0.0.1:{port}", "Connection": "close", **headers}.items():
            connection.putheader(name.replace("_", "-"), value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(None if body is None else body.encode())
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


HOSTS = ["evil", "evil.example", "evil.example:{port}", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example@127.0.0.1",
         "127.0.0.1:{port}@evil.example", "127.0.0.1:{port}.evil.example", "127.1", "0x7f.1", "", "127.0.0.1:{port}/", "[::ffff:127.0.0.1]"]


@with_shop
def test_foreign_host_names_are_refused(world: World, shop: Shop):
    cookie = f"{COOKIE}={session(sign_in(world, shop))}"
    panel = int(shop.simulator.base.rsplit(":", 1)[1])
    for port, paths in ((shop.port, ["/console", "/console/sign-in", "/console/events?topics=inbox", "/console/nothing"]),
                        (panel, ["/", "/customers/anna", "/events?topics=production", "/simulator/clock"])):
        for path in paths:
            for host in HOSTS:
                host = host.format(port=port)
                status, _, text = send_request(port, "GET", path, Host=host, Cookie=cookie)
                world.expect(status in (400, 403, 421), f"Host: {host!r} for {port}{path} is answered with {status}")
                world.expect(b"anna" not in text, f"Host: {host!r}: {path} shows something")
        for host in ("127.0.0.1", f"localhost:{port}", f"LOCALHOST:{port}"):
            status, _, _ = send_request(port, "GET", paths[0], Host=host, Cookie=cookie)
            world.expect(status == 200, f"Host: {host} for {port} is answered with {status}")


SPELLINGS = ["/%63onsole/{}", "//console/{}", "/console//{}", "/./console/{}", "/x/../console/{}", "/console/../console/{}",
             "/CONSOLE/{}", "/console%2F{}", "/console/{};x=1", "/console\\{}", "/v1/../console/{}", "/v1/%2e%2e/console/{}",
             "http://127.0.0.1/console/{}", "http://evil.example/console/{}", "/console/{}/", "/console/./{}"]


@with_shop
def test_paths_in_other_spellings_are_guarded(world: World, shop: Shop):
    cookie = f"{COOKIE}={session(sign_in(world, shop))}"
    form = {"Content_Type": KINDS[0], "Cookie": cookie}
    status, _, _ = send_request(shop.port, "POST", "/console/theme", "theme=dark&return=/console", Sec_Fetch_Site="same-origin", **form)
    world.expect(status == 303, f"a form of its own is answered with {status}")
    for spelling in SPELLINGS:
        for sender in ({"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}, {"Origin": "http://evil.example"}, {}):
            for path, body in (("do", "action=webhook-off&name=backend&ticket=1"), ("theme", "theme=dark&return=/console"), ("sign-out", "")):
                target = spelling.format(path)
                status, headers, _ = send_request(shop.port, "POST", target, body, **form, **sender)
                world.expect(400 <= status < 500, f"POST {target} with {sender} is answered with {status}")
                world.expect("set-cookie" not in headers, f"POST {target} with {sender} sets a cookie")
            if sender.get("Sec_Fetch_Site"):
                for path in ("events?topics=inbox", "customers?fragment=all"):
                    target = spelling.format(path)
                    status, _, _ = send_request(shop.port, "GET", target, Cookie=cookie, **sender)
                    world.expect(400 <= status < 500, f"GET {target} with {sender} is answered with {status}")
        # Without a session no spelling of a path shows anything.
        for path in ("customers", "operations", "events?topics=inbox", "operations/audit.csv"):
            status, headers, _ = send_request(shop.port, "GET", spelling.format(path))
            world.expect(400 <= status < 500 or "/console/sign-in" in headers.get("location", ""),
                         f"GET {spelling.format(path)} without a session is answered with {status}")
    # The return address of a form can only be a page of the console.
    for back in ("//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil.example", "javascript:alert(1)", "/%0d%0aX: 1"):
        status, headers, _ = send_request(shop.port, "POST", "/console/theme", "theme=dark&return=" + back.replace("%", "%25").replace(":", "%3A"),
                                 Sec_Fetch_Site="same-origin", **form)
        place = headers.get("location", "")
        world.expect(place.startswith("/") and not place.startswith(("//", "/\\")) and "\t" not in place, f"{back!r} leads to {place!r}")


def send_head_request(port: int, path: str) -> tuple[bytes, bytes]:
    """Sends a HEAD request. Returns the status line and the bytes after the head, which http.client would discard."""
    with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
        connection.sendall(f"HEAD {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, rest = answer.partition(b"\r\n\r\n")
    return head.split(b"\r\n")[0], rest


@with_shop
def test_nothing_follows_the_answer_to_a_head_request(world: World, shop: Shop):
    panel = int(shop.simulator.base.rsplit(":", 1)[1])
    for port, paths in ((shop.port, ["/console", "/console/sign-in", "/console/nothing", "/v1/customers/a", "/nothing", "/health/live"]),
                        (panel, ["/", "/nothing", "/simulator/clock"])):
        for path in paths:
            line, rest = send_head_request(port, path)
            world.expect(line.startswith(b"HTTP/1.1 "), f"{port}: HEAD {path} is answered with {line!r}")
            # A client would take further bytes as the beginning of the next response.
            world.expect(not rest, f"{port}: HEAD {path} is answered with {line!r} and {len(rest)} bytes after the head")
