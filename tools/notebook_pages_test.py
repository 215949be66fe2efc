"""Tests of tools/notebook_pages and notebook_html: what becomes of a notebook that ran, and what of it a page lacks."""
import base64
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import notebook_html  # noqa: E402
import notebook_pages  # noqa: E402

FRAME = """<div><style scoped>.dataframe { color: red }</style><table><thead><tr><th></th><th>name</th><th>sum</th></tr>
<tr><th>rank</th><th></th><th></th></tr></thead><tbody><tr><th>0</th><td>a_b|c&lt;int&gt;</td><td>1,200</td></tr>
<tr><th>1</th><td>__init__</td><td>&lt;NA&gt;</td></tr></tbody></table></div>"""
REPORT = """<div class="stepscope"><h4>Idle</h4><p>28% is idle.</p><ol><li>Late.<br><small>because; try: less</small></li>
</ol><svg role="img" aria-label="Gaps: busy" viewBox="0 0 9 9" fill="currentColor"><text>x</text></svg></div>"""


def words(text):
    return {"cell_type": "markdown", "id": "w", "metadata": {}, "source": text}


def code(text, *outputs):
    return {"cell_type": "code", "id": "c", "metadata": {}, "source": text, "outputs": list(outputs)}


def printed(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(**data):
    return {"output_type": "execute_result", "data": {key.replace("_", "/"): value for key, value in data.items()}}


def notebook(*cells):
    return {"cells": [words("# Look\n\n**Is it fast?**\n\nNext: [two](2_two.ipynb)."), *cells]}


class Html(unittest.TestCase):
    def test_a_frame_is_a_table_with_numbers_to_the_right(self):
        self.assertEqual(notebook_html.markdown(FRAME), "\n".join([
            r"| rank | name | sum |", "| --: | --- | --: |", r"| 0 | a\_b\|c\<int\> | 1,200 |",
            r"| 1 | \_\_init\_\_ | \<NA\> |"]))

    def test_a_report_is_sentences_findings_and_a_picture(self):
        drawn, text = notebook_html.pictures(REPORT)
        self.assertEqual(notebook_html.markdown(text, lambda place: f"p{place}.svg"),
                         "**Idle**\n\n28% is idle.\n\n1. Late.<br>because; try: less\n\n![Gaps: busy](p0.svg)")
        self.assertIn('xmlns="http://www.w3.org/2000/svg"', drawn[0])
        self.assertIn('<rect width="100%" height="100%" fill="#ffffff"/><text>x</text>', drawn[0])


class Page(unittest.TestCase):
    def test_has_words_code_output_and_pictures_in_order(self):
        png = base64.b64encode(b"PNG").decode()
        text, pictures = notebook_pages.page(notebook(
            code("print(1)", printed("a\n"), printed("\x1b[1mb\x1b[0m\n")),
            code("draw()", shown(text_plain="Idle_time", image_png=png), shown(text_html=REPORT))), "1_one")
        self.assertLess(text.index("```python\nprint(1)\n```\n\n```text\na\nb\n```"), text.index("```python\ndraw()"))
        self.assertIn(r"![Idle\_time](pictures/1_one_1.png)", text)
        self.assertIn("![Gaps: busy](pictures/1_one_2.svg)", text)
        self.assertIn("[two](2_two.md)", text)
        self.assertEqual(pictures["1_one_1.png"], b"PNG")
        self.assertIn(b"#1c1f24", pictures["1_one_2.svg"])

    def test_fences_hold_what_has_fences(self):
        self.assertEqual(notebook_pages.fenced("```\nx\n```"), "````\n```\nx\n```\n````")

    def test_question(self):
        self.assertEqual(notebook_pages.question(notebook()), "Is it fast?")


class Differences(unittest.TestCase):
    ran = notebook(code('print("""```python\nx\n```""")', printed("1")), words("Then"), code("b"))

    def of(self, changed):
        return notebook_pages.differences(notebook_pages.page(self.ran, "1_one")[0], changed, "1_one")

    def test_none_of_its_own_notebook_whatever_it_printed(self):
        self.assertEqual(self.of(self.ran), [])

    def test_other_code(self):
        told = self.of({"cells": [*self.ran["cells"][:3], code("c = 1\nd")]})
        self.assertEqual(told, ["1_one.md differs from 1_one.ipynb in code cell 2: c = 1"])

    def test_other_words(self):
        told = self.of({"cells": [*self.ran["cells"][:2], words("Thereafter"), self.ran["cells"][3]]})
        self.assertEqual(told, ["1_one.md lacks the text of cell 2"])

    def test_another_cell(self):
        told = self.of({"cells": [*self.ran["cells"], code("c")]})
        self.assertEqual(told, ["1_one.md has 2 code cells, 1_one.ipynb 3"])

    def test_no_page(self):
        self.assertIn("1_one.md has 0 code cells, 1_one.ipynb 2", notebook_pages.differences("", self.ran, "1_one"))


if __name__ == "__main__":
    unittest.main()
