#!/usr/bin/env python3
"""Programs that answer over HTTP, beside those that print: serve_test.py WRITER EMBEDDER GENERATE EMBED"""

import base64
import concurrent.futures
import contextlib
import http.client
import json
import math
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

from server import SHAPES, WORDS, Serving, drawn_weights


def attention_of(weights, text):
    """The maps of each layer and head of the embedder (tiny.hpp), computed here."""
    file = weights.read_bytes()
    values = struct.unpack("<32f", file[-128:])
    x = [values[4 * row : 4 * row + 4] for row in (1, *(WORDS.index(word) + 3 for word in text.split()), 2)]
    layers = []
    for _ in range(2):
        maps, seen = [], [[] for _ in x]
        for own in (slice(0, 2), slice(2, 4)):
            scores = [[math.exp(sum(a * b for a, b in zip(q[own], k[own])) / math.sqrt(2)) for k in x] for q in x]
            maps.append([[score / sum(row) for score in row] for row in scores])
            for token, row in zip(seen, maps[-1]):
                token += [sum(weight * v[own][i] for weight, v in zip(row, x)) for i in range(2)]
        layers.append(maps)
        x = [[a + b for a, b in zip(*pair)] for pair in zip(x, seen)]
    return layers


class Serve(Serving):
    def test_completions_are_those_of_the_program_that_prints(self):
        server = self.started(self.writer)
        for prompt in ("one two", "three", "five four three"):
            answer = server.post("/v1/completions", prompt=prompt, temperature=0, max_tokens=3)
            words = [self.generate, prompt, "--weights", self.weights, "--temperature", "0", "--tokens", "3", "--json"]
            right = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[0])
            if right["ended"] == "length":
                self.assertEqual(answer["choices"][0]["text"], right["generated"])
            self.assertEqual(answer["object"], "text_completion")
            self.assertEqual(answer["choices"][0]["finish_reason"], "length")
            self.assertEqual(answer["usage"], {"prompt_tokens": len(prompt.split()) + 2, "completion_tokens": 3, "total_tokens": len(prompt.split()) + 5})

    def test_texts_are_the_same_whatever_is_written_beside_them(self):
        server = self.started(self.writer, "--rows", "4", "--prompt-piece", "3")
        draw = random.Random(7)
        asked = [{"prompt": " ".join(draw.choices(WORDS, k=draw.randint(1, 40))), "max_tokens": draw.randint(1, 60), "seed": i, "temperature": 1.5} for i in range(60)]
        alone = [server.post("/v1/completions", **one)["choices"][0] for one in asked]
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            together = list(pool.map(lambda one: server.post("/v1/completions", **one)["choices"][0], asked))
        self.assertEqual(alone, together)
        self.assertGreater(len({choice["text"] for choice in alone}), 30)

    def test_a_streamed_text_is_the_whole_one(self):
        server = self.started(self.writer)
        for path, begin in (("/v1/completions", {"prompt": "one"}), ("/v1/chat/completions", {"messages": [{"role": "user", "content": "one two"}]})):
            asked = begin | {"max_tokens": 30, "seed": 4, "n": 2}
            whole = server.post(path, **asked)
            events = server.events(path, **asked, stream_options={"include_usage": True})
            for index in range(2):
                pieces = [choice for event in events for choice in event["choices"] if choice["index"] == index]
                text = "".join(piece.get("text", piece.get("delta", {}).get("content", "")) for piece in pieces)
                choice = whole["choices"][index]
                self.assertEqual(text, choice["text"] if "text" in choice else choice["message"]["content"])
                self.assertEqual(pieces[-1]["finish_reason"], choice["finish_reason"])
            self.assertEqual(events[-1]["usage"], whole["usage"])
            self.assertNotEqual(*(str(choice.get("text", choice.get("message"))) for choice in whole["choices"]))

    def test_a_chat_is_put_to_the_model_as_a_text(self):
        server = self.started(self.writer)
        messages = [{"role": "system", "content": "one"}, {"role": "user", "content": [{"type": "text", "text": "two"}]}]
        chat = server.post("/v1/chat/completions", messages=messages, temperature=0, max_completion_tokens=5)
        text = server.post("/v1/completions", prompt="system: one\nuser: two\nassistant:", temperature=0, max_tokens=5)
        self.assertEqual(chat["choices"][0]["message"], {"role": "assistant", "content": text["choices"][0]["text"]})
        self.assertEqual(chat["object"], "chat.completion")

    def test_stop_strings_and_several_prompts(self):
        server = self.started(self.writer)
        whole = server.post("/v1/completions", prompt="one", max_tokens=40, seed=1)["choices"][0]["text"]
        stop = whole.split()[4]
        short = server.post("/v1/completions", prompt="one", max_tokens=40, seed=1, stop=[stop])["choices"][0]
        self.assertEqual((short["text"], short["finish_reason"]), (whole[: whole.index(stop)], "stop"))
        drawn = {server.post("/v1/completions", prompt="one", max_tokens=40)["choices"][0]["text"] for _ in range(3)}
        self.assertEqual(len(drawn), 3)  # without a seed, another text each time
        both = server.post("/v1/completions", prompt=["one", "two"], max_tokens=4, seed=1)["choices"]
        each = [server.post("/v1/completions", prompt=prompt, max_tokens=4, seed=1)["choices"][0]["text"] for prompt in ("one", "two")]
        self.assertEqual([choice["text"] for choice in both], each)
        self.assertEqual([choice["index"] for choice in both], [0, 1])

    def test_texts_are_of_the_format_that_is_asked_for(self):
        letters = ["[CLS]", "{", "}", '"', "a", ":", "1", ","]
        words = self.folder / "letters.json"
        words.write_text(json.dumps({
            "added_tokens": [{"id": 0, "content": "[CLS]", "special": True}],
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
            "decoder": {"type": "ByteLevel"},
            "model": {"type": "BPE", "vocab": {letter: i for i, letter in enumerate(letters)}, "merges": []},
        }))  # fmt: skip
        server = self.started(self.writer, "--tokenizer", words)
        schema = {"type": "object", "properties": {"a": {"type": "integer", "maximum": 111}, "aa": {"type": "string", "maxLength": 4}}, "required": ["aa"], "additionalProperties": False}
        asked = {"response_format": {"type": "json_schema", "json_schema": {"name": "pair", "strict": True, "schema": schema}}, "max_tokens": 100}
        prompts = {"/v1/completions": {"prompt": "a1"}, "/v1/chat/completions": {"messages": [{"role": "user", "content": "1"}]}}
        seen = set()
        for path, begin in prompts.items():
            for seed in range(10):
                answer = server.post(path, **begin, **asked, n=2, seed=seed)
                for choice in answer["choices"]:
                    value = json.loads(choice.get("text", choice.get("message", {}).get("content")))
                    self.assertEqual(choice["finish_reason"], "stop")
                    self.assertIn(list(value), (["aa"], ["a", "aa"]))
                    self.assertLessEqual(len(value["aa"]), 4)
                    self.assertLessEqual(value.get("a", 0), 111)
                    seen.add(json.dumps(value))
            events = server.events(path, **begin, **asked, seed=0)
            text = "".join(choice.get("text", choice.get("delta", {}).get("content", "")) for event in events for choice in event["choices"])
            whole = server.post(path, **begin, **asked, seed=0)["choices"][0]
            self.assertEqual(text, whole.get("text", whole.get("message", {}).get("content")))
        self.assertGreater(len(seen), 5)
        ended = 0
        for seed in range(20):
            choice = server.post("/v1/completions", prompt="a", response_format={"type": "json_object"}, max_tokens=300, seed=seed)["choices"][0]
            if choice["finish_reason"] == "stop":
                ended += 1
                self.assertIsInstance(json.loads(choice["text"]), dict)
        self.assertGreater(ended, 0)
        free = [server.post("/v1/completions", prompt="a", seed=5, max_tokens=20, **more)["choices"] for more in ({}, {"response_format": {"type": "text"}})]
        self.assertEqual(*free)

    def test_a_format_that_cannot_be_had_is_refused_by_its_place(self):
        server = self.started(self.writer)
        for schema, sentence in (
            ({"properties": {"a": {"not": {}}}}, "response_format: JSON schema: #/properties/a: expected no keyword but type, enum, const, anyOf, oneOf, allOf, $ref in a schema without a type; found 'not'"),
            ({"properties": {str(i): True for i in range(5001)}}, "body: expected objects of at most 5000 members; found one of 5001"),
            ({"type": "string", "pattern": "("}, "response_format: JSON schema: #/pattern: regular expression: expected ) at byte 1; found its end"),
        ):
            status, _, said = server.ask("POST", "/v1/completions", {"prompt": "one", "response_format": {"type": "json_schema", "json_schema": {"schema": schema}}})
            self.assertEqual((status, json.loads(said)["error"]["message"]), (400, sentence))
        # The vocabulary has no token of JSON.
        status, _, said = server.ask("POST", "/v1/completions", {"prompt": "one", "response_format": {"type": "json_object"}})
        self.assertEqual((status, json.loads(said)["error"]["message"]), (500, "grammar: expected a token of the vocabulary that goes on with the text as it asks; found none"))

    def assert_of_one_text(self, found, right):
        """The longest text beside it decides in which order a text's values are summed: the last bits differ."""
        for a, b in zip(found, right, strict=True):
            self.assertAlmostEqual(a, b, delta=4 * 2.0**-23 * max(1, abs(b)))

    def test_embeddings_are_those_of_the_program_that_prints(self):
        server = self.started(self.embedder)
        texts = ["one two", "three", "one two three four five"]
        run = subprocess.run([self.embed, "--weights", self.weights, "--json"], input="\n".join(texts), capture_output=True, text=True, check=True)
        right = [json.loads(line)["vector"] for line in run.stdout.splitlines()]
        answer = server.post("/v1/embeddings", input=texts)
        for one, vector in zip(answer["data"], right):
            self.assert_of_one_text(one["embedding"], vector)
        self.assertEqual(answer["usage"]["prompt_tokens"], 4 + 3 + 7)
        packed = server.post("/v1/embeddings", input=texts, encoding_format="base64")["data"][0]["embedding"]
        self.assertEqual(struct.unpack("<4f", base64.b64decode(packed)), struct.unpack("<4f", struct.pack("<4f", *answer["data"][0]["embedding"])))
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            many = list(pool.map(lambda i: server.post("/v1/embeddings", input=texts[i % 3])["data"][0]["embedding"], range(60)))
        for i, vector in enumerate(many):
            self.assert_of_one_text(vector, right[i % 3])

    def test_attention_is_that_of_the_model(self):
        server = self.started(self.embedder)
        for text in ("one two", "five", "one two three four five"):
            right = attention_of(self.weights, text)
            for layer, maps in enumerate(right):
                mean = [[(a + b) / 2 for a, b in zip(*rows)] for rows in zip(*maps)]
                for head, expected in ((1, maps[0]), (2, maps[1]), (None, mean)):
                    answer = server.post("/v1/attention", input=text, layer=layer + 1, head=head)
                    self.assertEqual((answer["object"], answer["heads"], answer["layer"], answer["head"]), ("attention", [2, 2], layer + 1, head))
                    self.assertEqual(answer["tokens"], ["[CLS]", *text.split(), "[SEP]"])
                    self.assertEqual(len(answer["weights"]), len(expected))
                    for found_row, row in zip(answer["weights"], expected):
                        self.assertAlmostEqual(sum(found_row), 1, 5)
                        self.assertEqual(len(found_row), len(row))
                        for a, b in zip(found_row, row):
                            self.assertAlmostEqual(a, b, 5)
        self.assertEqual(server.post("/v1/attention", input="one"), server.post("/v1/attention", input="one", layer=1, head=None))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            many = list(pool.map(lambda i: server.post("/v1/attention", input=WORDS[i % 3])["tokens"][1], range(24)))
        self.assertEqual(many, [WORDS[i % 3] for i in range(24)])

    def test_attention_that_cannot_be_told_is_refused(self):
        server = self.started(self.embedder)
        for body, sentence in (
            ({}, "input: expected a text; there is none"),
            ({"input": ["one"]}, 'input: expected a text; found ["one"]'),
            ({"input": ""}, "input: the text is empty"),
            ({"input": "one " * 7}, "input: expected at most 8 tokens, which a map shows; found 9"),
            ({"input": "one", "layer": 3}, "layer: expected a whole number from 1 to 2; found 3"),
            ({"input": "one", "layer": "1"}, 'layer: expected a whole number from 1 to 2; found "1"'),
            ({"input": "one", "head": 0}, "head: expected a whole number from 1 to 2; found 0"),
        ):
            status, _, said = server.ask("POST", "/v1/attention", body)
            self.assertEqual((status, json.loads(said)["error"]["message"]), (400, sentence))
        status, _, said = self.started(self.writer).ask("POST", "/v1/attention", {"input": "one"})
        self.assertEqual((status, json.loads(said)["error"]["message"]), (404, "tiny_writer has no attention among tokens"))

    def test_what_else_it_says(self):
        server = self.started(self.writer)
        server.post("/v1/completions", prompt="one two", max_tokens=7)
        self.assertEqual(json.loads(server.ask("GET", "/health")[2]), {"status": "ok"})
        self.assertEqual(json.loads(server.ask("GET", "/v1/models")[2])["data"][0]["id"], "tiny_writer")
        metrics = server.ask("GET", "/metrics")[2]
        for line in ('fovea_requests_total{path="/v1/completions",status="200"} 1', "fovea_tokens_total 7", "fovea_prompt_tokens_total 4", "fovea_texts_running 0"):
            self.assertIn(line + "\n", metrics)
        status, headers, page = server.ask("GET", "/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("tiny_writer", page)
        self.assertNotRegex(page, r"https?://|@[A-Z]+@")

    def test_a_reader_who_leaves_frees_his_row(self):
        server = self.started(self.writer, "--rows", "1")
        body = json.dumps({"prompt": "one", "max_tokens": 4000, "stream": True})
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as to:
            to.sendall(f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            to.recv(100)
        self.assertEqual(server.post("/v1/completions", prompt="one", max_tokens=1)["usage"]["completion_tokens"], 1)

    def test_what_has_begun_is_finished(self):
        server = self.started(self.writer)
        body = json.dumps({"prompt": "one", "max_tokens": 4000, "stream": True})
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as to:
            to.sendall(f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            answer = to.recv(100)
            server.process.send_signal(signal.SIGINT)
            while piece := to.recv(65536):
                answer += piece
        self.assertIn(b"data: [DONE]", answer)
        said = server.process.communicate(timeout=60)[1]
        self.assertEqual((server.process.returncode, said), (0, "tiny_writer: finishing what has begun; once more ends it at once\n"))
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port))

    def test_the_second_signal_ends_it_at_once(self):
        server = self.started(self.writer, "--rows", "1")
        body = json.dumps({"prompt": "one", "max_tokens": 4000, "n": 128, "stream": True})
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as to:
            to.sendall(f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            to.recv(100)
            server.process.send_signal(signal.SIGINT)
            self.assertIn("once more ends it at once", server.process.stderr.readline())
            server.process.send_signal(signal.SIGINT)
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := to.recv(65536):
                    answer += piece
        self.assertEqual(server.process.wait(60), 130)
        self.assertNotIn(b"[DONE]", answer)

    def test_a_body_is_read_whatever_type_it_is_said_to_have(self):
        server = self.started(self.writer)
        body = json.dumps({"prompt": "one " * 3000, "max_tokens": 1})
        status, _, said = server.ask("POST", "/v1/completions", body, {"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual((status, json.loads(said)["usage"]["prompt_tokens"]), (200, 3002))
        status, _, said = server.ask("POST", "/v1/completions", "--x\r\n\r\n--x--", {"Content-Type": "multipart/form-data; boundary=x"})
        self.assertEqual((status, json.loads(said)["error"]["message"]), (415, "expected JSON; found a form of several parts"))

    def test_what_is_refused_leaves_nothing_for_the_next_request(self):
        server = self.started(self.writer)
        form = {"Content-Type": "multipart/form-data"}
        for method, path, headers, expected in (
            ("POST", "/health", {}, 405),
            ("POST", "/health", form, 405),
            ("PUT", "/v1/completions", {}, 405),
            ("DELETE", "/health", {}, 405),
            ("POST", "/nowhere", {}, 404),
            ("POST", "/nowhere", form, 404),
            ("PATCH", "/nowhere", {}, 404),
            ("POST", "/v1/completions", form, 415),
            ("POST", "/v1/completions", form | {"Content-Type": "multipart/form-data; boundary=x"}, 415),
            ("POST", "/v1/completions", {"Content-Encoding": "gzip"}, 415),
            ("POST", "/v1/completions", {}, 400),
        ):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            with contextlib.closing(connection):
                for asked in ((method, path, "GET /nowhere HTTP/1.1\r\n\r\n", headers), ("GET", "/health")):
                    connection.request(*asked)
                    own = connection.sock
                    answer = connection.getresponse()
                    answer.read()
                    self.assertIs(connection.sock, own)
                    self.assertEqual(answer.status, expected if len(asked) > 2 else 200, asked)
        self.assertEqual(server.ask("DELETE", "/health")[0], 405)

    def test_a_long_body_is_refused_whoever_says_how_long_it_is(self):
        server = self.started(self.writer, "--body", "4")
        for method, path, expected in (("POST", "/v1/completions", 413), ("DELETE", "/health", 405), ("POST", "/nowhere", 404)):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            with contextlib.closing(connection):
                for asked, status in (((method, path, iter([b" " * 3000] * 5)), expected), (("GET", "/health"), 200)):
                    connection.request(*asked, headers={"Transfer-Encoding": "chunked"} if len(asked) > 2 else {}, encode_chunked=True)
                    own = connection.sock
                    answer = connection.getresponse()
                    answer.read()
                    self.assertEqual((answer.status, connection.sock), (status, own), asked)

    def test_no_share_of_all_is_the_likeliest_token(self):
        server = self.started(self.writer)
        likeliest = server.post("/v1/completions", prompt="one two", temperature=0, max_tokens=5)["choices"]
        self.assertEqual(server.post("/v1/completions", prompt="one two", top_p=0, max_tokens=5)["choices"], likeliest)

    def test_more_texts_than_ever_fit_are_refused_before_they_are_made(self):
        server = self.started(self.writer)
        status, _, text = server.ask("POST", "/v1/completions", {"prompt": ["one"] * 100000, "n": 128})
        self.assertEqual((status, json.loads(text)["error"]["message"]), (503, "too many texts are waiting; expected at most 256"))
        peak = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())
        self.assertLess(int(peak[1]), 1 << 18)
        status, _, text = server.ask("POST", "/v1/completions", {"prompt": "one", "stop": ["x"] * 65})
        self.assertEqual(status, 400)
        self.assertRegex(json.loads(text)["error"]["message"], "^stop: expected at most 64 texts; found ")

    def test_a_signal_ends_it_before_it_answers_too(self):
        weights = drawn_weights(self.folder / "weights.safetensors", SHAPES)
        for delay in (0, 0.001, 0.003, 0.01, 0.03):
            words = [self.writer, "--weights", str(weights), "--port", "0"]
            with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
                time.sleep(delay)
                process.send_signal(signal.SIGTERM)
                self.assertIn(process.wait(60), (0, -signal.SIGTERM, 128 + signal.SIGTERM))

    def test_more_than_may_wait_is_refused(self):
        server = self.started(self.writer, "--rows", "1", "--waiting", "2")
        status, headers, text = server.ask("POST", "/v1/completions", {"prompt": "one", "n": 4})
        self.assertEqual((status, headers["Retry-After"]), (503, "1"))
        self.assertEqual(json.loads(text)["error"]["message"], "too many texts are waiting; expected at most 2")
        self.assertEqual(len(server.post("/v1/completions", prompt="one", n=3)["choices"]), 3)

    def test_bad_requests_get_their_status_and_a_sentence(self):
        server = self.started(self.writer, "--body", "4")
        text, chat = "/v1/completions", "/v1/chat/completions"
        user = [{"role": "user", "content": "one"}]
        bad = [(text, body) for body in ("", "{", "[]", "null", "1", '"one"', "{}", '{"prompt": }', '{"prompt": "a\nb"}', b'{"prompt": "\xff"}', "{'prompt': 'one'}", '{"prompt": "one",}')]
        bad += [(text, {"prompt": prompt}) for prompt in (None, 1, 1.5, True, {}, [], [1], ["one", 2], [[1, 2]])]
        for key, values in {
            "max_tokens": (0, -1, 1.5, "3", True, [1], 1e30),
            "temperature": (-0.1, "0", 1001, [], {}),
            "top_p": (-0.1, 1.1, "1"),
            "min_p": (-1, 2, "x"),
            "top_k": (-1, 0.5, "4"),
            "repetition_penalty": (0, -1, "1"),
            "seed": (-1, 0.5, "1", 1e300),
            "n": (0, -1, 129, "2", 1.5),
            "stop": (1, [1], "", [""], {}),
            "stream": (1, "true", []),
            "stream_options": (1, "usage", []),
            "logprobs": (1, True),
            "suffix": ("x",),
            "echo": (True,),
            "best_of": (2,),
            "logit_bias": ({"1": 2},),
            "presence_penalty": (0.5,),
            "frequency_penalty": (-1,),
            "response_format": (1, "json_object", {}, {"type": "xml"}, {"type": "json_schema"}, {"type": "json_schema", "json_schema": {"name": "x"}}, {"type": "json_schema", "json_schema": {"schema": {"type": "text"}}}),
            "tools": ([{}],),
        }.items():
            bad += [(text, {"prompt": "one", key: value}) for value in values]
        bad += [(chat, {"messages": messages}) for messages in (None, 1, "one", [], {}, [1], [{}], [{"role": "user"}], [{"content": "one"}], [{"role": "king", "content": "one"}], [{"role": "user", "content": 1}], [{"role": "user", "content": [{"type": "image"}]}])]
        bad += [(chat, {}), (chat, {"messages": user, "max_completion_tokens": 0}), (chat, {"prompt": "one"})]
        self.assertGreater(len(bad), 80)
        for path, body in bad:
            status, headers, said = server.ask("POST", path, body)
            with self.subTest(path=path, body=body):
                self.assertEqual((status, headers["Content-Type"]), (400, "application/json"), said)
                self.assertEqual(json.loads(said)["error"]["type"], "invalid_request_error")
        for expected, method, path, body in (
            (404, "GET", "/v1/nothing", None),
            (404, "POST", "/v1/embeddings", {"input": "one"}),
            (404, "GET", "/../etc/passwd", None),
            (405, "GET", text, None),
            (405, "PUT", chat, "{}"),
            (405, "DELETE", "/health", None),
            (405, "POST", "/metrics", "{}"),
            (413, "POST", text, {"prompt": "one " * 2000}),
        ):
            status, headers, said = server.ask(method, path, body)
            with self.subTest(method=method, path=path):
                self.assertEqual((status, headers["Content-Type"]), (expected, "application/json"), said)
                self.assertGreater(len(json.loads(said)["error"]["message"]), 10)
        for content in (b"\r\n\r\n", b"nonsense\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: nonsense\r\n\r\n{}", b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: " + b"b" * 9000 + b"\r\n\r\n", b"\x16\x03\x01\x02\x00", b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{}"):
            with self.subTest(content=content[:40]):
                self.assertIn(server.raw(content), (None, 400, 404, 414))
        self.assertEqual(server.post(text, prompt="one", max_tokens=1)["object"], "text_completion")

    def test_a_body_that_is_no_json_is_told_with_its_place(self):
        server = self.started(self.writer)
        for body, sentence in (
            ('{"prompt": }', "body: not valid JSON: parse error at line 1, column 12: syntax error while parsing value - unexpected '}'; expected "),
            ('{"prompt":\n\'one\'}', "body: not valid JSON: parse error at line 2, column 1: syntax error while parsing value - invalid literal; last read: "),
            ('{"prompt": "a", "prompt": "b"}', "body: expected each name in an object once; found 'prompt' twice"),
            ("[1]", "body: expected an object of JSON; found [1]"),
        ):
            status, _, said = server.ask("POST", "/v1/completions", body)
            with self.subTest(body=body):
                self.assertEqual(status, 400)
                self.assertTrue(json.loads(said)["error"]["message"].startswith(sentence), said)

    def test_texts_without_room_are_refused(self):
        server = self.started(self.writer, "--context", "8")
        said = json.loads(server.ask("POST", "/v1/completions", {"prompt": "one two three one two three"})[2])
        self.assertEqual(said["error"]["message"], "prompt: expected fewer than 8 tokens, the context of the model; found 8")
        self.assertEqual(server.post("/v1/completions", prompt="one", max_tokens=100)["usage"]["total_tokens"], 8)
        server.end()
        server = self.started(self.embedder)
        for value, sentence in ((["one", ""], "input 1: the text is empty"), ("one " * 8, "input: expected at most 8 tokens, the context of the model; found 10"), (1, "input: expected a text, or a list of texts; found 1")):
            status, _, said = server.ask("POST", "/v1/embeddings", {"input": value})
            self.assertEqual((status, json.loads(said)["error"]["message"]), (400, sentence))

    def test_what_keeps_it_from_beginning_is_one_line(self):
        server = self.started(self.writer)
        for options, expected in ((["--port", str(server.port)], "cannot listen at 127.0.0.1:"), (["--host", "no.such.host.invalid"], "cannot listen at no.such.host.invalid:"), (["--chat", "loud"], "--chat: expected plain, chatml, llama2 or llama3; found 'loud'")):
            run = subprocess.run([self.writer, "--weights", self.weights, *options], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
            self.assertIn(expected, run.stderr)


if __name__ == "__main__":
    Serving.writer, Serving.embedder, Serving.generate, Serving.embed = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
