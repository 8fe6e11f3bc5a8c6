"""Programs that answer over HTTP, as tests start and ask them."""

import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools"))
from weight_files import save_safetensors  # noqa: E402

SHAPES = {"out.bias": [8], "out.weight": [8, 6], "rnn.bias_hh_l0": [18], "rnn.bias_ih_l0": [18], "rnn.weight_hh_l0": [18, 6], "rnn.weight_ih_l0": [18, 4], "words.weight": [8, 4]}
WORDS = ["one", "two", "three", "four", "five"]


def drawn_weights(path, names):
    draw = random.Random(3)
    tensors = {}
    for name in names:
        count = SHAPES[name][0] * (SHAPES[name][1] if len(SHAPES[name]) > 1 else 1)
        tensors[name] = ("F32", SHAPES[name], [draw.uniform(-1.5, 1.5) for _ in range(count)])
    return save_safetensors(path, tensors)


class Server:
    """A program that is answering."""

    def __init__(self, program, weights, *options, environment=None):
        words = [program, "--weights", str(weights), "--port", "0", *options]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})
        line = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line
        self.port = int(found[1])

    def ask(self, method, path, body=None, headers=None):
        """The status, the headers and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            content = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
            connection.request(method, path, content, headers or {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def post(self, path, **body):
        status, _, text = self.ask("POST", path, body)
        assert status == 200, text
        return json.loads(text)

    def events(self, path, **body):
        """What a streamed answer says, without its end mark."""
        status, headers, text = self.ask("POST", path, body | {"stream": True})
        assert (status, headers["Content-Type"]) == (200, "text/event-stream"), text
        events = [line.removeprefix("data: ") for line in text.split("\n\n") if line]
        assert events[-1] == "[DONE]", events[-1]
        return [json.loads(event) for event in events[:-1]]

    def raw(self, content):
        """The status of an answer to bytes that may be no request."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as to:
            to.sendall(content)
            to.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := to.recv(65536):
                answer += piece
        return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else None

    def memory(self):
        """Bytes that are allocated."""
        return int(re.search(r"^fovea_memory_bytes (\d+)$", self.ask("GET", "/metrics")[2], re.M)[1])

    def threads(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()))

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        said = self.process.communicate(timeout=60)[1]
        return self.process.returncode, said


class Serving(unittest.TestCase):
    """Tests of servers of the tiny models."""

    writer = embedder = generate = embed = ""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def started(self, program, *options, environment=None):
        names = SHAPES if program == self.writer else ["words.weight"]
        self.weights = drawn_weights(self.folder / "weights.safetensors", names)
        server = Server(program, self.weights, *options, environment=environment)
        self.addCleanup(lambda: server.process.poll() is None and server.end())
        return server
