"""Sign-in and sessions, and the contents of CSV files. test_origins.py has the attacks from other origins."""
import base64
import csv
import hashlib
import hmac
import re
import time
import urllib.error
import urllib.parse

from harness import World
from shop import Shop, sign_in, with_shop

COOKIE = "counterfoil"
FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", "=\"a\",b\n"]


def session(cookies) -> str | None:
    """Returns the value of the session cookie."""
    return next((cookie["value"] for cookie in cookies if COOKIE in cookie["name"] and cookie["httpOnly"]), None)


def opens(page, shop: Shop, token: str) -> bool:
    """Whether a session opens the console."""
    answer = page.request.get(shop.base + "/console/customers", headers={"Cookie": f"{COOKIE}={token}"}, max_redirects=0)
    return answer.status == 200


@with_shop
def test_a_session_that_was_planted_is_worth_nothing(world: World, shop: Shop):
    for name, address in (("a key", lambda: shop.base + "/console/sign-in"), ("a link", shop.link)):
        # An attacker signs in, and plants the session cookie in the browser of another user.
        planted = session(sign_in(world, shop))
        for value in (planted, "A" * len(planted)):
            with world.page() as page:
                page.context.add_cookies([{"name": COOKIE, "value": value, "url": shop.base}])
                page.goto(address())
                if page.get_by_label("API key").count():
                    page.get_by_label("API key").fill(shop.key)
                page.get_by_role("button", name="Sign in").click()
                page.get_by_role("button", name="Sign out").wait_for()
                now = session(page.context.cookies())
                world.expect(now and now != value, f"{name}: the session is the one that was planted")
        with world.page() as page:
            # The page has no cookies of its own, so only the header counts.
            world.expect(opens(page, shop, now), f"{name}: the new session does not open the console")
            world.expect(not opens(page, shop, planted), f"{name}: the session that was planted still opens the console")
            world.expect(not opens(page, shop, "A" * len(planted)), f"{name}: an invented session opens the console")


@with_shop
def test_the_cookie_of_a_session_cannot_be_read_or_sent_by_others(world: World, shop: Shop):
    cookie = next(cookie for cookie in sign_in(world, shop) if COOKIE in cookie["name"] and cookie["httpOnly"])
    world.expect(cookie["sameSite"] == "Lax", f"SameSite is {cookie['sameSite']}")
    world.expect(cookie["path"] == "/", f"the path is {cookie['path']}")
    world.expect(len(cookie["value"]) >= 43, "the session has fewer than 256 bits")
    with world.page() as page:
        page.context.add_cookies([cookie])
        page.goto(shop.base + "/console")
        world.expect(cookie["value"] not in page.evaluate("document.cookie"), "scripts can read the session")
        world.expect(cookie["value"] not in page.content(), "the session is on the page")
        world.expect(shop.key not in page.content(), "the key is on the page")
        page.goto(shop.base + "/console/operations")
        world.expect(cookie["value"] not in page.content(), "the session is on the page of the operations")
        page.get_by_role("button", name="Sign out").click()
        page.get_by_label("API key").wait_for()
        world.expect(session(page.context.cookies()) is None, "the browser keeps the cookie of a session that ended")
    with world.page() as page:
        world.expect(not opens(page, shop, cookie["value"]), "a session that ended opens the console")


def token(shop: Shop, age: float = 0, name: str = "first", identifier: str = "x" * 22) -> str:
    """Returns the token of a sign-in link of any age, as the command makes it: an HMAC with a key derived from console.secret."""
    secret = re.search(r'^  secret: "(\w+)"', shop.config.read_text(), re.M).group(1).encode()
    key = hmac.new(hmac.new(b"\0" * 32, secret, hashlib.sha256).digest(), b"counterfoil-console-link\x01", hashlib.sha256).digest()

    def encode(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    text = f"{int(time.time() - age)}.{identifier}.{encode(name.encode())}"
    return f"{text}.{encode(hmac.new(key, text.encode(), hashlib.sha256).digest())}"


@with_shop(keys={"narrow": ["operations:read"]})
def test_a_link_signs_in_once_and_for_two_minutes(world: World, shop: Shop):
    sign_in_page = shop.base + "/console/sign-in"

    def post(page, link: str):
        return page.request.post(
            sign_in_page, form={"link": link, "return": "/console"}, headers={"Origin": shop.base}, max_redirects=0)

    with world.page() as page:
        good = token(shop)
        # Programs that preview links request the page, more than once.
        for _ in range(3):
            world.expect(page.request.get(f"{sign_in_page}?link={good}").status == 200, "a link has no page")
        page.goto(f"{sign_in_page}?link={good}")
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("button", name="Sign out").wait_for()
        page.goto(f"{sign_in_page}?link={good}")
        world.expect("was used" in page.inner_text("main"), "nothing says that the link was used")
        world.check(page, "a link that was used")
    with world.page() as page:
        world.expect(post(page, good).status == 403, "a link signs in twice")
        world.expect(post(page, token(shop, age=125, identifier="y" * 22)).status == 403, "a link of two minutes ago signs in")
        world.expect(post(page, token(shop, age=-60, identifier="z" * 22)).status == 403, "a link of the future signs in")
        world.expect(
            post(page, token(shop, name="narrow", identifier="w" * 22)).status == 403,
            "a link signs in with a key that lacks console:open")
        page.goto(f"{sign_in_page}?link={token(shop, age=125, identifier='v' * 22)}")
        world.expect("older than two minutes" in page.inner_text("main"), "nothing says that the link is too old")
        world.expect(page.get_by_role("button", name="Sign in").count() == 0, "an old link has a button")
        # Four failures so far. After a fifth the address is blocked for a minute, also with a valid key.
        page.goto(sign_in_page)
        for key, text in (("cfk_wrong", "not known"), (shop.key, "Too many attempts")):
            page.get_by_label("API key").fill(key)
            page.get_by_role("button", name="Sign in").click()
            page.locator("main .problem", has_text=text).wait_for()
            world.expect(page.title().startswith("Error: "), f"{text}: the title is {page.title()}")
            world.check(page, text)


@with_shop
def test_a_file_for_a_spreadsheet_has_no_formulas(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    for text in FORMULAS:
        customer = urllib.parse.quote(text, safe="")
        try:
            shop.api(f"/v1/customers/{customer}/grants", {"entitlement": "premium", "reason": text, "actor": text})
        except urllib.error.HTTPError:
            # The text is not a valid customer identifier. The audit log has the refusal too.
            pass
    with world.page() as page:
        page.context.add_cookies(cookies)
        page.request.post(shop.base + "/v1/customers/a/refresh?=1", headers={"Authorization": f"Bearer {shop.key}"})
        page.goto(shop.base + "/console/operations/audit")
        with page.expect_download() as download:
            page.get_by_role("link", name=re.compile("CSV")).click()
        with open(download.value.path(), encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    cells = [cell for row in rows for cell in row]
    world.expect(all(len(row) == len(rows[0]) for row in rows), "rows have different numbers of cells")
    for cell in cells:
        # Some spreadsheets separate cells by semicolons or tabs.
        for part in [cell, *re.split(r"[;\t\r\n]", cell)]:
            world.expect(not re.match(r"[=+@\t\r-]", part), f"a cell is a formula: {cell!r}")
    for text in FORMULAS:
        found = any(cell.startswith("'") and text.strip("\r\n").replace("'", "") in cell.replace("'", "") for cell in cells)
        world.expect(found, f"{text!r} is not in the table")
