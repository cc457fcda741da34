"""Open pages: which changes they follow, how many can be open, and how they survive a restart of the server."""
import contextlib
import http.client
import os
import resource
import time

from harness import World
from shop import MONTHLY, Shop, sign_in, with_shop
from test_security import COOKIE, session

CAPACITY = 64
# One key can have half of the streams.
TWO_KEYS = {"second": ["console:open", "operations:read"]}


def stream(shop: Shop, cookie: str, topics: str = "inbox"):
    """Opens a stream as a page does. Returns the connection and the response."""
    connection = http.client.HTTPConnection("127.0.0.1", shop.port, timeout=20)
    connection.request("GET", f"/console/events?topics={topics}", headers={"Cookie": cookie, "Sec-Fetch-Site": "same-origin"})
    return connection, connection.getresponse()


def try_stream(shop: Shop, cookie: str):
    """Opens a stream, or returns None if all are in use. A closed page may still hold its stream for a moment."""
    connection, answer = stream(shop, cookie)
    if answer.status == 200:
        return connection, answer
    answer.close()
    connection.close()
    return None


@contextlib.contextmanager
def streams(shop: Shop, cookies: list[str], count: int):
    """Opens streams with each of the cookies in turn."""
    opened = []
    try:
        for number in range(count):
            got = shop.wait(lambda: try_stream(shop, cookies[number % len(cookies)]))
            if not got:
                raise AssertionError(f"there is no room for stream {number + 1} of {count}")
            opened.append(got)
        yield [answer for _, answer in opened]
    finally:
        # The response also holds the connection open.
        for connection, answer in opened:
            answer.close()
            connection.close()


def resource_usage(shop: Shop) -> tuple[float, float]:
    """Returns the server's memory in MiB, and the processor time that it has used, in seconds."""
    process = shop.server.process.pid
    with open(f"/proc/{process}/statm") as file:
        memory = int(file.read().split()[1]) * resource.getpagesize() / 2**20
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return memory, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def buy(shop: Shop, customer: str):
    shop.simulator.do("purchase", customer=customer, product=MONTHLY)


@with_shop(keys=TWO_KEYS)
def test_one_page_too_many_says_that_it_is_not_live(world: World, shop: Shop):
    cookies = sign_in(world, shop)
    cookie = f"{COOKIE}={session(cookies)}"
    second = f"{COOKIE}={session(sign_in(world, shop, 'second'))}"
    with world.page() as page:
        page.context.add_cookies(cookies)
        with streams(shop, [cookie, second], CAPACITY) as answers:
            connection, refused = stream(shop, cookie)
            world.expect(refused.status == 429, f"one stream more is answered with {refused.status}")
            world.expect(refused.headers.get("Retry-After"), "a stream that is refused is not told when to come again")
            connection.close()
            page.goto(shop.base + "/console/notifications")
            page.locator("[data-live-state]", has_text="Not live").wait_for()
            world.check(page, "a page that is not live")
            # All open streams get the change, and the page without a stream still works.
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
        # Streams are available again.
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
    shop.require(lambda: shop.api("/v1/notifications")["items"])
    cookies = sign_in(world, shop)
    with world.page() as page:
        page.context.add_cookies(cookies)
        page.goto(shop.base + "/console/notifications")
        page.get_by_role("button", name="Live").wait_for()
        shop.server.process.kill()
        shop.server.process.wait()
        page.locator("[data-live-state]", has_text="Not").wait_for()
        shop.start()
        # A restart ends all sessions. The page says so, and links to the sign-in page.
        page.get_by_text("The session has ended.").wait_for(timeout=30_000)
        buy(shop, "ben")
        shop.wait(lambda: len(shop.api("/v1/notifications")["items"]) == 2)
        page.locator("[data-live-state] a").click()
        page.get_by_label("API key").fill(shop.key)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/console/notifications**")
        world.expect(page.locator("main tbody tr").count() == 2, "the page does not show what came while the server was away")
        # After the sign-in the page is live again.
        buy(shop, "carl")
        page.get_by_role("button", name="1 new: show").wait_for(timeout=30_000)


@with_shop
def test_outdated_news_are_not_offered(world: World, shop: Shop):
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
def test_twelve_tabs_and_hidden_tabs_of_the_server(world: World, shop: Shop):
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
            # A headless browser reports every tab as visible, so the test sets `hidden`.
            page.evaluate("() => { Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
                          " document.dispatchEvent(new Event('visibilitychange')) }")
            tabs.append(page)

        # Hidden tabs hold no stream.
        end = time.monotonic() + 10
        while held and time.monotonic() < end:
            first.wait_for_timeout(100)
        world.expect(not held, f"tabs that are hidden hold {len(held)} streams")
        world.expect(begun == 12, f"twelve tabs began {begun} streams")
        asked = []
        for page in tabs:
            page.on("request", lambda request: asked.append(request.url))
        buy(shop, "anna")
        shop.require(lambda: shop.api("/v1/notifications")["items"])
        world.expect(not asked, f"tabs that are hidden ask: {asked[:3]}")
        # A tab that becomes visible again shows the changes.
        tabs[0].evaluate("() => { Object.defineProperty(document, 'hidden', { value: false, configurable: true });"
                         " document.dispatchEvent(new Event('visibilitychange')) }")
        tabs[0].get_by_role("button", name="1 new: show").or_(tabs[0].get_by_text("SUBSCRIBED")).first.wait_for()


@with_shop
def test_a_paused_page_requests_nothing(world: World, shop: Shop):
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
        # When the other page has the change, a page that is not paused would have it too.
        watching.get_by_role("button", name="1 new: show").focus()
        # Other events that make a page request an update: it becomes visible, or a field loses the focus.
        paused.evaluate("() => { document.dispatchEvent(new Event('visibilitychange')); dispatchEvent(new Event('focusout')) }")
        buy(shop, "ben")
        watching.get_by_role("button", name="2 new: show").wait_for()
        world.expect(
            watching.evaluate("document.activeElement.textContent") == "2 new: show", "the button loses the focus when more notifications arrive")
        world.expect(not asked, f"asked while paused: {asked}")
        world.expect("SUBSCRIBED" not in paused.inner_text("main"), "a page that is paused changes")
        paused.get_by_role("button", name="Paused").click()
        paused.get_by_role("button", name="2 new: show").click()
        world.expect(paused.locator("main tbody tr").count() == 2, "what happened meanwhile is not shown")


def test_streams_for_ten_minutes(world: World):
    if os.environ.get("CONSOLE_LONG") != "1":
        print("    not run: make console-streams runs it for ten minutes")
        return
    with_shop(streams_for, keys=TWO_KEYS)(world)


def streams_for(world: World, shop: Shop, half: float = 300):
    """Holds all streams open, first without any change, then while notifications arrive; each phase lasts `half` seconds."""
    cookies = [f"{COOKIE}={session(sign_in(world, shop, name))}" for name in ["first", "second"]]
    buy(shop, "first")
    shop.require(lambda: shop.api("/v1/notifications")["items"])
    before, _ = resource_usage(shop)
    with streams(shop, cookies, CAPACITY) as answers:
        opened, begin = resource_usage(shop)
        # Measure the idle server. Sleep in parts, because the runner ends a test that uses no processor time for long.
        for _ in range(10):
            time.sleep(half / 10)
        _, end = resource_usage(shop)
        idle = (end - begin) / half
        finish, count = time.monotonic() + half, 0
        while time.monotonic() < finish:
            count += 1
            buy(shop, f"customer-{count}")
        after, _ = resource_usage(shop)
        print(f"    memory: {before:.0f} MiB without streams, {opened:.0f} with {CAPACITY}, {after:.0f} after {count} purchases; "
              f"idle: {idle * 100:.2f} % of a core")
        world.expect(opened - before < 10, f"{CAPACITY} streams take {opened - before:.1f} MiB")
        world.expect(idle < 0.02, f"{idle * 100:.2f} % of a core while nothing happens")
        # The stream arrives in the chunks that the server sent: the first line, a comment every 20 seconds, and the changes.
        said = b""
        for _ in range(200):
            said += answers[0].read1(65536)
            if b"data:" in said:
                break
        world.expect(b"data:" in said, f"a stream said nothing of what happened: {said[:200]}")
