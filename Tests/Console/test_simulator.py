"""The web pages of the simulator."""
import re
import time
import urllib.error
import urllib.parse
import urllib.request

from harness import HOSTILE, USERS, Simulator, User, World, with_simulator
from shop import MONTHLY

PAGES = ["", "trigger", "notifications", "faults", "catalogue", "settings", "snapshots", "scenarios"]


def populate(simulator: Simulator):
    simulator.do("purchase", customer="anna", product=MONTHLY)
    simulator.do("purchase", customer="ben", product="com.example.unlock")
    simulator.do("purchase", customer="carl", product=MONTHLY)
    simulator.call("POST", "/clock/advance", {"by": "40 days"})
    simulator.do("failBilling", customer="carl")
    simulator.do("cancel", customer="anna")
    simulator.do("purchase", customer="anna", product="com.example.unlock")
    simulator.do("requestRefund", customer="ben")
    simulator.do("approveRefund", customer="ben")
    simulator.do("shareWithFamily", customer="anna", member="dora")
    simulator.call("POST", "/clock/advance", {"by": "25 days"})
    simulator.call("POST", "/faults", {"target": "notification:*", "effect": {"drop": {}}, "probability": 0.1})
    simulator.call("POST", "/snapshots", {"name": "before-renewal"})


@with_simulator
def test_every_page_without_data(world: World, simulator: Simulator):
    for page in PAGES:
        world.inspect(f"{simulator.base}/{page}?environment=sandbox", f"simulator-{page or 'customers'}-empty")
    for page in ("customers/nobody", "notifications/00000000-0000-0000-0000-000000000000"):
        world.inspect(f"{simulator.base}/{page}", f"simulator-{page.split('/')[0]}-missing", status=404)


@with_simulator
def test_every_page_with_data(world: World, simulator: Simulator):
    populate(simulator)
    for page in PAGES:
        world.inspect(f"{simulator.base}/{page}", f"simulator-{page or 'customers'}")
    for name in ("anna", "ben", "carl", "dora"):
        world.inspect(f"{simulator.base}/customers/{name}", f"simulator-customer-{name}")
    transaction = simulator.call("GET", "/production/customers/anna")["subscriptions"][0]["transactionId"]
    world.inspect(f"{simulator.base}/customers/anna?text={transaction}", "simulator-customer-text")
    world.inspect(f"{simulator.base}/customers/anna?text=receipt", "simulator-customer-receipt")
    uuid = simulator.call("GET", "/production/notifications")["items"][0]["notificationUUID"]
    world.inspect(f"{simulator.base}/notifications/{uuid}", "simulator-notification")


def journey(world: World, simulator: Simulator, user: User):
    with world.page(script=user.script) as page:
        page.goto(simulator.base)
        form = page.locator("#form-buy")
        user.fill(form.get_by_label("Customer"), "anna$smith")
        user.choose(form.get_by_label("Product"), MONTHLY)
        if user.script:
            world.expect(form.locator("code").inner_text() == f"counterfoil simulator buy 'anna$smith' {MONTHLY}",
                         f"the command is {form.locator('code').inner_text()}")
        user.press(form.get_by_role("button"))
        world.expect(page.locator("h1").inner_text() == "Customer anna$smith", "no page of the customer")
        world.expect("SUBSCRIBED.INITIAL_BUY" in page.locator(".note").inner_text(), "the page does not say what was done")
        page.reload()
        user.choose(page.locator("#advance-by"), "1 month")
        user.press(page.get_by_role("button", name="Forward"))
        for _ in range(50):
            page.goto(f"{simulator.base}/customers/anna%24smith")
            if page.locator("table").nth(1).locator("tbody tr").count() >= 2:
                break
            time.sleep(0.1)
        world.expect(page.locator("table").nth(1).locator("tbody tr").count() >= 2, "no renewal within the month")
        user.press(page.locator("#form-cancel button"))
        world.expect("DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED" in page.locator(".note").inner_text(), "not cancelled")
        user.press(page.locator("#form-cancel button"))
        world.expect(page.title().startswith("Error: "), "a second cancellation is no error")
        world.expect(page.locator(".problem").count() == 1, "no reason")
        if user.script:
            world.check(page, "a form that was refused")
        if user.script:
            world.expect(page.evaluate("document.activeElement.className") == "problem", "the reason has not the focus")
        page.goto(f"{simulator.base}/notifications")
        user.press(page.locator("main table tbody a").first)
        world.expect("Exact text" in page.content(), "no text of the notification")
        page.goto(f"{simulator.base}/faults")
        user.press(page.locator("#form-down button"))
        world.expect(page.locator("main table tbody tr").count() == 1, "the preset is not on")
        user.press(page.locator("#form-all-off button"))
        world.expect(page.locator("main table").count() == 0, "the faults are not off")
        page.goto(f"{simulator.base}/trigger")
        user.choose(page.locator("#form-trigger").get_by_label("Type"), "REFUND")
        user.press(page.locator("#form-trigger").get_by_role("button"))
        world.expect("REFUND" in page.locator("main tbody").first.inner_text(), "nothing was triggered")
        page.goto(f"{simulator.base}/snapshots")
        user.fill(page.get_by_label("Name"), "one")
        user.press(page.locator("#form-save button"))
        page.goto(f"{simulator.base}/snapshots")
        user.press(page.locator("#form-reset button"))
        if user.script:
            world.check(page, "the question about a reset")
            world.picture(page, "simulator-reset-question")
        user.fill(page.get_by_label(re.compile("to confirm")), "reset")
        user.press(page.get_by_role("button", name="Reset"))
        world.expect("empty" in page.locator(".note").inner_text(), "no reset")
        page.goto(simulator.base)
        world.expect("No customers yet" in page.content(), "customers after a reset")
        page.goto(f"{simulator.base}/snapshots")
        user.press(page.locator("#form-restore-0 button"))
        user.press(page.get_by_role("button", name="Restore"))
        page.goto(simulator.base)
        world.expect("anna$smith" in page.content(), "the snapshot has not come back")
        page.goto(f"{simulator.base}/scenarios")
        user.press(page.locator("#form-run-upgrade button"))
        world.expect("as expected" in page.locator(".note").inner_text(), "the scenario has not passed")
        if user.script:
            world.check(page, "a report")
            world.picture(page, "simulator-report")


@with_simulator
def test_a_day_in_the_simulator_with_the_mouse(world: World, simulator: Simulator):
    journey(world, simulator, USERS[0])


@with_simulator
def test_a_day_in_the_simulator_without_javascript(world: World, simulator: Simulator):
    journey(world, simulator, USERS[1])


@with_simulator
def test_a_day_in_the_simulator_by_keys(world: World, simulator: Simulator):
    journey(world, simulator, USERS[2])


@with_simulator
def test_a_purchase_by_keyboard_alone(world: World, simulator: Simulator):
    simulator.do("purchase", customer="anna", product=MONTHLY)
    with world.page() as page:
        page.goto(simulator.base)
        page.keyboard.press("Tab")
        world.expect(page.evaluate("document.activeElement.textContent") == "Skip to the content", "no skip link")
        page.keyboard.press("Enter")
        # The focus is visible: every focused element has an outline and lies within the window.
        seen = []
        for _ in range(60):
            page.keyboard.press("Tab")
            seen.append(page.evaluate(
                "() => { const e = document.activeElement, r = e.getBoundingClientRect(), s = getComputedStyle(e);"
                " return [e.id || e.textContent.trim().slice(0, 30), s.outlineStyle, parseFloat(s.outlineWidth),"
                " r.top >= 0 && r.bottom <= innerHeight + 1 || r.height > innerHeight] }"))
            if seen[-1][0] == "buy-customer":
                break
        else:
            world.fail("the form cannot be reached")
        for what, style, width, visible in seen:
            world.expect(style != "none" and width >= 3, f"the focus on {what} is not seen")
            world.expect(visible, f"{what} has the focus out of sight")
        page.keyboard.type("kim")
        for _ in range(10):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.tagName") == "BUTTON":
                break
        page.keyboard.press("Enter")
        page.wait_for_url("**/customers/kim*")
        page.keyboard.press("Escape")
        page.wait_for_url(re.compile(r"/(\?.*)?$"))
        page.keyboard.press("j")
        page.keyboard.press("j")
        world.expect(page.evaluate("document.activeElement.textContent") == "kim", "j does not move down")
        page.keyboard.press("k")
        world.expect(page.evaluate("document.activeElement.textContent") == "anna", "k does not move up")
        page.keyboard.press("Enter")
        page.wait_for_url("**/customers/anna*")
        page.keyboard.press("g")
        page.keyboard.press("n")
        page.wait_for_url("**/notifications*")
        page.keyboard.press("?")
        world.expect(page.locator("dialog[open]").count() == 1, "no list of shortcuts")
        keys = page.locator("dialog kbd").all_inner_texts()
        world.expect("p" in keys and "/" not in keys, f"the list has {keys}, but there is no search and a live page")
        world.check(page, "the list of shortcuts")
        page.keyboard.press("Escape")
        world.expect(page.locator("dialog").count() == 0, "the list of shortcuts stays")


@with_simulator
def test_the_script_does_not_move_the_footer(world: World, simulator: Simulator):
    heights = []
    for script in (False, True):
        with world.page(script=script) as page:
            page.goto(simulator.base)
            if script:
                page.locator("footer [data-copy]").first.wait_for()
            heights.append(page.locator("footer").bounding_box()["height"])
    world.expect(heights[0] == heights[1] > 0, f"the footer changes its height: {heights}")


@with_simulator
def test_a_form_that_is_sent_twice_acts_once(world: World, simulator: Simulator):
    with world.page(script=False) as page:
        page.goto(simulator.base)
        ticket = page.locator("#form-buy input[name=ticket]").input_value()
        form = {"ticket": ticket, "form": "buy", "page": "/", "environment": "production", "command": "purchase",
                "customer": "anna", "product": "com.example.coins.100"}
        for _ in range(3):
            answer = page.request.post(
                f"{simulator.base}/forms/do", form=form, headers={"Origin": simulator.base}, max_redirects=0)
            world.expect(answer.status == 303, f"{answer.status}")
        world.expect(len(simulator.call("GET", "/production/customers/anna")["purchases"]) == 1, "bought several times")
        form["ticket"] = "1.2.3"
        answer = page.request.post(f"{simulator.base}/forms/do", form=form, headers={"Origin": simulator.base})
        world.expect(answer.status == 409 and "too old" in answer.text(), "an invented ticket is taken")


@with_simulator
def test_hostile_texts_in_the_simulator_are_escaped(world: World, simulator: Simulator):
    names = []
    for name in HOSTILE:
        try:
            simulator.do("createCustomer", customer=name)
            names.append(name)
        except urllib.error.HTTPError as error:
            world.expect(error.code in (400, 409), f"{name!r}: {error.code}")
    world.expect(len(names) > 20, f"only {len(names)} names were taken")
    catalogue = simulator.call("GET", "/production/catalogue")
    for product, text in zip(catalogue["products"], HOSTILE):
        product["name"] = text
    simulator.call("PUT", "/production/catalogue", catalogue)
    for name in names[:8]:
        simulator.do("purchase", customer=name, product=MONTHLY)
    world.inspect(simulator.base, "simulator-hostile-customers")
    world.inspect(f"{simulator.base}/catalogue", "simulator-hostile-catalogue")
    world.inspect(f"{simulator.base}/notifications", "simulator-hostile-notifications")
    with world.page() as page:
        page.goto(simulator.base)
        hrefs = {link.get_attribute("href") for link in page.locator("main table tbody th a").all()}
        world.expect(len(hrefs) == len(names), f"{len(names)} customers have {len(hrefs)} pages")
        for href in hrefs:
            answer = page.goto(simulator.base + href)
            world.expect(answer.status == 200, f"{href}: {answer.status}")
            world.expect(page.locator("h1").count() == 1, f"{href} is broken")
            world.expect("alert(" not in page.evaluate("[...document.scripts].map(s => s.textContent).join()"), href)
        for text in HOSTILE:
            page.goto(f"{simulator.base}/notifications?customer=" + urllib.parse.quote(text, safe=""))
            world.expect(page.locator("#filter-customer").input_value() == text.replace("\n", "").strip(" \t")
                         or not text.strip(), f"{text!r} comes back as {page.locator('#filter-customer').input_value()!r}")
            page.goto(f"{simulator.base}/customers/x?text=" + urllib.parse.quote(text, safe=""))


@with_simulator
def test_foreign_pages_reach_nothing(world: World, simulator: Simulator):
    stranger = Simulator()
    try:
        with world.page() as page:
            page.goto(stranger.base)
            port = simulator.base.rsplit(":", 1)[1]
            for path, kind in (("/simulator/reset", "text/plain"), ("/simulator/wait-until-idle", "text/plain"), ("/forms/do", "application/x-www-form-urlencoded")):
                status = page.request.post(
                    f"http://localhost:{port}{path}", data="x=1", headers={"Content-Type": kind, "Origin": stranger.base}).status
                world.expect(status == 403, f"{path}: {status}")
            for host in ("evil.example", "localhost.evil.example", f"evil.example:{port}"):
                request = urllib.request.Request(simulator.base + "/", headers={"Host": host})
                try:
                    status = urllib.request.urlopen(request).status
                except urllib.error.HTTPError as error:
                    status = error.code
                world.expect(status == 403, f"{host}: {status}")
    finally:
        stranger.stop()


@with_simulator
def test_only_the_button_of_a_dangerous_question_is_red(world: World, simulator: Simulator):
    simulator.call("POST", "/snapshots", {"name": "one"})
    with world.page() as page:
        for form, name, colour in (("reset", "Reset", "rgb(163, 21, 21)"), ("restore-0", "Restore", "rgb(163, 21, 21)"),
                                   ("save", "Save", "rgb(243, 245, 247)")):
            page.goto(f"{simulator.base}/snapshots")
            if name != "Save":
                page.locator(f"#form-{form} button").click()
                page.get_by_role("link", name="Cancel").wait_for()
            shown = page.get_by_role("button", name=name).evaluate("e => getComputedStyle(e).backgroundColor")
            world.expect(shown == colour, f"the button {name} is {shown}")


@with_simulator
def test_a_printed_page_has_no_heading_or_card_of_forms(world: World, simulator: Simulator):
    simulator.do("purchase", customer="anna", product=MONTHLY)
    with world.page() as page:
        page.emulate_media(media="print")
        for path, element in (("customers/anna", "#actions"), ("scenarios", "main .card")):
            page.goto(f"{simulator.base}/{path}")
            world.expect(page.locator(element).count() == 1, f"{path} has no {element}")
            world.expect(page.locator(element).is_hidden(), f"{path} prints {element}")
            world.expect(page.locator("main table").first.is_visible(), f"{path} prints no table")
