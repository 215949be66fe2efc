"""Integrations of three lines that record what a training program does, for its goodput.

    stepscope.integrations.torch          Job: a PyTorch loop
    stepscope.integrations.jax            Job: a JAX loop
    stepscope.integrations.lightning      GoodputCallback
    stepscope.integrations.transformers   GoodputCallback of the Trainer
    stepscope.integrations.keras          GoodputCallback

Each records into $STEPSCOPE_GOODPUT_DIR (or `directory`), and `stepscope goodput analyze --events DIR` reads it.
Importing this package imports none of these libraries. docs/integrations.md says what is recorded.
"""
from stepscope._lazy import lazy_names

__all__: list = []

# dir() does not list them: help() imports what it lists, and not every library is there.
__getattr__, _ = lazy_names(globals(), {}, ["jax", "keras", "lightning", "torch", "transformers"])


def __dir__() -> list:
    return sorted(name for name in globals() if name.startswith("__"))
