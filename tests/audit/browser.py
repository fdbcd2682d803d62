"""A headless Chromium with a page open from disk, and all that it complained about or asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from browsers import installed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Without these it tries to reach its maker.
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
)  # fmt: skip

_GO = """hash => location.hash === hash ? null : new Promise(done => {
    addEventListener("hashchange", () => setTimeout(done), {once: true});
    location.hash = hash;
})"""


@dataclass
class Opened:
    """``complaints``: messages of the console and errors of the page; ``requests``: what it asked for besides itself."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def texts(self, selector: str) -> list[str]:
        """The text of each visible element."""
        return [item.inner_text() for item in self.page.locator(selector).all() if item.is_visible()]

    def go(self, fragment: str) -> None:
        """Follow a link inside of the page."""
        self.page.evaluate(_GO, fragment)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The browser that is installed."""
    from playwright.sync_api import sync_playwright

    path = installed()
    assert path is not None, "these tests need Chromium (Debian: apt-get install chromium)"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(browser: Browser, file: Path, width: int = 1280, scheme: str = "light") -> Iterator[Opened]:
    """The page of ``file`` in a window of its own."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light")
    found = Opened(context.new_page())
    found.page.on("console", lambda message: found.complaints.append(message.text))
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    found.page.on("dialog", lambda dialog: found.complaints.append(f"dialog: {dialog.message}"))
    found.page.on("request", lambda request: found.requests.append(request.url))
    found.page.goto(file.as_uri())
    found.requests.remove(file.as_uri())
    try:
        yield found
    finally:
        context.close()
