"""Lets the PyTorch of this environment be loaded without the gigabytes of CUDA's libraries.

Its build on PyPI links them all, and on a CPU calls none of them. Each that is missing becomes a small library
beside PyTorch's own, with functions that fail, of the versions that PyTorch asks for. Needs `cc` and binutils.
"""

import collections
import importlib.util
import pathlib
import re
import subprocess

CUDA_LIBRARY = re.compile(r"lib(?!cuda\.)(?:cu|nccl|nvrtc|nvshmem)\w*\.so\.\d+")  # but the driver's
CUDA_FUNCTION = re.compile(r"(?:cublas|cudnn|cufft|cuFile|cusolver|cusparse|nccl|nvrtc|nvshmem)\w+")


def told(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def versions_of(libraries):
    """The versions that are asked for, by library."""
    versions, library = collections.defaultdict(set), None
    for kind, name in re.findall(r"(File|Name): (\S+)", told("readelf", "-VW", *libraries)):
        if kind == "File":
            library = name
        else:
            versions[library].add(name)
    return versions


def make(library, by_version):
    functions = sorted(name for names in by_version.values() for name in names)
    source = "".join(f"int {name}(void) {{ return 1; }}\n" for name in functions)
    script = library.with_suffix(".map")
    script.write_text("".join(f"{v} {{ global: {'; '.join(names)}; }};\n" for v, names in by_version.items() if v))
    command = ["cc", "-w", "-fno-builtin", "-shared", "-fPIC", "-xc", "-", "-o", str(library)]
    command += [f"-Wl,-soname,{library.name}"] + [f"-Wl,--version-script={script}"] * any(by_version)
    subprocess.run(command, input=source, check=True, text=True)
    script.unlink()


def main():
    packages = pathlib.Path(importlib.util.find_spec("torch").origin).parent.parent
    folder = packages / "torch" / "lib"
    own = [str(path) for path in folder.glob("lib*.so")]
    needed = set(CUDA_LIBRARY.findall(told("readelf", "-dW", *own)))
    present = {path.name for path in packages.glob("nvidia/**/lib*.so.*")}
    functions = collections.defaultdict(set)  # by version; "" for none
    for symbol in told("nm", "-D", "--undefined-only", *own).split():
        name, _, version = symbol.partition("@")
        if CUDA_FUNCTION.fullmatch(name):
            functions[version].add(name)
    versions = versions_of(own)
    for library in needed - present:
        asked = [v for v in versions[library] if v in functions] or [""]
        make(folder / library, {version: functions[version] for version in asked})


main()
