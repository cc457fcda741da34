"""Runs the browser tests beside this file: all, or those whose names contain the arguments."""
import importlib
import os
import pathlib
import sys
import time
import traceback

import harness

folder = pathlib.Path(__file__).parent
wanted = sys.argv[1:]
failures: list[str] = []
count = 0
try:
    with harness.browser() as browser:
        for file in sorted(folder.glob("test_*.py")):
            module = importlib.import_module(file.stem)
            for name, test in list(vars(module).items()):
                if not name.startswith("test_") or wanted and not any(w in f"{file.stem}.{name}" for w in wanted):
                    continue
                count += 1
                begin = time.monotonic()
                world = harness.World(browser)
                try:
                    test(world)
                except Exception:
                    world.fail(traceback.format_exc(limit=4))
                print(f"{'✘' if world.failures else '✔'} {name.removeprefix('test_').replace('_', ' ')} "
                      f"({time.monotonic() - begin:.1f} s)", flush=True)
                failures += [f"{name}: {failure}" for failure in world.failures]
except FileNotFoundError as error:
    if os.environ.get("COUNTERFOIL_BROWSER") == "required":
        sys.exit(f"the browser tests are required, and there is no {error}")
    print(f"console tests skipped: there is no {error}; make console-test installs it")
    sys.exit(0)
print(f"{count} browser tests, {len(failures)} failures")
sys.exit(1 if failures else 0)
