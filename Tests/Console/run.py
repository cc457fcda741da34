"""Runs the browser tests beside this file: all, or those whose names contain the arguments.

Each test runs in its own process, so that the runner can end a test that hangs and print its stack. Chromium sometimes hangs when
it closes a page that is not loaded yet, and Playwright waits for it without a time limit. The pages do not cause this, so the test
runs once more, and fails if it hangs again. Two tests run at a time. The failures of all tests are printed again at the end.
"""
import concurrent.futures
import contextlib
import gc
import importlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

FOLDER = pathlib.Path(__file__).parent
# The maximum duration of a test, and for how long it may be idle, in seconds. All waits in tests have shorter time limits.
MAXIMUM_DURATION, MAXIMUM_IDLE = 1200 if os.environ.get("CONSOLE_LONG") == "1" else 600, 150
# Set by Ctrl-C and SIGTERM. The tests have process groups of their own, which the signals do not reach.
STOPPED = threading.Event()


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


def run_one(file: str, name: str, failures_file: str):
    """Runs one test in this process and ends the process. Appends the failures to `failures_file`."""
    import harness
    signal.signal(signal.SIGUSR1, print_stacks)
    begin = time.monotonic()
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
        process = subprocess.Popen([sys.executable, "-B", __file__, "--one", file, name, failures_file],
                                   start_new_session=True, env={**os.environ, "TMPDIR": folder})
        try:
            return wait_for(process)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_for(process: subprocess.Popen) -> int | None:
    """Returns the exit status of the test, or None if it hangs or the runner is stopped. Prints the stack of one that hangs."""
    begin = last_progress = time.monotonic()
    before = ""
    while time.monotonic() - begin < MAXIMUM_DURATION and time.monotonic() - last_progress < MAXIMUM_IDLE:
        try:
            return process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            if STOPPED.is_set():
                return None
            if (now := processor_time(process)) != before:
                before, last_progress = now, time.monotonic()
    process.send_signal(signal.SIGUSR1)
    time.sleep(2)
    return None


def run(file: str, name: str) -> tuple[int | None, str]:
    """Runs a test, and once more if it hangs. Returns the exit status, or None if it hung again, and the failures."""
    with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as failures_file:
        status = None if STOPPED.is_set() else run_in_process(file, name, failures_file.name)
        if status is None and not STOPPED.is_set():
            print(f"✘ {name} hung and is run once more", flush=True)
            status = run_in_process(file, name, failures_file.name)
        return status, failures_file.read()


def main(wanted: list[str]) -> int:
    chosen = [(file, name) for file, name in tests() if not wanted or any(w in f"{file}.{name}" for w in wanted)]
    if not chosen:
        print("no test ran: the argument must be a part of a test's name")
        return 1
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: STOPPED.set())
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(lambda test: run(*test), chosen))
    if STOPPED.is_set():
        print("stopped before all tests had run")
        return 130
    failures = [f"  ✘ {name}\n{said}".rstrip() for (_, name), (status, said) in zip(chosen, results) if status != 0]
    print("\n".join([f"{len(chosen)} browser tests, {len(failures)} failed", *failures]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(run_one(*sys.argv[2:]) if sys.argv[1:2] == ["--one"] else main(sys.argv[1:]))
