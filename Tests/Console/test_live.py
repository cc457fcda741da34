"""Pages that are left open: what they follow, how many there may be, and what happens when the server goes and comes."""
import contextlib
import http.client
import os
import resource
import time

from harness import World
from shop import MONTHLY, Shop, sign_in, with_shop
from test_security import COOKIE, session

CAPACITY = 64


def stream(shop: Shop, cookie: str, topics: str = "inbox"):
    """Opens a stream as a page does. Returns its connection and answer."""
    connection = http.client.HTTPConnection("127.0.0.1", shop.port, timeout=20)
    connection.request("GET", f"/console/events?topics={topics}", headers={"Cookie": cookie, "Sec-Fetch-Site": "same-origin"})
    return connection, connection.getresponse()


def place(shop: Shop, cookie: str):
    """The same where there is room; nothing where there is none. A page that was closed may have the place for a moment."""
    connection, answer = stream(shop, cookie)
    if answer.status == 200:
        return connection, answer
    answer.close()
    connection.close()
    return None


@contextlib.contextmanager
def streams(world: World, shop: Shop, cookie: str, count: int):
    opened = []
    try:
        for number in range(count):
            got = shop.wait(lambda: place(shop, cookie))
            if not got:
                raise AssertionError(f"there is no room for stream {number + 1} of {count}")
            opened.append(got)
        yield [answer for _, answer in opened]
    finally:
        # An answer holds its connection, too.
        for connection, answer in opened:
            answer.close()
            connection.close()


def used(shop: Shop) -> tuple[float, float]:
    """The server's memory in MiB, and the processor seconds that it used."""
    process = shop.server.process.pid
    with open(f"/proc/{process}/statm") as file:
        memory = int(file.read().split()[1]) * resource.getpagesize() / 2**20
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return memory, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def buy(shop: Shop, customer: str):
    shop.simulator.do("purchase", customer=customer, product=MONTHLY)


def live(page) -> str:
    return page.locator("[data-live-state]").inner_text()


@with_shop
def test_a_page_too_many_says_that_it_is_not_live(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    cookie = f"{COOKIE}={session(cookies)}"
    with world.page() as page:
        page.context.add_cookies(cookies)
        with streams(world, shop, cookie, CAPACITY) as answers:
            connection, refused = stream(shop, cookie)
            world.expect(refused.status == 503, f"one stream more is answered with {refused.status}")
            world.expect(refused.headers.get("Retry-After"), "a stream that is refused is not told when to come again")
            connection.close()
            page.goto(shop.base + "/console/notifications")
            page.locator("[data-live-state]", has_text="Not live").wait_for()
            world.check(page, "a page that is not live")
            # All that are open are told, and the page without a stream still answers.
            buy(shop, "anna")
            for answer in answers:
                line = b""
                while not line.startswith(b"data:"):
                    line = answer.readline()
                    if not line:
                        world.fail("a stream ended before it said that something changed")
                        break
            page.goto(shop.base + "/console/notifications")
            world.expect("SUBSCRIBED" in page.inner_text("main"), "the page without a stream does not show what happened")
        # There is room again.
        def opens() -> bool:
            connection, answer = stream(shop, cookie)
            status = answer.status
            answer.close()
            connection.close()
            return status == 200
        world.expect(shop.wait(opens, 30), "there is no room after all streams ended")
        page.goto(shop.base + "/console/notifications")
        page.wait_for_function("document.querySelector('[data-live-state]').textContent === ''")


@with_shop
def test_an_open_page_outlives_its_server(world: World, shop: Shop):
    buy(shop, "anna")
    shop.need(lambda: shop.api("/v1/notifications")["items"])
    cookies = sign_in(world, shop)
    with world.page() as page:
        page.context.add_cookies(cookies)
        page.goto(shop.base + "/console/notifications")
        page.get_by_role("button", name="Live").wait_for()
        shop.server.process.kill()
        shop.server.process.wait()
        page.locator("[data-live-state]", has_text="Not").wait_for()
        shop.start()
        # A restart ends all sessions: the page says so, and leads to where one signs in.
        page.get_by_text("The session has ended.").wait_for(timeout=30_000)
        buy(shop, "ben")
        shop.wait(lambda: len(shop.api("/v1/notifications")["items"]) == 2)
        page.locator("[data-live-state] a").click()
        page.get_by_label("API key").fill(shop.key)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/console/notifications**")
        world.expect(page.locator("main tbody tr").count() == 2, "the page does not show what came while the server was away")
        # And it is live again.
        buy(shop, "carl")
        page.get_by_role("button", name="1 new: show").wait_for(timeout=30_000)


@with_shop
def test_news_that_are_none_any_more_are_not_offered(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    with world.page() as page:
        page.context.add_cookies(cookies)
        page.goto(shop.base + "/console")
        offer = page.get_by_role("button", name="1 new: show")
        shop.api("/v1/webhooks/backend", {"enabled": False}, "PATCH")
        offer.wait_for()
        shop.api("/v1/webhooks/backend", {"enabled": True}, "PATCH")
        offer.wait_for(state="detached")
        world.expect("Switched off" not in page.inner_text("main"), "the overview shows what is over")


@with_shop
def test_twelve_tabs_of_the_server_and_those_that_are_hidden(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    with world.page() as first:
        first.context.add_cookies(cookies)
        tabs, held, begun = [], set(), 0

        def begin(request):
            nonlocal begun
            if "/console/events" in request.url:
                held.add(request)
                begun += 1

        for _ in range(12):
            page = first.context.new_page()
            page.on("request", begin)
            page.on("requestfailed", lambda request: held.discard(request))
            page.on("requestfinished", lambda request: held.discard(request))
            page.goto(shop.base + "/console/notifications", timeout=10_000)
            # Without a window every tab counts as seen, so it is told.
            page.evaluate("() => { Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
                          " document.dispatchEvent(new Event('visibilitychange')) }")
            tabs.append(page)

        # Tabs that are hidden hold no stream.
        end = time.monotonic() + 10
        while held and time.monotonic() < end:
            first.wait_for_timeout(100)
        world.expect(not held, f"tabs that are hidden hold {len(held)} streams")
        world.expect(begun == 12, f"twelve tabs began {begun} streams")
        asked = []
        for page in tabs:
            page.on("request", lambda request: asked.append(request.url))
        buy(shop, "anna")
        shop.need(lambda: shop.api("/v1/notifications")["items"])
        world.expect(not asked, f"tabs that are hidden ask: {asked[:3]}")
        # The one that is seen again shows what happened.
        tabs[0].evaluate("() => { Object.defineProperty(document, 'hidden', { value: false, configurable: true });"
                         " document.dispatchEvent(new Event('visibilitychange')) }")
        tabs[0].get_by_role("button", name="1 new: show").or_(tabs[0].get_by_text("SUBSCRIBED")).first.wait_for()


@with_shop
def test_a_page_that_is_paused_asks_nothing(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    with world.page() as watching, world.page() as paused:
        for page in (watching, paused):
            page.context.add_cookies(cookies)
            page.goto(shop.base + "/console/notifications")
            page.get_by_role("button", name="Live").wait_for()
        paused.get_by_role("button", name="Live").click()
        asked = []
        paused.on("request", lambda request: asked.append(request.url))
        buy(shop, "anna")
        # Once the other page has heard of it, this one would have as well.
        watching.get_by_role("button", name="1 new: show").focus()
        # What else makes a page ask: somebody comes back to it, or leaves a field.
        paused.evaluate("() => { document.dispatchEvent(new Event('visibilitychange')); dispatchEvent(new Event('focusout')) }")
        buy(shop, "ben")
        watching.get_by_role("button", name="2 new: show").wait_for()
        world.expect(
            watching.evaluate("document.activeElement.textContent") == "2 new: show", "who is on the button loses it when more comes")
        world.expect(not asked, f"asked while paused: {asked}")
        world.expect("SUBSCRIBED" not in paused.inner_text("main"), "a page that is paused changes")
        paused.get_by_role("button", name="Paused").click()
        paused.get_by_role("button", name="2 new: show").click()
        world.expect(paused.locator("main tbody tr").count() == 2, "what happened meanwhile is not shown")


def test_streams_for_ten_minutes(world: World):
    if os.environ.get("CONSOLE_LONG") != "1":
        print("    not run: CONSOLE_LONG=1 runs it for ten minutes")
        return
    with_shop(streams_for)(world)


def streams_for(world: World, shop: Shop, half: float = 300):
    """Half of the time nothing happens, half of it notifications come in."""
    cookie = f"{COOKIE}={session(sign_in(world, shop))}"
    buy(shop, "first")
    shop.need(lambda: shop.api("/v1/notifications")["items"])
    before, _ = used(shop)
    with streams(world, shop, cookie, CAPACITY) as answers:
        opened, begin = used(shop)
        # That nothing happens is what is measured; who does nothing at all for long is taken for hung.
        for _ in range(10):
            time.sleep(half / 10)
        _, end = used(shop)
        idle = (end - begin) / half
        finish, count = time.monotonic() + half, 0
        while time.monotonic() < finish:
            count += 1
            buy(shop, f"customer-{count}")
        after, _ = used(shop)
        print(f"    memory: {before:.0f} MiB without streams, {opened:.0f} with {CAPACITY}, {after:.0f} after {count} purchases; "
              f"idle: {idle * 100:.2f} % of a core")
        world.expect(opened - before < 10, f"{CAPACITY} streams take {opened - before:.1f} MiB")
        world.expect(idle < 0.02, f"{idle * 100:.2f} % of a core while nothing happens")
        # It comes in the pieces in which it was sent: what opens it, a comment every 20 seconds, and then what happened.
        said = b""
        for _ in range(200):
            said += answers[0].read1(65536)
            if b"data:" in said:
                break
        world.expect(b"data:" in said, f"a stream said nothing of what happened: {said[:200]}")
