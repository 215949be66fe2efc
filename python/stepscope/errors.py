"""The exceptions of the package. Each says what failed, where, and what to try."""
from __future__ import annotations


class Error(Exception):
    """What all exceptions of this package are.

    what: what failed, in one sentence; where: the file, parameter or place, or ""; hint: what to try, or "".

        try:
            run = stepscope.open("traces/")
        except stepscope.Error as error:
            print(error.what, error.hint)
    """

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        self.what, self.where, self.hint = what, where, hint
        super().__init__(what)

    def __str__(self) -> str:
        parts = [self.what]
        if self.where:
            parts.append(f"  where: {self.where}")
        if self.hint:
            parts.append(f"  try:   {self.hint}")
        return "\n".join(parts)

    def __reduce__(self):
        return type(self), (self.what, self.where, self.hint)


class QuestionError(Error, ValueError):
    """What was asked for does not exist or does not fit: an analysis, a column, a step, a rank, a parameter."""


class InputError(Error, OSError):
    """A file or directory cannot be read, or holds no trace."""


class UseError(Error, RuntimeError):
    """A run cannot be used: it is closed, or was opened in another process."""


class MissingLibrary(Error, ImportError):
    """An optional library is not installed. The hint says how to install it."""
