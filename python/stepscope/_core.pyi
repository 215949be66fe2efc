"""The extension module (src/python), which only this package uses."""
from typing import Any

def __getattr__(name: str) -> Any: ...
