#!/usr/bin/env python3
"""The pages of programs that answer over HTTP, in Chromium: page_test.py WRITER EMBEDDER PICTURES"""

import pathlib
import shutil
import sys
import tempfile
import unittest

from playwright.sync_api import sync_playwright
from server import SHAPES, Server, drawn_weights


class Page(unittest.TestCase):
    writer = embedder = ""
    pictures = pathlib.Path()

    def opened(self, program, names):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        server = Server(program, drawn_weights(folder / "weights.safetensors", names))
        self.addCleanup(server.end)
        playwright = sync_playwright().start()
        self.addCleanup(playwright.stop)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        self.addCleanup(browser.close)
        page = browser.new_page(viewport={"width": 900, "height": 700})
        self.asked, self.problems = [], []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda problem: self.problems.append(str(problem)))
        self.origin = f"http://127.0.0.1:{server.port}/"
        page.goto(self.origin)
        return page

    def closes(self, page, name):
        """Nothing came from elsewhere, and nothing went wrong."""
        page.screenshot(path=self.pictures / f"{name}.png")
        self.assertTrue(all(url.startswith(self.origin) for url in self.asked), self.asked)
        self.assertEqual(self.problems, [])

    def test_a_text_is_gone_on_with(self):
        page = self.opened(self.writer, SHAPES)
        self.assertFalse(page.is_visible("#question"))
        page.fill("#prompt", "one two")
        page.fill("#tokens", "12")
        page.fill("#temperature", "3")  # few of them are special tokens then, which are not shown
        page.click("#go")
        page.wait_for_function("document.querySelector('#told').textContent !== ''")
        self.assertRegex(page.text_content("#told"), r"^12 tokens in [\d.]+ s$")
        self.assertTrue(page.text_content("#text").startswith("one two"))
        self.assertGreater(len(page.text_content("#text").split()), 2)
        page.fill("#tokens", "0")
        page.evaluate("document.querySelector('#form').noValidate = true")
        page.click("#go")
        page.wait_for_function("document.querySelector('#problem').textContent !== ''")
        self.assertIn("max_tokens: expected a whole number", page.text_content("#problem"))
        self.assertFalse(page.is_visible("#look"))
        self.assertEqual(page.text_content("#blind"), "tiny_writer has no attention among tokens that could be drawn.")
        self.closes(page, "writer")

    def test_passages_are_ranked(self):
        page = self.opened(self.embedder, ["words.weight"])
        self.assertFalse(page.is_visible("#prompt"))
        page.fill("#question", "one two")
        page.fill("#passages", "three four\n\none two\ntwo one five")
        page.click("#go")
        page.wait_for_selector("#ranked tr")
        rows = page.locator("#ranked tr").all_text_contents()
        self.assertEqual((len(rows), rows[0]), (3, "1.000one two"))
        self.closes(page, "embedder")

    def test_attention_is_drawn(self):
        page = self.opened(self.embedder, ["words.weight"])
        self.assertFalse(page.is_visible("#blind"))
        page.click("#draw")
        page.wait_for_function("document.querySelector('#weight').textContent !== ''")
        self.assertEqual(page.text_content("#weight"), "input: the text is empty")
        page.fill("#question", "one two five three")
        page.click("#draw")
        page.wait_for_selector("#map svg")
        self.assertEqual(page.locator("#map text").all_text_contents(), ["[CLS]", "one", "two", "five", "three", "[SEP]"] * 2)
        body = {"input": "one two five three", "layer": 2, "head": 1}
        page.select_option("#layer", "2")
        self.assertEqual(page.locator("#head option").all_text_contents(), ["mean", "1", "2"])
        with page.expect_response("**/v1/attention") as told:
            page.select_option("#head", "1")
        self.assertEqual(told.value.request.post_data_json, body)
        weights = told.value.json()["weights"]
        page.wait_for_function("document.querySelector('#weight').textContent.startsWith('Each row')")
        page.locator("#map svg").scroll_into_view_if_needed()
        ground = page.locator("#map .ground").bounding_box()
        cell = ground["width"] / 6
        page.mouse.move(ground["x"] + 2.5 * cell, ground["y"] + 3.5 * cell)
        self.assertEqual(page.text_content("#weight"), f"five looks at two: {weights[3][2]:.3f}")
        page.locator("#map svg").focus()
        page.keyboard.press("ArrowRight")
        self.assertEqual(page.text_content("#weight"), f"five looks at five: {weights[3][3]:.3f}")
        darkest = max(page.locator("#map .cell").evaluate_all("cells => cells.map(cell => +cell.getAttribute('fill-opacity'))"))
        self.assertEqual(darkest, 1)
        page.locator("#map").scroll_into_view_if_needed()
        self.closes(page, "attention")
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 360, "height": 700})
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
        page.locator("#map").scroll_into_view_if_needed()
        self.closes(page, "attention_dark_narrow")


if __name__ == "__main__":
    Page.writer, Page.embedder, Page.pictures = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    Page.pictures.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
