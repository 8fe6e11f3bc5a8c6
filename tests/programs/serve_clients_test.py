#!/usr/bin/env python3
"""What many requests and clients leave of a server: serve_clients_test.py WRITER EMBEDDER"""

import contextlib
import json
import socket
import sys
import time
import unittest

from server import Serving


class Clients(Serving):
    def test_no_request_leaves_memory_behind(self):
        text, chat, user = "/v1/completions", "/v1/chat/completions", [{"role": "user", "content": "one two"}]
        of_writer = [("POST", text, {"prompt": ["one two", "three"], "n": 2, "max_tokens": 40, "seed": 3}), ("POST", text, {"prompt": "one", "max_tokens": 40, "stop": "two", "stream": True})]
        of_writer += [("POST", chat, {"messages": user, "max_tokens": 9}), ("POST", chat, {"messages": user, "max_tokens": 9, "stream": True}), ("POST", text, {"prompt": "one " * 9000})]
        of_writer += [("POST", text, body) for body in ("{", {"prompt": 1}, {"prompt": "one", "n": 100})]
        of_embedder = [("POST", "/v1/embeddings", {"input": ["one two", "three"]}), ("POST", "/v1/embeddings", {"input": "one", "encoding_format": "base64"}), ("POST", "/v1/attention", {"input": "one two"}), ("POST", "/v1/attention", {"input": 1})]
        of_both = [("GET", path, None) for path in ("/", "/health", "/metrics", "/v1/models", "/none", text)] + [("PUT", "/health", "{}")]
        exactly = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}  # what threads keep for themselves counts as allocated
        for program, options, asked in (self.writer, ("--waiting", "8"), of_writer), (self.embedder, (), of_embedder):
            server = self.started(program, *options, environment=exactly)
            found = []
            for _ in range(4):
                for method, path, body in (asked + of_both) * 12:
                    server.ask(method, path, body)
                found.append(min(server.memory() for _ in range(20)))  # some while a client before is still leaving
            with self.subTest(program=program):
                # The first round makes what is kept. Of 12 requests of a kind, not one leaves as much as 100 bytes.
                self.assertLess(found[3] - found[1], 2 * 12 * 100, found)

    def test_a_thread_ends_with_its_client(self):
        server = self.started(self.writer)
        alone = server.threads()
        with contextlib.ExitStack() as clients:
            for _ in range(40):
                clients.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            self.assertEqual(json.loads(server.ask("GET", "/health")[2]), {"status": "ok"})
            self.assertGreaterEqual(server.threads(), alone + 40)
        until = time.monotonic() + 60
        while server.threads() > alone and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(server.threads(), alone)

    def test_more_clients_than_threads_wait_for_one_to_leave(self):
        server = self.started(self.writer, "--connections", "2")
        alone = server.threads()
        clients = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(5)]
        self.assertLessEqual(server.threads(), alone + 2)
        for client in clients:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        for client in clients:
            with client:
                self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 200 "))


if __name__ == "__main__":
    Serving.writer, Serving.embedder = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
