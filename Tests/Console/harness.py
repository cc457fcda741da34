"""Runs a browser on the pages of a simulator and of a server, as a person would use them.

Each file test_*.py beside this one has functions whose names begin with test_; run.py calls them with a World.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

import checks
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Error, Page, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = pathlib.Path(os.environ.get("COUNTERFOIL", ROOT / ".build/debug/counterfoil"))
PICTURES = pathlib.Path(os.environ.get("CONSOLE_PICTURES", ROOT / ".build/console-pictures"))
WIDTHS = (1280, 390, 320)
AXE = Axe()
VIEWS = [(width, dark) for dark in (False, True) for width in WIDTHS]
# For pages that use the same template as others.
FEW_VIEWS = [(1280, False), (320, True)]
# Only violations: collecting the passed checks takes longer than all the rest.
AXE_OPTIONS = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


class Program:
    """A counterfoil command that runs until it is stopped, and prints one line of JSON when it is ready."""

    def __init__(self, *arguments: str):
        self.process = subprocess.Popen(
            [str(COMMAND), *arguments], stdout=subprocess.PIPE, stderr=sys.stderr, text=True,
            # Otherwise symbolicating all threads of a crashed program takes minutes.
            env={**os.environ, "SWIFT_BACKTRACE": "symbolicate=fast,threads=crashed"})
        self.first_line = self.process.stdout.readline()
        if not self.first_line:
            raise RuntimeError(f"{arguments[0]} ended at once")

    def stop(self):
        self.process.terminate()
        try:
            # A server that waits for open pages ends after 25 seconds.
            status = self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        if status not in (0, -signal.SIGTERM):
            raise RuntimeError(f"{' '.join(map(str, self.process.args[1:]))} ended with {status}")


class Simulator(Program):
    """A simulator in a folder of its own, with a frozen clock."""

    def __init__(self, *arguments: str):
        self.folder = tempfile.mkdtemp(prefix="console-")
        super().__init__(
            "simulator", "--json", "--directory", self.folder, "--clock", "frozen:2027-01-01T00:00:00Z", *arguments)
        self.information = json.loads(self.first_line)
        self.control = self.information["controlURL"]
        self.base = self.control.removesuffix("/simulator")
        # On a busy machine a server may need more than five seconds to acknowledge a notification, and a simulator whose clock
        # is frozen never sends it again.
        for environment in ("production", "sandbox"):
            self.call("PATCH", f"/{environment}/settings", {"deliveryTimeout": 60})

    def call(self, method: str, path: str, body=None):
        request = urllib.request.Request(
            self.control + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={} if body is None else {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def do(self, command: str, environment: str = "production", **members):
        return self.call("POST", f"/{environment}/commands", {command: members})


class World:
    """The browser of a test, with checks for its pages, and the failures of the test."""

    def __init__(self, browser: Browser):
        self.browser = browser
        self.failures: list[str] = []
        # The page that has each title. No two pages may share a title.
        self.titles: dict[str, str] = {}

    @contextlib.contextmanager
    def page(self, width: int = 1280, dark: bool = False, script: bool = True, **options):
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light",
            java_script_enabled=script, **options)
        context.set_default_timeout(15_000)
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(f"script: {error}"))
        page.on("dialog", lambda dialog: (problems.append(f"an injected script ran: {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda message: problems.append(f"console: {message.text}")
                if message.type == "error" and "Content Security Policy" in message.text else None)
        page.on("request", lambda request: problems.append(f"request to another host: {request.url}")
                if not re.match(r"https?://(127\.0\.0\.1|localhost)[:/]|data:|about:", request.url) else None)
        try:
            yield page
        finally:
            for problem in problems:
                self.fail(f"{page.url}: {problem}")
            for one in context.pages:
                # Chromium can hang when it closes a page that is still being loaded.
                with contextlib.suppress(Error):
                    one.goto("about:blank", timeout=5_000)
            context.close()

    def fail(self, text: str):
        print("  ✘", text)
        self.failures.append(text)

    def expect(self, condition, text: str):
        if not condition:
            self.fail(text)

    def inspect(self, url: str, name: str, cookies=None, status: int = 200, prepare=None, views=None):
        """Checks one page in both colour schemes and at three widths with axe and our own checks, and saves screenshots.

        `prepare` acts on the page before the checks, for example to send a form. `views` are pairs of a width and whether it is
        dark; pass fewer for pages that use the same template as others.
        """
        views = views or VIEWS
        for dark in sorted({dark for _, dark in views}):
            with self.page(dark=dark) as page:
                if cookies:
                    page.context.add_cookies(cookies)
                answer = page.goto(url)
                if answer.status != status:
                    self.fail(f"{name}: {answer.status} instead of {status}")
                if prepare:
                    prepare(page)
                for width in (width for width, is_dark in views if is_dark == dark):
                    page.set_viewport_size({"width": width, "height": 900})
                    self.check(page, f"{name} at {width}{' dark' if dark else ''}")
                    if dark == (width == 390):
                        self.picture(page, f"{name}-{width}{'-dark' if dark else ''}")
                if not dark:
                    self.check_once(page, name)

    def check_once(self, page: Page, name: str):
        """Makes the slow checks, whose result does not depend on colour scheme and width."""
        # Different forms lead to pages with the same address.
        path = urllib.parse.urlparse(page.url).path
        place = f"{path} {name}" if path.startswith(("/console/confirm", "/console/do", "/forms/")) else path
        if path.startswith("/forms/") and page.title().startswith("Error: "):
            # A refused form is shown on its own page, and two forms of one page have that page's title.
            place = f"refused on {page.locator('nav.pages [aria-current]').get_attribute('href')}"
        other = self.titles.setdefault(page.title(), place)
        self.expect(other == place, f"{name}: has the title {page.title()!r}, as {other} has")
        for problem in checks.tab_through(page):
            self.fail(f"{name}: {problem}")
        # Rows are stacked below 992 pixels.
        for width in (1024, 992):
            page.set_viewport_size({"width": width, "height": 900})
            self.check_width(page, f"{name} at {width}")

    def check(self, page: Page, name: str):
        for violation in AXE.run(page, options=AXE_OPTIONS).response["violations"]:
            where = "; ".join(" ".join(map(str, node["target"])) for node in violation["nodes"][:3])
            self.fail(f"{name}: axe {violation['id']} ({violation['help']}) at {where}")
        for problem in checks.small_targets(page) + checks.structure(page):
            self.fail(f"{name}: {problem}")
        self.check_width(page, name)
        if page.locator("h1").count() != 1:
            self.fail(f"{name}: {page.locator('h1').count()} h1")
        if "⟦" in page.content():
            self.fail(f"{name}: " + ", ".join(set(re.findall(r"⟦[^⟧]*⟧", page.content()))))

    def check_width(self, page: Page, name: str):
        wide = page.evaluate(
            "() => document.documentElement.scrollWidth > innerWidth + 1 && [...document.querySelectorAll('body *')]"
            ".filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre'))"
            ".slice(0, 3).map(e => e.tagName + '.' + e.className)")
        if wide is not False:
            self.fail(f"{name}: scrolls sideways: {wide}")

    def picture(self, page: Page, name: str):
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def with_simulator(test):
    """Decorates a test: passes it a simulator of its own."""
    def run(world: World):
        simulator = Simulator()
        try:
            test(world, simulator)
        finally:
            simulator.stop()
    return run


class User:
    """A user who uses the mouse, has JavaScript disabled, or uses only the keyboard."""

    def __init__(self, name: str, script: bool = True, keys: bool = False):
        (self.name, self.script, self.keys) = (name, script, keys)

    def press(self, locator):
        """Follows a link or presses a button."""
        if not self.keys:
            return locator.click()
        self.reach(locator)
        with locator.page.expect_navigation():
            locator.page.keyboard.press("Enter")

    def fill(self, locator, text: str):
        """Enters a text into a field."""
        if not self.keys:
            return locator.fill(text)
        self.reach(locator)
        locator.page.keyboard.press("Control+A")
        # A user would paste a long text.
        (locator.page.keyboard.type if len(text) < 200 else locator.page.keyboard.insert_text)(text)

    def choose(self, locator, value: str):
        """Chooses from a list."""
        if not self.keys:
            return locator.select_option(value)
        self.reach(locator)
        locator.page.keyboard.press("Home")
        for _ in range(200):
            if locator.input_value() == value:
                return
            locator.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{value} is not in the list {locator}")

    @staticmethod
    def reach(locator):
        """Moves the focus to the element with Tab."""
        locator.page.wait_for_load_state()
        for _ in range(200):
            if locator.evaluate("element => element === document.activeElement"):
                return
            locator.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {locator}")


USERS = [User("with the mouse"), User("without a script", script=False), User("by keys", keys=True)]

HOSTILE = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'><svg/onload=alert(1)>", "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>", "<!--", "-->", "<!--live-->", "<![CDATA[", "{{shellTitle}}", "{{{svgMarkup}}}",
    "{{#clock}}", "${7*7}", "#{7*7}", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "&lt;b&gt;", "&#x202e;",
    "a\u202eb", "a\u200bb", "a\u0007b", "a\u2066b\u2069", "\ufefft", "z" + "\u0301" * 30, "א" * 20, "مرحبا", "你好" * 10, "🏳️‍🌈🎉",
    "x" * 120, "=cmd|' /C calc'!A0", "+1+1", "@SUM(1)", "-1", "' OR 1=1 --", "; rm -rf /", "$(id)", "`id`", "a'b\"c", "a/b?c=d#e", "a%2fb",
    "..", "\\", "<base href=//evil>", "<meta http-equiv=refresh content=0>",
    # In Swift, a quotation mark with a combining accent is one character.
    "\"\u0301 onfocus=alert(1) autofocus tabindex=0 x=\"", "<\u0301b>\u0301",
]


@contextlib.contextmanager
def browser():
    with sync_playwright() as playwright:
        # Without Debian's Chromium: the one that Playwright has downloaded.
        path = "/usr/bin/chromium" if os.path.exists("/usr/bin/chromium") else None
        # The browser opens only our pages. Chromium's sandbox starts neither as root nor in most containers, whose
        # /dev/shm is small.
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        instance = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield instance
        finally:
            instance.close()
