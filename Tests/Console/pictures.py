"""Makes the screenshots in README.md from the pages that `counterfoil demo` serves at the end, if it runs on a terminal."""
import os
import pty
import re
import signal
import sys

import harness

FOLDER = harness.ROOT / "docs/images"
LARGEST = 200 * 1024


def demo():
    """Runs the demo on a pseudo-terminal until it prints the URLs of its pages. Returns its process ID, the URLs and the key."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "dumb"
        os.execv(harness.COMMAND, ["counterfoil", "demo"])
    output = b""
    while b"signs in with" not in output or not output.endswith(b"\n"):
        try:
            output += os.read(terminal, 4096)
        except OSError:  # A closed pseudo-terminal is an error, not the end of a file.
            sys.exit("the demo ended before it printed its pages:\n" + output.decode())
    said = output.decode().replace("\r", "")
    simulator = re.search(r"the App Store +(http\S+)", said).group(1)
    server = re.search(r"the server +(http\S+)", said).group(1)
    return process, simulator, server, re.search(r"signs in with (\S+)", said).group(1)


def main():
    process, simulator, server, key = demo()
    try:
        with harness.browser() as browser:
            page = browser.new_context(viewport={"width": 1100, "height": 900}).new_page()
            page.goto(server)
            page.get_by_label("API key").fill(key)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("**/console**")
            for name, url in {"console": server, "simulator": simulator}.items():
                page.goto(url)
                file = FOLDER / f"{name}.png"
                page.screenshot(path=file)
                print(f"{file.relative_to(harness.ROOT)}: {file.stat().st_size} bytes")
                if file.stat().st_size > LARGEST:
                    sys.exit(f"{name} is larger than {LARGEST} bytes")
    finally:
        os.kill(process, signal.SIGINT)
        os.waitpid(process, 0)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    main()
