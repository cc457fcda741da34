"""Open pages of the simulator: which changes they follow, and when they wait."""
from harness import Simulator, World, with_simulator
from shop import MONTHLY


@with_simulator
def test_pages_follow_what_happens_and_pause_is_silent(world: World, simulator: Simulator):
    with world.page() as page, world.page() as watching:
        page.goto(simulator.base)
        simulator.do("purchase", customer="anna", product=MONTHLY)
        page.get_by_role("button", name="1 new: show").click()
        world.expect(page.locator("main table a", has_text="anna").count() == 1, "anna is not shown")
        for one in (page, watching):
            one.goto(f"{simulator.base}/customers/anna")
        simulator.do("cancel", customer="anna")
        for one in (page, watching):
            one.get_by_text("does not renew", exact=True).wait_for()
        page.get_by_role("button", name="Live").click()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        # A page that becomes visible requests an update at once, unless it is paused.
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        simulator.do("resume", customer="anna")
        # When the other page has the change, a page that is not paused would have it too.
        watching.get_by_text("renews into").first.wait_for()
        world.expect(not asked, f"asked while paused: {asked}")
        page.get_by_role("button", name="Paused").click()
        page.get_by_text("renews into").first.wait_for()


@with_simulator
def test_a_page_with_a_refused_form_stays_live(world: World, simulator: Simulator):
    simulator.do("purchase", customer="anna", product=MONTHLY)
    simulator.do("cancel", customer="anna")
    with world.page() as page:
        page.goto(f"{simulator.base}/customers/anna")
        page.locator("#form-cancel button").click()
        page.locator("main .problem").wait_for()
        # The page has the address of the form, which cannot be requested with GET.
        with page.expect_response(lambda answer: "fragment=all" in answer.url) as answer:
            simulator.do("resume", customer="anna")
        world.expect(answer.value.status == 200, f"{answer.value.url}: {answer.value.status}")
        page.get_by_text("renews into").first.wait_for()


@with_simulator
def test_selected_or_open_content_is_updated_later(world: World, simulator: Simulator):
    simulator.do("purchase", customer="anna", product=MONTHLY)
    ends = "does not renew"

    def change(page, command: str):
        simulator.do(command, customer="anna")
        # The page has the change, and applies it later. Its content security policy forbids eval, which `wait_for_function` needs.
        for _ in range(200):
            if page.evaluate("document.querySelector('#state').isStale"):
                return
            page.wait_for_timeout(50)
        world.expect(False, f"the page has not heard of {command}")

    with world.page() as page:
        page.goto(f"{simulator.base}/customers/anna")
        # The selection begins in the heading, which stays, and ends in an element that is replaced.
        page.evaluate("getSelection().setBaseAndExtent(document.querySelector('h1'), 0, document.querySelector('#state table'), 1)")
        change(page, "cancel")
        world.expect(page.get_by_text(ends, exact=True).count() == 0, "what is selected is replaced")
        page.evaluate("getSelection().removeAllRanges()")
        page.get_by_text(ends, exact=True).wait_for()
        # The same for an open details element.
        page.evaluate("document.querySelector('#state').append(Object.assign(document.createElement('details'), { open: true }))")
        change(page, "resume")
        world.expect(page.get_by_text(ends, exact=True).count() == 1, "what is opened is replaced")
        page.evaluate("document.querySelector('#state details').open = false")
        page.get_by_text("renews into").first.wait_for()


@with_simulator
def test_twelve_tabs_are_open(world: World, simulator: Simulator):
    with world.page() as first:
        for _ in range(12):
            page = first.context.new_page()
            page.goto(simulator.base, timeout=5000)
            # A headless browser reports every tab as visible, so the test sets `hidden`.
            page.evaluate("() => { Object.defineProperty(document, 'hidden', { value: true });"
                          " document.dispatchEvent(new Event('visibilitychange')) }")


@with_simulator
def test_an_advance_is_followed_and_stopped(world: World, simulator: Simulator):
    for index in range(300):
        simulator.do("purchase", customer=f"c{index}", product=MONTHLY)
    with world.page() as page:
        page.goto(simulator.base)
        page.get_by_label("Forward to").fill("2110-01-01")
        page.get_by_role("button", name="Go").click()
        page.get_by_role("button", name="Stop").wait_for()
        world.check(page, "while the clock advances")
        world.picture(page, "simulator-advancing")
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Go").wait_for()
        world.expect(simulator.call("GET", "/clock")["now"] < 4417977600000, "it was not stopped")
