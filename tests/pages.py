"""Pages as text: what a test looks at."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "path", "use", "image", "rect"}


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects what a test looks at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.scripts, self.links, self.ids = [], 0, [], []
        self.figures, self.images, self.panels, self.headings, self.cells = 0, 0, 0, [], 0
        self.feed(text)
        assert self.open == []
        assert len(set(self.ids)) == len(self.ids)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.links += [found[name] for name in ("href", "src", "xlink:href") if name in found]
        self.ids += [found["id"]] if "id" in found else []
        self.scripts += tag == "script"
        self.figures += tag == "figure"
        if tag == "svg" or found.get("class", "").startswith("panels"):
            described = found.get("role") == "img" and bool(found["aria-label"])
            inside = found.get("aria-hidden") == "true"  # a panel, or an ornament
            assert described != inside
            self.images += described
            self.panels += tag != "svg"
        if tag == "th":
            assert found["scope"] in ("row", "col")
        if tag in ("h1", "h2", "h3"):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag
