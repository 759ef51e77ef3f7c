"""The tools `new_site` and `preview`."""

from html import escape
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from string import Template
from urllib.parse import unquote, urlsplit

from tools.paths import existing, inside, shown

_STARTER = Path(__file__).parents[1] / "assets" / "starter"
#: Where a page names another file: the element, and its attribute.
_NAMES = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "src"), ("video", "src"), ("audio", "src")}


def new_site(
    workspace: Path,
    title: str,
    text: str = "This page is made of three files. Change them, and preview it again.",
    folder: str = "",
    replace: bool = False,
) -> dict:
    """Writes the files of a small site.

    Args:
        workspace: The folder of the chat's files.
        title: The headline of the page.
        text: The first paragraph.
        folder: Where the files go.
        replace: Whether files that are there already may be replaced.

    Returns:
        The page, and the files that were written.
    """
    targets = {file: inside(workspace, f"{folder}/{file.name}" if folder else file.name) for file in sorted(_STARTER.iterdir())}
    there = [shown(workspace, target) for target in targets.values() if target.exists()]
    if there and not replace:
        raise FileExistsError(f"{', '.join(there)} would be replaced; choose another folder, or set replace to true")
    words = {"title": escape(title), "text": escape(text)}
    for source, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(source.read_text(encoding="utf-8")).safe_substitute(words), encoding="utf-8")
    written = [shown(workspace, target) for target in targets.values()]
    return {"page": next(name for name in written if name.endswith("index.html")), "written": written}


def preview(workspace: Path, page: str = "index.html") -> dict:
    """Shows a page of the workspace.

    Args:
        workspace: The folder of the chat's files.
        page: The HTML file.

    Returns:
        The page, and what about it will not show as it should.
    """
    target = existing(workspace, page)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{page!r} is no page; name an HTML file, such as index.html")
    name = shown(workspace, target)
    parser = _Names()
    parser.feed(target.read_text(encoding="utf-8", errors="replace"))
    missing, elsewhere = [], []
    for named in parser.names:
        address = urlsplit(named)
        if address.scheme in ("data", "blob"):
            continue
        if address.scheme or address.netloc:
            elsewhere.append(named)
        elif address.path and not _is_there(workspace, name, unquote(address.path)):
            missing.append(named)
    notes = []
    if missing:
        notes.append(f"Not in the workspace: {', '.join(missing)}.")
    if elsewhere:
        notes.append(f"On the web, and so not shown: {', '.join(elsewhere)}.")
    return {"page": name, "title": " ".join(parser.title.split()), "notes": notes}


def _is_there(workspace: Path, page: str, named: str) -> bool:
    folder = PurePosixPath(page).parent
    if named.startswith("/"):
        # The top of the site is the workspace, or the folder that the site was built into.
        below = named.removeprefix("/")
        return any(_is_file(workspace, place / below) for place in (PurePosixPath(), folder))
    return _is_file(workspace, folder / named)


def _is_file(workspace: Path, path: PurePosixPath) -> bool:
    try:
        return inside(workspace, str(path)).is_file()
    except ValueError:
        return False


class _Names(HTMLParser):
    """Collects the title of a page and the files it names."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.title = ""
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title"
        self.names.extend(value for name, value in attrs if (tag, name) in _NAMES and value)

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
