"""The language server, spoken to as an editor does: needs pytest-lsp, FOVEA, FOVEA_INCLUDE and FOVEA_COMPILER."""

import asyncio
import os
import pathlib
import sys

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

SERVER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "fovea_language_server" / "server.py"
WELL_FORMED = """#include "block.hpp"
inline constexpr auto net = model("net", [](graph& g) {
  expr x = g.input<f32>("x", {"B", "T", 64});
  g.output("y", block(x));
});
"""
BLOCK = """#pragma once
#include <fovea/dsl.hpp>
using namespace fovea;
constexpr expr block(expr x) {
  expr h = gelu(linear(x, "up", 256));
  return x + linear(h, "down", 64);
}
"""


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, str(SERVER)]))
async def client(lsp_client: LanguageClient):
    options = {
        "command": [os.environ["FOVEA"]],
        "arguments": ["--compiler", os.environ["FOVEA_COMPILER"], "--", "-std=c++20", "-I" + os.environ["FOVEA_INCLUDE"]],
    }
    await lsp_client.initialize_session(types.InitializeParams(types.ClientCapabilities(), initialization_options=options))
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "block.hpp").write_text(BLOCK)
    (tmp_path / "net.cpp").write_text(WELL_FORMED)
    return tmp_path


async def published(client):
    await asyncio.wait_for(client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS), 120)


async def open_file(client, path):
    item = types.TextDocumentItem(path.as_uri(), "cpp", 1, path.read_text())
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    await published(client)


async def save_file(client, path, text, version):
    path.write_text(text)
    document = types.VersionedTextDocumentIdentifier(version, path.as_uri())
    whole = types.TextDocumentContentChangeWholeDocument(text)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(path.as_uri())))
    await published(client)


async def hints(client, path):
    where = types.Range(types.Position(0, 0), types.Position(1000, 0))
    found = await client.text_document_inlay_hint_async(types.InlayHintParams(types.TextDocumentIdentifier(path.as_uri()), where))
    return {(hint.position.line, hint.position.character): hint.label for hint in found}


@pytest.mark.asyncio
async def test_hints_of_a_file_and_of_its_header(client, folder):
    net, block = folder / "net.cpp", folder / "block.hpp"
    await open_file(client, net)
    assert not client.diagnostics[net.as_uri()]
    end = len('  expr x = g.input<f32>("x", {"B", "T", 64});')
    assert await hints(client, net) == {(2, end): "[B, T, 64]"}
    await open_file(client, block)  # has no model of its own
    assert list((await hints(client, block)).values()) == ["[B, T, 256]", "[B, T, 64]"]


@pytest.mark.asyncio
async def test_hints_move_with_lines_that_are_not_saved(client, folder):
    net = folder / "net.cpp"
    await open_file(client, net)
    document = types.VersionedTextDocumentIdentifier(2, net.as_uri())
    above = types.TextDocumentContentChangePartial(types.Range(types.Position(0, 0), types.Position(0, 0)), "// new\n// new\n")
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [above]))
    assert [line for line, _ in await hints(client, net)] == [4]


@pytest.mark.asyncio
async def test_the_sentence_comes_and_goes(client, folder):
    net = folder / "net.cpp"
    await open_file(client, net)
    await save_file(client, net, WELL_FORMED.replace("block(x)", 'x + linear(x, "up", 32)'), 2)
    (diagnostic,) = client.diagnostics[net.as_uri()]
    sentence = "cannot add [B, T, 64] and [B, T, 32]: the last axis is 64 and 32; sizes must be equal, or one of them 1 [F0058]"
    assert (diagnostic.message, diagnostic.code, diagnostic.severity) == (sentence, "F0058", types.DiagnosticSeverity.Error)
    assert (diagnostic.range.start.line, diagnostic.range.start.character) == (3, 2)
    assert list((await hints(client, net)).values()) == ["[B, T, 64]", "[B, T, 32]"]  # up to the mistake
    await save_file(client, net, WELL_FORMED, 3)
    assert not client.diagnostics[net.as_uri()]


@pytest.mark.asyncio
async def test_a_mistake_in_a_header_is_shown_there(client, folder):
    net, block = folder / "net.cpp", folder / "block.hpp"
    block.write_text(BLOCK.replace('"down", 64', '"down", 63'))
    await open_file(client, net)
    while not client.diagnostics.get(block.as_uri()):
        await published(client)
    assert client.diagnostics[block.as_uri()][0].range.start.line == 5
    assert not client.diagnostics[net.as_uri()]


@pytest.mark.asyncio
async def test_what_no_output_depends_on_is_a_warning(client, folder):
    net, block = folder / "net.cpp", folder / "block.hpp"
    block.write_text(BLOCK.replace('return x + linear(h, "down", 64);', 'linear(h, "down", 64);\n  return x;'))
    await open_file(client, net)
    while not client.diagnostics.get(block.as_uri()):
        await published(client)
    found = [(one.range.start.line, one.message, one.severity) for one in client.diagnostics[block.as_uri()]]
    assert found == [
        (4, 'no output depends on linear "up"', types.DiagnosticSeverity.Warning),
        (4, "no output depends on gelu", types.DiagnosticSeverity.Warning),
        (5, 'no output depends on linear "down"', types.DiagnosticSeverity.Warning),
    ]
    assert not client.diagnostics[net.as_uri()]
    block.write_text(BLOCK)
    await save_file(client, net, WELL_FORMED, 2)
    while client.diagnostics[block.as_uri()]:
        await published(client)


@pytest.mark.asyncio
async def test_other_errors_are_left_to_others(client, folder):
    net = folder / "net.cpp"
    await open_file(client, net)
    await save_file(client, net, WELL_FORMED + "int f() { return nothing; }\n", 2)
    assert not client.diagnostics[net.as_uri()]
    while not client.log_messages:
        await asyncio.sleep(0.01)
    assert "does not compile" in client.log_messages[-1].message
    assert list((await hints(client, net)).values()) == ["[B, T, 64]"]  # as they were


@pytest.mark.asyncio
async def test_hover(client, folder):
    block = folder / "block.hpp"
    await open_file(client, block)

    async def page(line, character):
        place = types.TextDocumentPositionParams(types.TextDocumentIdentifier(block.as_uri()), types.Position(line, character))
        return await client.text_document_hover_async(types.HoverParams(place.text_document, place.position))

    found = await page(4, BLOCK.splitlines()[4].index("linear") + 2)
    assert found.contents.kind == types.MarkupKind.Markdown
    assert found.contents.value.startswith("# linear\n")
    assert await page(4, BLOCK.splitlines()[4].index("h = ")) is None
