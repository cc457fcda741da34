"""A simulated App Store, a server, and a webhook receiver that fails on demand."""
import contextlib
import hashlib
import http.server
import json
import pathlib
import random
import re
import secrets
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

from harness import COMMAND, Program, Simulator, World

MONTHLY = "com.example.premium.monthly"


class Receiver:
    """A webhook receiver that answers with `status` and `body`."""

    def __init__(self):
        self.status, self.body = 200, b"thanks"
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                body = outer.body() if callable(outer.body) else outer.body
                self.send_response(outer.status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def free_port() -> int:
    """Returns a free port below the ephemeral range, so that no other program gets it before the server."""
    while True:
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port := random.randrange(10_000, 32_768)))
            return port


class Shop:
    """A simulated App Store and a server that it notifies."""

    def __init__(self, extra: str = "", keys: dict[str, list[str]] | None = None, read_only: bool = False):
        """`extra` is added to the configuration; `keys` maps the names of further keys to their scopes."""
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
        if read_only:
            text = text.replace("#  read_only: false", "  read_only: true")
        self.keys = {"first": self.key}
        for name, scopes in (keys or {}).items():
            self.keys[name] = "cfk_" + secrets.token_urlsafe(32)
            digest = hashlib.sha256(self.keys[name].encode()).hexdigest()
            entry = f"  - name: {name}\n    secret: {{sha256: {digest}}}\n    scopes: [{', '.join(scopes)}]\n"
            text = text.replace("\nkeys:\n", "\nkeys:\n" + entry)
        self.config.write_text(text)
        self.start()

    def start(self):
        """Starts the server, on the same port each time."""
        self.server = Program("server", "run", "--config", str(self.config), "--port", str(self.port), "--json")

    def api(self, path: str, body=None, method: str | None = None):
        request = urllib.request.Request(
            self.base + path, data=None if body is None else json.dumps(body).encode(), method=method,
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    def link(self) -> str:
        made = subprocess.run(
            [str(COMMAND), "server", "console", "link", "--name", "first", "--config", str(self.config), "--url", self.base],
            capture_output=True, text=True, check=True)
        return made.stdout.strip()

    def wait(self, condition, seconds: float = 60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.2)
        return condition()

    def require(self, condition, seconds: float = 60):
        """Waits for a condition on which the rest of the test depends, and raises an error if it does not become true."""
        if not self.wait(condition, seconds):
            raise RuntimeError(f"the condition did not become true in {seconds} seconds")

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
        self.require(lambda: self.api("/v1/notifications")["items"])
        self.require(lambda: any(i["state"] == "delivered" for i in self.api("/v1/webhooks/backend/deliveries")["items"]))

    def stop(self):
        self.server.stop()
        self.simulator.stop()


def with_shop(test=None, **options):
    """Decorates a test: passes it a shop of its own, created with the options."""
    if test is None:
        return lambda test: with_shop(test, **options)

    def run(world: World):
        shop = Shop(**options)
        try:
            test(world, shop)
        finally:
            shop.stop()
    return run


def sign_in(world: World, shop: Shop, name: str = "first"):
    """Signs in once with the key of that name. Returns the cookies."""
    with world.page() as page:
        page.goto(shop.base + "/console")
        world.expect("/console/sign-in" in page.url, "is not redirected to the sign-in page")
        page.get_by_label("API key").fill(shop.keys[name])
        page.get_by_role("button", name="Sign in").click()
        world.expect(page.url.rstrip("/").endswith("/console"), f"signing in led to {page.url}")
        return page.context.cookies()
