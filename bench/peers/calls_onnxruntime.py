"""MiniLM, as in bench/calls.cpp, in ONNX Runtime: calls_onnxruntime.py FOLDER CASE COUNT.

bench/peers/arm_models.py makes FOLDER. Needs onnxruntime alone.
"""

import sys

import numpy
import onnxruntime


def main(folder, case, count):
    if not case.startswith("minilm/"):
        return 2
    batch, tokens = map(int, case.removeprefix("minilm/").split("x"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(f"{folder}/minilm.onnx", options, providers=["CPUExecutionProvider"])
    ids = numpy.full((batch, tokens), 2000)
    feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    for _ in range(int(count)):
        session.run(None, feed)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
