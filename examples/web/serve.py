#!/usr/bin/env python3
"""Serves a folder at http://localhost:8000, isolated from other pages, so that its modules may have threads: serve.py FOLDER"""

import functools
import http.server
import sys


class Isolated(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("localhost", 8000), functools.partial(Isolated, directory=sys.argv[1])).serve_forever()
