"""Writes the models that peers read where bench/arm_instructions.py counts them: arm_models.py FOLDER

Their weights are random, as in bench/calls.cpp. Needs what `make bench` puts into build/peers.
"""

import pathlib
import sys

import encoder
import formats
import runtimes
import torch
import transformers

MINILM = {"num_hidden_layers": 6, "hidden_size": 384, "intermediate_size": 1536, "vocab_size": 30522}


def main(folder):
    for kind in ("f32", "q8_0"):
        formats.write_gpt2(folder / f"gpt2-{kind}.gguf", formats.type_of(kind))
    config = transformers.BertConfig(**MINILM, attn_implementation="eager")
    model = encoder.Encoder(transformers.BertModel(config, add_pooling_layer=False)).eval()
    with torch.inference_mode():
        (folder / "minilm.onnx").write_bytes(runtimes.onnx_graph(model, encoder.inputs_of(2, 8), **encoder.NAMED))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
