"""Tests of tools/sbom: it lists every package that the build names, and claims no licence that is not plainly said."""
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
loader = importlib.machinery.SourceFileLoader("sbom", str(ROOT / "tools/sbom"))
sys.dont_write_bytecode = True
sbom = importlib.util.module_from_spec(importlib.util.spec_from_loader("sbom", loader))
loader.exec_module(sbom)


def written():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bom.json")
        subprocess.run([sys.executable, ROOT / "tools/sbom", ROOT, file], check=True)
        return json.loads(file.read_text())


class Sbom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bom = written()
        cls.listed = {(c["purl"].partition("/")[0], c["name"], c.get("version")) for c in cls.bom["components"]}
        cls.names = {(kind, name) for kind, name, _ in cls.listed}

    def test_is_cyclonedx_of_this_version(self):
        self.assertEqual((self.bom["bomFormat"], self.bom["specVersion"]), ("CycloneDX", "1.5"))
        self.assertIn(f"project(stepscope VERSION {self.bom['metadata']['component']['version']}",
                      (ROOT / "CMakeLists.txt").read_text())
        refs = [c["bom-ref"] for c in self.bom["components"]]
        self.assertEqual(len(refs), len(set(refs)))

    def test_lists_every_debian_package(self):
        for name in (ROOT / "cmake/debian-packages.txt").read_text().split():
            self.assertIn(("pkg:deb", name), self.names)

    def test_lists_every_npm_package_with_version_and_licence(self):
        packages = json.loads((ROOT / "ui/package-lock.json").read_text())["packages"]
        for path, package in packages.items():
            if path:
                self.assertIn(("pkg:npm", path.rpartition("node_modules/")[2], package["version"]), self.listed)
        for c in self.bom["components"]:
            if c["purl"].startswith("pkg:npm"):
                self.assertTrue(c["licenses"][0]["expression"], c)
                self.assertEqual(len(c["hashes"][0]["content"]), 128, c)

    def test_lists_what_builds_the_wheel(self):
        required = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
        required += (ROOT / "python/requirements-build.txt").read_text().splitlines()
        for line in required:
            name = line.partition(">")[0].strip()
            if not name.startswith("#"):
                self.assertIn(("pkg:pypi", name), self.names)

    def test_page_has_what_is_not_for_development(self):
        delivered = {c["name"] for c in self.bom["components"]
                     if c["purl"].startswith("pkg:npm") and c["scope"] == "required"}
        duckdb = {f"@duckdb/node-bindings-linux-{machine}" for machine in ("x64", "arm64")}
        page = set(json.loads((ROOT / "ui/package.json").read_text())["dependencies"])
        self.assertEqual(delivered, page | duckdb)


class DebianLicence(unittest.TestCase):
    def test_only_what_is_plainly_said(self):
        head = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
        self.assertEqual(sbom.debian_licence(head + "Files: *\nCopyright: x\nLicense: Expat\n"), {"expression": "MIT"})
        self.assertEqual(sbom.debian_licence(head + "Files: *\nLicense: Expat with x\n"),
                         {"license": {"name": "Expat with x"}})
        for text in ("This package is free software.\nLicense: Expat\n", head + "Files: debian/*\nLicense: Expat\n",
                     head + "Files: *\nCopyright: x\n", ""):
            self.assertIsNone(sbom.debian_licence(text), text)


if __name__ == "__main__":
    unittest.main()
