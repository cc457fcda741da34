"""Checks of an open page that axe does not have: the order of Tab, the visibility of the focus, the size of targets."""
from playwright.sync_api import Page

# Links within a sentence may be as high as its line (WCAG 2.5.8). A control can also be pressed by its label.
TARGETS = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter(e => {
  if (!e.checkVisibility() || e.closest("svg") || e.matches(".skip, [type=file]")) return false;
  if (getComputedStyle(e).display === "inline" && e.parentElement.textContent.trim() !== e.textContent.trim()) return false;
  const both = [e, e.closest("label") || e].map(o => o.getBoundingClientRect());
  return Math.max(...both.map(r => r.width)) < 23.5 || Math.max(...both.map(r => r.height)) < 23.5 }).slice(0, 4)
  .map(e => { const r = e.getBoundingClientRect(); return `${e.tagName} ${(e.textContent || e.name).trim().slice(0, 30)} ${Math.round(r.width)}x${Math.round(r.height)}` })"""

# Texts that end outside their drawing.
CUT_TEXTS = """() => [...document.querySelectorAll("svg.drawing text")].some(e => {
  const t = e.getBoundingClientRect(), d = e.ownerSVGElement.getBoundingClientRect();
  return t.width && (t.left < d.left - 1 || t.right > d.right + 1) })"""

# Texts of a drawing that are smaller than 11 pixels, or that overlap.
BAD_TEXTS = """() => [...document.querySelectorAll("svg.drawing")].flatMap(svg => {
  const texts = [...svg.querySelectorAll("text")].filter(e => e.getBoundingClientRect().width);
  return texts.filter((e, i) => {
    const t = e.getBoundingClientRect();
    return parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a < 10.9 || texts.slice(0, i).some(o => {
      const r = o.getBoundingClientRect();
      return Math.min(t.right, r.right) - Math.max(t.left, r.left) > 1 && Math.min(t.bottom, r.bottom) - Math.max(t.top, r.top) > 3 }) }) })
  .slice(0, 4).map(e => e.textContent)"""

# Numbers in tables of up to eight columns, unless the rows are stacked.
BROKEN_NUMBERS = """() => [...document.querySelectorAll("td.num")].filter(e => {
  const r = document.createRange();
  r.selectNodeContents(e);
  return getComputedStyle(e).display === "table-cell" && e.parentElement.children.length < 9
    && new Set([...r.getClientRects()].map(r => Math.round(r.top))).size > 1 }).slice(0, 4).map(e => e.textContent.trim())"""

# Names of products in a column that are broken within a word.
BROKEN_NAMES = """() => [...document.querySelectorAll("td bdi, tbody th bdi")].filter(e => {
  if (!/^[a-z]+(\\.[a-z0-9]+)+$/.test(e.textContent)) return false;
  return [...e.childNodes].filter(n => n.nodeType === 3).some(n => {
    const r = document.createRange();
    r.selectNodeContents(n);
    return new Set([...r.getClientRects()].map(r => Math.round(r.top))).size > 1 }) }).slice(0, 4).map(e => e.textContent)"""

# Text fields that leave much of a narrow screen unused.
NARROW_FIELDS = """() => innerWidth > 400 ? [] : [...document.querySelectorAll("form.stack [type=text]:not([size])")].filter(e => e.checkVisibility()
  && e.getBoundingClientRect().width < e.closest("form").getBoundingClientRect().width - 2).slice(0, 4).map(e => e.name)"""

# The buttons at the end of forms.
LOW_BUTTONS = """() => [...document.querySelectorAll("main .buttons button")].filter(e => e.getBoundingClientRect().height < 43.5)
  .slice(0, 4).map(e => e.textContent.trim())"""

FOCUSABLE = "a[href], button:not(:disabled), input:not([type=hidden]):not(:disabled), select, textarea, summary, [tabindex='0']"

# Collects each element that gets the focus, in order.
BEGIN = """() => { const b = document.body; b.tabIndex = -1; b.focus(); b.blur(); b.removeAttribute("tabindex"); getSelection().removeAllRanges(); scrollTo(0, 0); globalThis.walked = [] }"""
STEP = """() => {
  const e = document.activeElement, walked = globalThis.walked;
  if (!e || e === document.body || walked.includes(e)) return null;
  const before = walked.at(-1), s = getComputedStyle(e), found = [];
  walked.push(e);
  const name = `${e.tagName} ${(e.id || e.getAttribute("aria-label") || e.textContent).trim().slice(0, 40)}`;
  if (before && !(before.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)) found.push(`${name} has the focus before an element that precedes it`);
  if (s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2) found.push(`the focus on ${name} is not visible`);
  const r = [...e.getClientRects()].find(r => r.width && r.height);
  if (!r) return [...found, `${name} has the focus and no size`];
  const x = r.left + Math.min(r.width / 2, 60), y = Math.max(r.top, 0) + Math.min(Math.min(r.bottom, innerHeight) - Math.max(r.top, 0), 30) / 2;
  const over = document.elementFromPoint(x, y);
  if (!over) found.push(`${name} has the focus out of sight`);
  else if (!e.contains(over) && !over.contains(e)) found.push(`${name} has the focus below ${over.tagName}.${over.className}`);
  return found }"""
# A live page may replace an element meanwhile. The new one counts as reached if the old one was.
MISSED = """selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility({ visibilityProperty: true }) && e.tabIndex >= 0
    && !globalThis.walked.some(w => w === e || !w.isConnected && w.tagName === e.tagName && w.textContent === e.textContent))
  .slice(0, 4).map(e => `${e.tagName} ${(e.id || e.textContent).trim().slice(0, 40)}`)"""


def small_targets(page: Page) -> list[str]:
    """Returns the targets that are too small for a finger."""
    return [f"{target} is smaller than 24 px" for target in page.evaluate(TARGETS)] + [
        f"the button {button} is lower than 44 px" for button in page.evaluate(LOW_BUTTONS)]


def structure(page: Page) -> list[str]:
    """Returns problems of the title and of the order of the page."""
    found = []
    title, has_problem = page.title(), page.locator("main .problem").count() > 0
    if has_problem != title.startswith("Error: "):
        found.append(f"the title is {title!r} {'on a page with a problem' if has_problem else 'on a page without a problem'}")
    if page.evaluate("() => [...document.querySelectorAll('svg .now')].some(e => { const x = e.getBoundingClientRect().left; return x < 0 || x > innerWidth })"):
        found.append("a drawing hides where now is")
    if page.evaluate(CUT_TEXTS):
        found.append("a drawing cuts off a text")
    found += [f"the text {text} of a drawing is too small or covers another" for text in page.evaluate(BAD_TEXTS)]
    found += [f"the number {number} is broken into two lines" for number in page.evaluate(BROKEN_NUMBERS)]
    found += [f"the name {name} is broken within a word" for name in page.evaluate(BROKEN_NAMES)]
    found += [f"the field {name} is narrower than the form on a phone" for name in page.evaluate(NARROW_FIELDS)]
    if page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count():
        found.append("a tabindex is positive")
    return found


def tab_through(page: Page, most: int = 150) -> list[str]:
    """Moves through the page with Tab. Returns the problems found."""
    page.evaluate(BEGIN)
    found: list[str] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        step = page.evaluate(STEP)
        if step is None:
            found += [f"Tab does not reach {name}" for name in page.evaluate(MISSED, FOCUSABLE)]
            return found
        found += step
    return found
