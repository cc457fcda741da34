"""Runs the browser tests beside this file: all, or those whose names contain the arguments.

Each runs in a process of its own, so that one that hangs is ended and says where it stood. Chromium hangs now and then when
it closes a page that is not loaded yet, and Playwright waits for it without a limit. That is no fault of the pages: the test
runs once more, and fails if it hangs again. What each test that failed said is told again at the end.
"""
import gc
import importlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import traceback

FOLDER = pathlib.Path(__file__).parent
# The seconds that a test may take. Whatever it waits for has a shorter limit than the seconds that it may do nothing.
LONGEST, LONGEST_PAUSE = 1200 if os.environ.get("CONSOLE_LONG") == "1" else 600, 150
# What a process ends with where Chromium is missing.
MISSING = 69


def tests():
    """All tests: their file and name."""
    for file in sorted(FOLDER.glob("test_*.py")):
        for name, test in vars(importlib.import_module(file.stem)).items():
            if name.startswith("test_") and callable(test):
                yield file.stem, name


def say_where(*_):
    """Prints where the test stands: Playwright runs it beside its own loop, which is all that other traces show."""
    import greenlet
    for one in gc.get_objects():
        if isinstance(one, greenlet.greenlet) and one.gr_frame:
            traceback.print_stack(one.gr_frame)
    sys.stderr.flush()


def run_one(file: str, name: str, complaints: str) -> int:
    """Runs one test in this process, which ends with it. Writes its failures into the file of complaints."""
    import harness
    signal.signal(signal.SIGUSR1, say_where)
    begin = time.monotonic()
    try:
        with harness.browser() as browser:
            world = harness.World(browser)
            try:
                getattr(importlib.import_module(file), name)(world)
            except Exception:
                world.fail(traceback.format_exc(limit=4))
            print(f"{'✘' if world.failures else '✔'} {name.removeprefix('test_').replace('_', ' ')} "
                  f"({time.monotonic() - begin:.1f} s)", flush=True)
            with open(complaints, "a", encoding="utf-8") as out:
                out.writelines(f"    {text}\n" for text in world.failures)
            # The browser ends with the process; to close it takes time, and sometimes does not end.
            os._exit(1 if world.failures else 0)
    except FileNotFoundError as error:
        print(error, flush=True)
        return MISSING


def busy(process: subprocess.Popen) -> str:
    """What the test's own thread has had of a processor so far."""
    try:
        return pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/schedstat").read_text()
    except OSError:
        return ""


def run_apart(file: str, name: str, complaints: str) -> int | None:
    """Runs one test in a process of its own, with all that it starts, and ends them together. Returns None where it hung.

    What it says about its failures is added to the file of complaints. Its temporary files go with it, the browser's too.
    """
    with tempfile.TemporaryDirectory(prefix="console-", ignore_cleanup_errors=True) as folder:
        return run_apart_in(folder, file, name, complaints)


def run_apart_in(folder: str, file: str, name: str, complaints: str) -> int | None:
    process = subprocess.Popen([sys.executable, __file__, "--one", file, name, complaints], start_new_session=True,
                               env={**os.environ, "TMPDIR": folder})
    begin = still = time.monotonic()
    before = ""
    try:
        while time.monotonic() - begin < LONGEST and time.monotonic() - still < LONGEST_PAUSE:
            try:
                return process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                if (now := busy(process)) != before:
                    before, still = now, time.monotonic()
        process.send_signal(signal.SIGUSR1)
        time.sleep(2)
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main(wanted: list[str]) -> int:
    failures, count = [], 0
    for file, name in tests():
        if wanted and not any(w in f"{file}.{name}" for w in wanted):
            continue
        count += 1
        with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as complaints:
            status = run_apart(file, name, complaints.name)
            if status is None:
                print(f"✘ {name} hung and is run once more", flush=True)
                status = run_apart(file, name, complaints.name)
            said = complaints.read()
        if status == MISSING:
            if os.environ.get("COUNTERFOIL_BROWSER") == "required":
                print("the browser tests are required; make console-test installs what they need")
                return 1
            print("console tests skipped; make console-test installs what they need")
            return 0
        if status != 0:
            failures.append(f"  ✘ {name}\n{said}".rstrip())
    print("\n".join([f"{count} browser tests, {len(failures)} failed", *failures]))
    if not count:
        print("no test ran: is the argument a part of the name of one?")
    return 1 if failures or not count else 0


sys.exit(run_one(*sys.argv[2:]) if sys.argv[1:2] == ["--one"] else main(sys.argv[1:]))
