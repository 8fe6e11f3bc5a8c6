#!/usr/bin/env python3
"""The page of examples/web in Chromium: page_test.py PAGE PICTURES [SILERO]

PAGE is the folder that `make web` has made, SILERO one with the published weights of the detector, a recording and the
probabilities that its authors' code gives. Without it the weights are drawn."""

import functools
import http.server
import math
import pathlib
import random
import shutil
import struct
import sys
import tempfile
import threading
import unittest
import wave

from playwright.sync_api import sync_playwright

sys.path[:0] = [str(pathlib.Path(__file__).parents[folder] / name) for folder, name in [(1, "tools"), (2, "examples/web")]]
from serve import Isolated  # noqa: E402
from weight_files import save_safetensors  # noqa: E402

DETECTOR = {
    "stft_conv.weight": [258, 1, 256],
    "conv1.weight": [128, 129, 3], "conv1.bias": [128],
    "conv2.weight": [64, 128, 3], "conv2.bias": [64],
    "conv3.weight": [64, 64, 3], "conv3.bias": [64],
    "conv4.weight": [128, 64, 3], "conv4.bias": [128],
    "lstm_cell.weight_ih": [512, 128], "lstm_cell.weight_hh": [512, 128],
    "lstm_cell.bias_ih": [512], "lstm_cell.bias_hh": [512],
    "final_conv.weight": [1, 128, 1], "final_conv.bias": [1],
}  # fmt: skip


def drawn_detector(path):
    draw = random.Random(1)
    save_safetensors(
        path,
        {name: ("F32", shape, [draw.uniform(-0.1, 0.1) for _ in range(math.prod(shape))]) for name, shape in DETECTOR.items()}
    )


def drawn_sound(path):
    draw = random.Random(2)
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1), sound.setsampwidth(2), sound.setframerate(16000)
        sound.writeframes(b"".join(struct.pack("<h", draw.randint(-9000, 9000)) for _ in range(16000)))


class Quiet(Isolated):
    def log_message(self, *_):
        pass


class Shared(http.server.SimpleHTTPRequestHandler):
    """Without the headers that threads need."""

    log_message = Quiet.log_message


class Page(unittest.TestCase):
    folder = pictures = pathlib.Path()
    silero = None

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.place)
        if self.silero:
            self.sound = self.silero / "jfk.wav"
            self.weights = self.silero / "silero_vad_16k.safetensors"
        else:
            self.sound, self.weights = self.place / "sound.wav", self.place / "drawn.safetensors"
            drawn_sound(self.sound), drawn_detector(self.weights)
        playwright = sync_playwright().start()
        self.addCleanup(playwright.stop)
        heard = [f"--use-file-for-fake-audio-capture={self.sound}", "--use-fake-device-for-media-stream"]
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--use-fake-ui-for-media-stream", *heard]
        )
        self.addCleanup(browser.close)
        self.page = browser.new_page(viewport={"width": 900, "height": 1100})
        self.asked, self.problems = [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda problem: self.problems.append(str(problem)))
        self.visit(Quiet)

    def visit(self, handler):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=self.folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.origin = f"http://127.0.0.1:{server.server_port}/"
        self.page.goto("about:blank")
        self.asked.clear()
        self.page.goto(self.origin)

    def closes(self, name):
        """Nothing came from elsewhere, and nothing went wrong."""
        self.page.screenshot(path=self.pictures / f"{name}.png")
        self.assertTrue(all(url.startswith((self.origin, f"blob:{self.origin}")) for url in self.asked), self.asked)
        self.assertEqual(self.problems, [])
        self.assertEqual(self.page.text_content("#problem"), "")

    def wait_for(self, condition):
        self.page.wait_for_function(f"{condition} || document.querySelector('#problem').textContent", timeout=120_000)
        self.assertEqual(self.page.text_content("#problem"), "")

    def choose_weights(self):
        """Those of the detector, which are not beside the page."""
        self.page.wait_for_selector("#missing input")
        self.assertIn("silero_vad_16k.safetensors is not beside this page", self.page.text_content("#missing"))
        self.page.set_input_files("#missing input", self.weights)

    def test_texts_are_ranked(self):
        self.page.click("#search button")
        self.wait_for("document.querySelector('#search-note').textContent.includes('tokens in')")
        rows = self.page.locator("#ranked tr").all_text_contents()
        self.assertEqual(len(rows), 7)
        self.assertIn("sell copies", rows[0])
        threads = self.page.evaluate("navigator.hardwareConcurrency")
        self.assertIn("one thread" if threads == 1 else f"{threads} threads", self.page.text_content("#search-note"))
        self.page.fill("#question", "recurrent neural networks")
        self.page.click("#search button")
        self.wait_for("document.querySelector('#ranked tr').textContent.includes('Elman')")
        self.closes("search")

    def test_texts_are_ranked_by_one_thread_where_pages_share_a_process(self):
        self.visit(Shared)
        self.page.click("#search button")
        self.wait_for("document.querySelector('#search-note').textContent.includes('one thread')")
        self.assertIn("sell copies", self.page.locator("#ranked tr").all_text_contents()[0])
        self.closes("one_thread")

    def test_speech_is_heard_in_a_file(self):
        self.page.set_input_files("#sound", self.sound)
        self.choose_weights()
        self.wait_for("window.probabilities")
        found = self.page.evaluate("window.probabilities")
        with wave.open(str(self.sound)) as sound:
            self.assertEqual(len(found), -(-sound.getnframes() // 512))
        if self.silero:
            expected = [float(line) for line in (self.silero / "jfk_expected_prob.txt").read_text().split()]
            for here, there in zip(found, expected):
                self.assertAlmostEqual(here, there, delta=1e-4)
            self.assertRegex(self.page.text_content("#intervals"), r"^0\.\d\d to \d\.\d\d s, ")
        else:
            self.assertTrue(all(0 < p < 1 for p in found))
        self.closes("file")

    def test_speech_is_heard_live(self):
        self.page.click("#listen")
        self.choose_weights()
        self.page.wait_for_timeout(4000)
        self.wait_for("document.querySelector('#listen').textContent === 'Stop'")
        if self.silero:
            self.wait_for("document.querySelector('#intervals').textContent.includes(' to ')")
        self.page.click("#listen")
        self.assertEqual(self.page.text_content("#listen"), "Microphone")
        self.closes("live")


if __name__ == "__main__":
    Page.folder, Page.pictures = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    Page.silero = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    Page.pictures.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
