"""Tables and reports that a notebook shows as HTML, as Markdown: GitHub shows no styles, and no SVG within a page."""
import html
import re
from html.parser import HTMLParser

_PICTURE = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$])")
_PAGE, _TEXT = "#ffffff", "#1c1f24"


def escaped(text):
    """Text that Markdown shows as it is: names have underscores, brackets and dollars."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def pictures(text):
    """The SVG pictures in some HTML, each a file of its own, black on white; and the HTML with links in their places.

    pictures(html)      # (["<svg ...>"], 'before <img src="0" alt="what it shows"> after')
    """
    found = []

    def taken(match):
        svg = match[0].replace("currentColor", _TEXT)
        svg = re.sub(r"^<svg\b[^>]*>", lambda head: head[0] + f'<rect width="100%" height="100%" fill="{_PAGE}"/>', svg)
        if "xmlns=" not in svg:
            svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
        found.append(svg + "\n")
        label = re.search(r'aria-label="([^"]*)"', svg)
        return f'<img src="{len(found) - 1}" alt="{label[1] if label else ""}">'

    return found, _PICTURE.sub(taken, text)


def markdown(text, picture=lambda place: str(place)):
    """HTML of pandas, Polars or a report as Markdown. picture(place) is the file of a picture that pictures() found."""
    parser = _Reader(picture)
    parser.feed(text)
    parser.close()
    parser.end()
    return "\n\n".join(part for part in parser.parts if part)


class _Reader(HTMLParser):
    """Knows the tags that data frames and reports consist of; of others it keeps the text."""

    def __init__(self, picture):
        super().__init__(convert_charrefs=True)
        self.parts, self._picture = [], picture
        self._text, self._place, self._hidden = "", [], 0
        self._rows, self._heads = [], 1

    def end(self):
        """What is said so far is a paragraph."""
        if self._text.strip():
            self.parts.append(self._text.strip())
        self._text = ""

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "style":
            self._hidden += 1
        elif tag == "table":
            self.end()
            self._rows, self._heads = [], 1
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._text = ""
            self._rows[-1] += [""] * (int(values.get("colspan", 1)) - 1)
        elif tag in ("ol", "ul"):
            self.end()
            self._place.append(0)
        elif tag == "li":
            self.end()
            self._place[-1] += 1
            self._text = f"{self._place[-1]}. "
        elif tag == "br":
            self._text += "<br>"
        elif tag in ("p", "h4", "div", "details"):
            self.end()
        elif tag == "img":
            self.end()
            self.parts.append(f"![{escaped(values['alt'])}]({self._picture(int(values['src']))})")

    def handle_endtag(self, tag):
        if tag == "style":
            self._hidden -= 1
        elif tag in ("td", "th"):
            self._rows[-1].append(self._text.strip())
            self._text = ""
        elif tag == "thead":
            self._heads = len(self._rows)
        elif tag == "table":
            self.parts.append(_table(self._rows, self._heads))
            self._text = ""
        elif tag == "h4":
            self._text = f"**{self._text.strip()}**"
            self.end()
        elif tag == "caption":
            self.end()
        elif tag in ("ol", "ul"):
            self.end()
            self._place.pop()
        elif tag in ("p", "li", "div", "summary", "details"):
            self.end()

    def handle_data(self, data):
        if self._hidden or not data.strip():
            return
        before, after = (" " if side.isspace() else "" for side in (data[0], data[-1]))
        self._text += before + escaped(data) + after


def _table(rows, heads):
    """A table whose columns of numbers stand to the right. Heads of several rows become one: index names, types."""
    width = max(map(len, rows), default=0)
    rows = [row + [""] * (width - len(row)) for row in rows]
    head = ["<br>".join(part for part in parts if part) for parts in zip(*rows[:heads])]
    body = rows[heads:]
    sides = ["--:" if all(_is_number(row[place]) for row in body) else "---" for place in range(width)]
    lines = [head, sides, *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _is_number(text):
    return bool(re.fullmatch(r"(?:[+-]?[\d,.]+(?:e[+-]?\d+)?%?(?: [a-zA-Zµ/]+)?|\\<NA\\>|-|None|NaN|)", html.unescape(text)))
