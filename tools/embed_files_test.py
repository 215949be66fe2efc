"""Tests of tools/embed_files: what becomes of a page."""
import importlib.machinery
import importlib.util
import re
import tempfile
import unittest
from pathlib import Path

LOADER = importlib.machinery.SourceFileLoader("embed_files", str(Path(__file__).parent / "embed_files"))
SPEC = importlib.util.spec_from_loader("embed_files", LOADER)
embed_files = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(embed_files)

INDEX = b"""<!doctype html><html><head><meta charset="utf-8" />
<link rel="icon" href="./assets/icon.svg" /><script type="module" crossorigin src="./assets/a.js"></script>
<link rel="stylesheet" crossorigin href="./assets/a.css"></head><body><div id="page"></div></body></html>"""


def page(script=b"let a = 1;", **more):
    files = {"index.html": INDEX, "assets/a.js": script, "assets/a.css": b"p { color: red }",
             "assets/icon.svg": b"<svg/>"}
    return {**files, **more}


class OneFile(unittest.TestCase):
    def test_loads_nothing(self):
        text = embed_files.one_file(page())
        self.assertIn('<script type="module">let a = 1;</script>', text)
        self.assertIn("<style>p { color: red }</style>", text)
        self.assertIn('href="data:image/svg+xml;base64,', text)
        self.assertNotRegex(text, r'(src|href)="(?!data:)')

    def test_allows_its_own_script_and_no_other(self):
        text = embed_files.one_file(page())
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
        self.assertIn(f"script-src '{embed_files.source_hash('let a = 1;')}';", policy)
        self.assertNotIn("unsafe", policy)
        self.assertLess(text.index("Content-Security-Policy"), text.index("<script"))

    def test_a_script_cannot_end_itself(self):
        text = embed_files.one_file(page(rb'let a = "</script><!--", b = "\1";'))
        self.assertIn(r'let a = "<\/script>\x3C!--", b = "\1";</script>', text)

    def test_has_one_place_for_data(self):
        self.assertEqual(embed_files.one_file(page()).count(embed_files.DATA_PLACE), 1)


class Folder(unittest.TestCase):
    def read(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, data in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            return embed_files.read_page(Path(folder))

    def test_is_read_as_it_is(self):
        self.assertEqual(self.read(page()), page())

    def test_without_a_page_or_with_what_nobody_knows_is_none(self):
        for files in ({"assets/a.js": b""}, page(**{"a.exe": b""})):
            with self.assertRaises(embed_files.Problem):
                self.read(files)


class Source(unittest.TestCase):
    def test_without_a_folder_holds_no_page(self):
        files = embed_files.read_page(Path("/nonexistent/dist"))
        text = embed_files.generate(files)
        self.assertIn("std::array<PageFile, 0>", text)
        self.assertIn("OneFilePageGzip() { return {}; }", text)

    def test_is_the_same_each_time(self):
        text = embed_files.generate(page())
        self.assertEqual(text, embed_files.generate(page()))
        self.assertIn('{"assets/a.js", "text/javascript; charset=utf-8", ', text)

    def test_is_small_or_none(self):
        import random
        large = random.Random(1).randbytes(embed_files.MOST_BYTES + 1)
        with self.assertRaisesRegex(embed_files.Problem, "too slow to load"):
            embed_files.generate(page(**{"assets/b.png": large}))


if __name__ == "__main__":
    unittest.main()
