"""What HTA calls kernels: their type, their short name, and the kind of a copy."""
from __future__ import annotations

import re
from functools import lru_cache

COMMUNICATION = "COMMUNICATION"
COMPUTATION = "COMPUTATION"
MEMORY = "MEMORY"
OTHER = "OTHER"

# Each is tried at the beginning of the name, in this order.
_COMMUNICATION = re.compile(r"nccl|hip|hccl|.*ncclKernel")
_MEMORY = re.compile(r"(hip)?Mem(cpy|set)|dma")
_NOT_COMPUTATION = re.compile(
    r"nccl|hip|hccl|.*(Memcpy|Memset|dma|Sync)|Stream Wait Event|cuda.*LaunchKernel|runFunction|job_exe|packet|pe_exe"
    r"|cpum_exe_subgraph|collective_subgraph_execution")


@lru_cache(maxsize=None)
def kernel_type(name: str) -> str:
    """Returns COMMUNICATION, MEMORY, COMPUTATION or OTHER, by the name alone."""
    if _COMMUNICATION.match(name):
        return COMMUNICATION
    if _MEMORY.match(name):
        return MEMORY
    return OTHER if _NOT_COMPUTATION.match(name) else COMPUTATION


@lru_cache(maxsize=None)
def short_name(name: str) -> str:
    """Returns the name without template arguments, parameters and return type; of copies all of it.

        short_name("void at::native::fill<4, float>(int, float)")  # "at::native::fill"
    """
    if _MEMORY.match(name) or not re.search(r"[<(]", name):
        return name
    kept = ""
    for piece in re.split(r"([>)])", name.replace("->", "")):
        if piece in (">", ")"):
            opened = kept.rfind("<" if piece == ">" else "(")
            kept = kept[:max(opened, 0)]
        else:
            kept += piece
    return kept.split(" ")[-1]


def copy_name(name: str) -> str:
    """Returns "Memset", the direction of a copy such as "Memcpy HtoD", or "Memcpy Unknown"."""
    if name.startswith("Memset"):
        return "Memset"
    return name[:len("Memcpy HtoD")] if name.startswith("Memcpy") else "Memcpy Unknown"
