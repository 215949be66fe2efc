"""Lets `python -m stepscope` run the command line."""
from ._program import main

main()
