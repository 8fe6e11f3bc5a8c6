#!/usr/bin/env python3
"""A language server over `fovea shapes`, which speaks on the standard input and output.

On open and on save it compiles the file, publishes what is ill-formed, warns of what no output depends on, and keeps
the shape of every line as an inlay hint. Words have their page on hover. It takes as initialization options:

    command    how to run fovea, a list of words ["fovea"]
    arguments  what to add, as ["--build", "build"] or ["--", "-std=c++20", "-Iinclude"]
"""

import asyncio
import pathlib
import re


from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from shapes import Failure, hints_of, moved, shapes_of
from words import folder_of_pages, read_words, word_at


class Looked:
    """What is known of a file that was compiled, and its lines at that time."""

    def __init__(self, shapes, lines):
        self.shapes, self.lines = shapes, lines


class Server(LanguageServer):
    def __init__(self):
        super().__init__("fovea", "0.1", text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
        self.command, self.arguments = ["fovea"], []
        self.looked, self.running, self.published = {}, {}, {}
        self.words = read_words(folder_of_pages())

    def look(self, uri):
        """Compiles a file anew; what a run of before would have said is out of date."""
        if earlier := self.running.pop(uri, None):
            earlier.cancel()
        self.running[uri] = asyncio.ensure_future(self.looking(uri))

    async def looking(self, uri):
        path = str(pathlib.Path(to_fs_path(uri)).resolve())
        try:
            lines = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
            shapes = await shapes_of(path, self.command, self.arguments)
        except (Failure, OSError) as problem:
            self.publish(uri)  # which are out of date; the shapes are still near
            self.window_log_message(types.LogMessageParams(types.MessageType.Warning, str(problem)))
            return
        if shapes.models or shapes.errors:  # a header's templates may be known from a file that uses them
            self.looked[path] = Looked(shapes, lines)
        else:
            self.looked.pop(path, None)
        self.publish(uri, shapes.errors, shapes.warnings)
        if getattr(getattr(self.client_capabilities.workspace, "inlay_hint", None), "refresh_support", False):
            await self.workspace_inlay_hint_refresh_async(None)

    def publish(self, uri, errors=(), warnings=()):
        """A file's own diagnostics, and those in what it includes; none where there were some before."""
        by_uri = {uri: []} | {other: [] for other in self.published.get(uri, ())}
        own = str(pathlib.Path(to_fs_path(uri)).resolve())
        for severity, all_found in ((types.DiagnosticSeverity.Error, errors), (types.DiagnosticSeverity.Warning, warnings)):
            for one in all_found:
                of = uri if one["file"] == own else from_fs_path(one["file"])
                by_uri.setdefault(of, []).append(self.diagnostic(of, one, severity))
        self.published[uri] = [of for of, found in by_uri.items() if found]
        for of, found in by_uri.items():
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(of, found))

    def diagnostic(self, uri, found, severity):
        number = found["line"] - 1
        lines = self.workspace.get_text_document(uri).source.splitlines()
        line = lines[number] if number < len(lines) else ""
        start = len(line) - len(line.lstrip())
        where = types.Range(types.Position(number, start), types.Position(number, units(line)))
        number = re.search(r"\[(F\d{4})\]$", found["sentence"])
        return types.Diagnostic(where, found["sentence"], severity=severity, code=number and number[1], source="fovea")

    def hints(self, uri):
        """From the file's own compilation, else from one of a file that includes it."""
        path = str(pathlib.Path(to_fs_path(uri)).resolve())
        own = self.looked.get(path)
        for looked in [own] if own else self.looked.values():
            if hints := hints_of(looked.shapes.expressions, path):
                lines = looked.lines if own else pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
                return lines, hints
        return [], {}


def units(text):
    """Its length as the protocol counts: in UTF-16."""
    return len(text.encode("utf-16-le")) // 2


server = Server()


@server.feature(types.INITIALIZE)
def initialize(ls, params):
    options = params.initialization_options or {}
    ls.command = options.get("command", ls.command)
    ls.arguments = options.get("arguments", ls.arguments)


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
async def did_open(ls, params):
    ls.look(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
async def did_save(ls, params):
    ls.look(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
async def did_close(ls, params):
    uri = params.text_document.uri
    if running := ls.running.pop(uri, None):
        running.cancel()
    ls.publish(uri, [])


@server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
def inlay_hints(ls, params):
    now = ls.workspace.get_text_document(params.text_document.uri).source.splitlines()
    before, hints = ls.hints(params.text_document.uri)
    shown = []
    for line, text in hints.items():
        at = moved(line, before, now)
        if at is not None and params.range.start.line <= at <= params.range.end.line and at < len(now):
            shown.append(types.InlayHint(types.Position(at, units(now[at])), text, padding_left=True))
    return shown


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(ls, params):
    lines = ls.workspace.get_text_document(params.text_document.uri).source.splitlines()
    if params.position.line >= len(lines):
        return None
    page = ls.words.get(word_at(lines[params.position.line], params.position.character))
    return page and types.Hover(types.MarkupContent(types.MarkupKind.Markdown, page))


if __name__ == "__main__":
    server.start_io()
