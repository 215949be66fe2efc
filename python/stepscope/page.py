"""The page of a run, served by this process on a free port of 127.0.0.1."""
from __future__ import annotations

import html
import sys
import weakref
import webbrowser
from typing import Any


class Page:
    """A server of the page. It ends with close(), at the end of `with`, or with the process.

        with run.serve() as page:
            print(page.url)
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        # Before the interpreter ends: its threads may run analyses in Python.
        weakref.finalize(self, core.close)
        self._size: tuple[str, str] = ("100%", "720")

    @property
    def url(self) -> str:
        """The address, with the token that only this server knows; "" once it is closed."""
        return self._core.url

    def close(self) -> None:
        """Ends the server."""
        self._core.close()

    def shown(self, width: int | str, height: int | str) -> Page:
        """Opens it in a browser, unless a notebook shows what this returns."""
        self._size = (str(width), str(height))
        if "ipykernel" not in sys.modules:
            webbrowser.open(self.url)
        return self

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<stepscope.Page {self.url or 'closed'}>"

    def _repr_html_(self) -> str:
        width, height = map(html.escape, self._size)
        return (f'<iframe src="{html.escape(self.url)}" width="{width}" height="{height}" '
                'style="border:0" title="Stepscope"></iframe>')
