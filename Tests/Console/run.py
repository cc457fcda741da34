"""Runs the browser tests beside this file: all, or those whose names contain the arguments.

Each test runs in its own process, so that the runner can end a test that hangs and print its stack. Chromium sometimes hangs when
it closes a page that is not loaded yet, and Playwright waits for it without a time limit. The pages do not cause this, so the test
runs once more, and fails if it hangs again. Two tests run at a time. The failures of all tests are printed again at the end.
"""
import concurrent.futures
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
# The maximum duration of a test, and for how long it may be idle, in seconds. All waits in tests have shorter time limits.
MAXIMUM_DURATION, MAXIMUM_IDLE = 1200 if os.environ.get("CONSOLE_LONG") == "1" else 600, 150
# The exit status if Chromium is missing.
MISSING = 69


def tests():
    """Yields the file and the name of each test."""
    for file in sorted(FOLDER.glob("test_*.py")):
        for name, test in vars(importlib.import_module(file.stem)).items():
            if name.startswith("test_") and callable(test):
                yield file.stem, name


def print_stacks(*_):
    """Prints the stack of the test. Playwright runs it in a greenlet; other traces show only Playwright's own loop."""
    import greenlet
    for one in gc.get_objects():
        if isinstance(one, greenlet.greenlet) and one.gr_frame:
            traceback.print_stack(one.gr_frame)
    sys.stderr.flush()


def run_one(file: str, name: str, failures_file: str) -> int:
    """Runs one test in this process and ends the process. Appends the failures to `failures_file`."""
    import harness
    signal.signal(signal.SIGUSR1, print_stacks)
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
            with open(failures_file, "a", encoding="utf-8") as out:
                out.writelines(f"    {text}\n" for text in world.failures)
            # The browser ends with the process. Closing it takes time, and sometimes hangs.
            os._exit(1 if world.failures else 0)
    except FileNotFoundError as error:
        print(error, flush=True)
        return MISSING


def processor_time(process: subprocess.Popen) -> str:
    """Returns the processor time of the test's main thread so far, as the kernel prints it."""
    try:
        return pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/schedstat").read_text()
    except OSError:
        return ""


def run_in_process(file: str, name: str, failures_file: str) -> int | None:
    """Runs one test in a process group of its own, and ends the group. Returns the exit status, or None if the test hung.

    Appends the failures to `failures_file`. Removes the temporary files of the test and its browser.
    """
    with tempfile.TemporaryDirectory(prefix="console-", ignore_cleanup_errors=True) as folder:
        return run_in_folder(folder, file, name, failures_file)


def run_in_folder(folder: str, file: str, name: str, failures_file: str) -> int | None:
    process = subprocess.Popen([sys.executable, __file__, "--one", file, name, failures_file], start_new_session=True,
                               env={**os.environ, "TMPDIR": folder})
    begin = last_progress = time.monotonic()
    before = ""
    try:
        while time.monotonic() - begin < MAXIMUM_DURATION and time.monotonic() - last_progress < MAXIMUM_IDLE:
            try:
                return process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                if (now := processor_time(process)) != before:
                    before, last_progress = now, time.monotonic()
        process.send_signal(signal.SIGUSR1)
        time.sleep(2)
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(file: str, name: str) -> tuple[int | None, str]:
    """Runs a test, and once more if it hangs. Returns the exit status, or None if it hung again, and the failures."""
    with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as failures_file:
        status = run_in_process(file, name, failures_file.name)
        if status is None:
            print(f"✘ {name} hung and is run once more", flush=True)
            status = run_in_process(file, name, failures_file.name)
        return status, failures_file.read()


def main(wanted: list[str]) -> int:
    chosen = [(file, name) for file, name in tests() if not wanted or any(w in f"{file}.{name}" for w in wanted)]
    if not chosen:
        print("no test ran: the argument must be a part of a test's name")
        return 1
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(lambda test: run(*test), chosen))
    if any(status == MISSING for status, _ in results):
        if os.environ.get("COUNTERFOIL_BROWSER") == "required":
            print("the browser tests are required; make console-test installs what they need")
            return 1
        print("console tests skipped; make console-test installs what they need")
        return 0
    failures = [f"  ✘ {name}\n{said}".rstrip() for (_, name), (status, said) in zip(chosen, results) if status != 0]
    print("\n".join([f"{len(chosen)} browser tests, {len(failures)} failed", *failures]))
    return 1 if failures else 0


sys.exit(run_one(*sys.argv[2:]) if sys.argv[1:2] == ["--one"] else main(sys.argv[1:]))
