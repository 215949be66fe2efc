"""Loaded by pytest before ml-goodput-measurement's tests: what they import is Stepscope's."""
from absl import flags

import stepscope.goodput

flags.FLAGS(["pytest"])  # absl's temporary directories
stepscope.goodput.install()
