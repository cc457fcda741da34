"""Runs the browser tests beside this file: all, or those whose names contain the arguments.

Each runs in a process of its own, so that one that hangs is ended and says where it stood. A browser that hangs is not a
fault of the pages: the test runs once more, and fails if it hangs again.
"""
import faulthandler
import importlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import traceback

FOLDER = pathlib.Path(__file__).parent
# The seconds that a test may take, and what its process ends with if it took more.
LONGEST, HUNG = 1200 if os.environ.get("CONSOLE_LONG") == "1" else 600, 75
MISSING = 69


def tests():
    """All tests: their file and name."""
    for file in sorted(FOLDER.glob("test_*.py")):
        for name, test in vars(importlib.import_module(file.stem)).items():
            if name.startswith("test_") and callable(test):
                yield file.stem, name


def run_one(file: str, name: str) -> int:
    """Runs one test in this process."""
    import harness
    # The trace is written without the help of whatever hangs.
    faulthandler.dump_traceback_later(LONGEST, exit=False)
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
            return 1 if world.failures else 0
    except FileNotFoundError as error:
        print(error, flush=True)
        return MISSING


def run_apart(file: str, name: str) -> int:
    """Runs one test in a process of its own, with all that it starts, and ends them together."""
    process = subprocess.Popen([sys.executable, __file__, "--one", file, name], start_new_session=True)
    try:
        return process.wait(timeout=LONGEST + 15)
    except subprocess.TimeoutExpired:
        return HUNG
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
        status = run_apart(file, name)
        if status == HUNG:
            print(f"✘ {name} hung for {LONGEST} s and is run once more", flush=True)
            status = run_apart(file, name)
        if status == MISSING:
            if os.environ.get("COUNTERFOIL_BROWSER") == "required":
                print("the browser tests are required; make console-test installs what they need")
                return 1
            print("console tests skipped; make console-test installs what they need")
            return 0
        if status != 0:
            failures.append(name)
    print(f"{count} browser tests, {len(failures)} failed" + "".join(f"\n  ✘ {name}" for name in failures))
    return 1 if failures else 0


sys.exit(run_one(*sys.argv[2:]) if sys.argv[1:2] == ["--one"] else main(sys.argv[1:]))
