"""Pages of notebooks: Markdown with code, what it printed, tables and pictures; and whether a page is still its notebook's.

Notebooks are plain dictionaries here, as JSON has them. run_notebooks runs them and calls this.
"""
import base64
import re

import notebook_html

PICTURES = "pictures"
_FENCE = re.compile(r"^(`{3,})python\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_COLORS = re.compile(r"\x1b\[[\d;]*m")
_LINK = re.compile(r"\]\((\w+)\.ipynb\)")


def source(cell):
    """The text of a cell."""
    return _joined(cell["source"])


def code(notebook):
    """The sources of the code cells."""
    return [source(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def question(notebook):
    """The question that a notebook opens with, without its stars; "" where there is none."""
    found = re.search(r"^\*\*([^*]+\?)\*\*$", source(notebook["cells"][0]), re.MULTILINE)
    return found[1] if found else ""


def page(notebook, name):
    """A notebook that ran, as Markdown, and its pictures: names under PICTURES to bytes."""
    writer = _Writer(name)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            writer.say(_words(cell))
        else:
            writer.say(fenced(source(cell), "python"))
            writer.outputs(cell.get("outputs", []))
    note = (f"<!-- ./dev notebooks --render wrote this from {name}.ipynb -->\n\n"
            f"[All notebooks](README.md) · [this one as a file to run]({name}.ipynb)")
    return "\n\n".join([note, *writer.parts]) + "\n", writer.pictures


def differences(text, notebook, name):
    """What of a notebook a page does not have, as sentences; none where the page is that of the notebook."""
    shown = [match[2] for match in _FENCE.finditer(text)]
    wanted = code(notebook)
    told = [f"{name}.md lacks the text of cell {place}" for place, cell in enumerate(notebook["cells"])
            if cell["cell_type"] == "markdown" and _words(cell) not in text]
    if len(shown) != len(wanted):
        told.append(f"{name}.md has {len(shown)} code cells, {name}.ipynb {len(wanted)}")
    told += [f"{name}.md differs from {name}.ipynb in code cell {place + 1}: {_first_line(new)}"
             for place, (old, new) in enumerate(zip(shown, wanted)) if old != new]
    return told


def fenced(text, language=""):
    """Text as a block of code, which a fence in the text does not end."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _words(cell):
    """A cell of words; links to other notebooks lead to their pages."""
    return _LINK.sub(r"](\1.md)", source(cell)).strip()


def _first_line(text):
    return next(iter(text.splitlines()), "")


class _Writer:
    """Collects the parts of a page and its pictures."""

    def __init__(self, name):
        self.parts, self.pictures, self._name = [], {}, name

    def say(self, text):
        self.parts.append(text)

    def outputs(self, outputs):
        """What a cell gave; what it printed piece by piece is one block."""
        printed = ""
        for output in outputs:
            if output["output_type"] == "stream":
                printed += _joined(output["text"])
                continue
            self._printed(printed)
            printed = ""
            self._shown(output.get("data", {}))
        self._printed(printed)

    def _printed(self, text):
        plain = _COLORS.sub("", text).rstrip().replace("\t", "    ")
        if plain:
            self.say(fenced(plain, "text"))

    def _shown(self, data):
        if "image/png" in data:
            self.say(f"![{notebook_html.escaped(_joined(data.get('text/plain', 'figure')))}]"
                     f"({self._kept(base64.b64decode(_joined(data['image/png'])), 'png')})")
        elif "text/html" in data:
            drawn, text = notebook_html.pictures(_joined(data["text/html"]))
            places = [self._kept(svg.encode(), "svg") for svg in drawn]
            self.say(notebook_html.markdown(text, lambda place: places[place]))
        else:
            self._printed(_joined(data.get("text/plain", "")))

    def _kept(self, content, ending):
        """Where a picture is, from the page."""
        name = f"{self._name}_{len(self.pictures) + 1}.{ending}"
        self.pictures[name] = content
        return f"{PICTURES}/{name}"


def _joined(text):
    """Text as JSON has it: one string, or its lines."""
    return text if isinstance(text, str) else "".join(text)
