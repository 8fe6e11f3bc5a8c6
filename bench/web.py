#!/usr/bin/env python3
"""MiniLM in Node by one thread and by two, beside the native library held to SSE2, by one: web.py PAGE LIBRARY

PAGE is the folder that `make web` has made, LIBRARY the libembedder.so of examples/web configured for this machine:

    cmake -S examples/web -B build-native -D CMAKE_BUILD_TYPE=Release && cmake --build build-native --target embedder
    python3 bench/web.py build-web/page build-native/libembedder.so
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import time

LENGTHS = [8, 32, 128]
ROUNDS = 5
INT32 = 3


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int32), ("rank", ctypes.c_int32)]
    _fields_ += [("shape", ctypes.c_int64 * 6), ("data", ctypes.c_void_p)]


class Options(ctypes.Structure):
    _fields_ = [("capacity", ctypes.c_void_p), ("capacities", ctypes.c_size_t), ("threads", ctypes.c_int32)]
    _fields_ += [(name, ctypes.c_void_p) for name in ("execute", "executor", "allocate", "release", "memory")]


def native(library, weights):
    """The best time of each length, in milliseconds."""
    lib = ctypes.CDLL(str(library))
    lib.embedder_open.restype = ctypes.c_void_p
    lib.embedder_error.restype = ctypes.c_char_p
    options = Options(threads=1)
    model = lib.embedder_open(str(weights).encode(), ctypes.byref(options))
    if not model:
        sys.exit(lib.embedder_error().decode())
    for length in LENGTHS:
        tokens, types = (ctypes.c_int32 * length)(*range(1000, 1000 + 37 * length, 37)), (ctypes.c_int32 * length)()
        inputs = (Tensor * 3)()
        for place, (name, shape, data) in enumerate(
            [(b"tokens", [1, length], tokens), (b"types", [1, length], types), (b"lengths", [1], (ctypes.c_int32 * 1)(length))]
        ):
            sizes = (ctypes.c_int64 * 6)(*shape)
            inputs[place] = Tensor(name, INT32, len(shape), sizes, ctypes.cast(data, ctypes.c_void_p))
        best, end = float("inf"), time.perf_counter() + 1.5
        while time.perf_counter() < end:
            start = time.perf_counter()
            if lib.embedder_run(ctypes.c_void_p(model), inputs, ctypes.c_size_t(3)) != 0:
                sys.exit(lib.embedder_error().decode())
            best = min(best, time.perf_counter() - start)
        print(best * 1000)


def times(*words, **environment):
    run = subprocess.run(list(map(str, words)), env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return list(map(float, run.stdout.split()))


def main(page, library):
    module = pathlib.Path(__file__).with_name("web.mjs")
    weights = page / "model.safetensors"
    in_turn = [
        (
            times("node", module, page, 1, *LENGTHS),
            times("node", module, page, 2, *LENGTHS),
            times(sys.executable, __file__, library, weights, "native", FOVEA_ISA="baseline"),
        )
        for _ in range(ROUNDS)
    ]
    print("| tokens | Node | native, SSE2 | share | Node, two threads |\n| ---: | ---: | ---: | ---: | ---: |")
    for place, length in enumerate(LENGTHS):
        web, two, own = (min(run[side][place] for run in in_turn) for side in range(3))
        print(f"| {length} | {web:.2f} ms | {own:.2f} ms | {web / own:.2f} | {two:.2f} ms |")


if __name__ == "__main__":
    if sys.argv[3:] == ["native"]:
        native(*map(pathlib.Path, sys.argv[1:3]))
    else:
        main(*map(pathlib.Path, sys.argv[1:3]))
