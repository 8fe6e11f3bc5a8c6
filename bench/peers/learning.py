"""Learns a GPT of examples/train_gpt in PyTorch, from the same first parameters and the same batches, beside its log.

    python bench/peers/learning.py TEXT FIRST LOG [--heads H] [--every N] [--threads N] [--out CSV]

FIRST is the folder of a run of one step at rate 0, which has the first parameters and the tokenizer of characters:
    build/examples/train_gpt TEXT --size large --steps 1 --rate 0 --batch 1 --length 0 --out FIRST
LOG is the log.csv of the run to compare with, of --steps 500, --log-every 1 and the program's defaults otherwise. Needs torch,
safetensors and numpy.
"""

import argparse
import csv
import json
import math
import re

import numpy
import torch
from safetensors.torch import load_file
from training import GPT


def uniform(seed, sequence, count):
    """Numbers 0 to count - 1 of a sequence, as runtime/decoding/random.hpp draws them (Philox-4x32-10)."""
    low = numpy.uint64(0xFFFFFFFF)
    counter = [numpy.arange(count, dtype=numpy.uint64), numpy.zeros(count, numpy.uint64),
               numpy.full(count, sequence, numpy.uint64), numpy.zeros(count, numpy.uint64)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = counter[0] * numpy.uint64(0xD2511F53), counter[2] * numpy.uint64(0xCD9E8D57)
        counter = [(b >> numpy.uint64(32)) ^ counter[1] ^ numpy.uint64(key[0]), b & low,
                   (a >> numpy.uint64(32)) ^ counter[3] ^ numpy.uint64(key[1]), a & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    bits = counter[1] << numpy.uint64(32) | counter[0]
    return (bits >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-53


def first_model(tensors, heads):
    """PyTorch's module with our parameters: query, key and value are one product there."""
    vocab, width = tensors["wte"].shape
    context = tensors["wpe.weight"].shape[0]
    layers = 1 + max(int(m[1]) for m in (re.match(r"h\.(\d+)\.", name) for name in tensors) if m)
    names = {"wte": "wte.weight"}
    for i in range(layers):
        for kind in ("weight", "bias"):
            tensors[f"h.{i}.qkv.{kind}"] = torch.cat([tensors.pop(f"h.{i}.attn.{part}.{kind}") for part in "qkv"])
            names |= {f"h.{i}.{ours}.{kind}": f"h.{i}.{ours[ours.index('.') + 1:]}.{kind}"
                      for ours in ("attn.proj", "mlp.up", "mlp.down")}
    module = GPT(layers, heads, width, vocab, context)
    module.load_state_dict({names.get(name, name): values for name, values in tensors.items()})
    return module, context


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text")
    parser.add_argument("first")
    parser.add_argument("log")
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", default="losses.csv")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    with open(f"{options.first}/tokenizer.json", encoding="utf-8") as file:
        ids = json.load(file)["model"]["vocab"]
    with open(options.text, encoding="utf-8", newline="") as file:
        tokens = torch.tensor([ids[character] for character in file.read()])
    learned = tokens[:int(0.9 * len(tokens))]
    with open(options.log, encoding="utf-8") as file:
        ours = {int(row["step"]): float(row["loss"]) for row in csv.DictReader(file)}

    module, context = first_model(load_file(f"{options.first}/weights.safetensors"), options.heads)
    decayed = [p for p in module.parameters() if p.dim() > 1]
    others = [p for p in module.parameters() if p.dim() == 1]
    rate, warmup, floor = 1e-3, 100, 0.1
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0}],
                                  lr=rate, betas=(0.9, 0.99))
    worst = 0
    with open(options.out, "w", encoding="utf-8") as out:
        print("step,loss,pytorch_loss,difference_percent", file=out)
        for step in range(1, options.steps + 1):
            begins = (uniform(options.seed, step - 1, options.batch) * (len(learned) - context)).astype(numpy.int64)
            windows = torch.stack([learned[begin:begin + context + 1] for begin in begins])
            done = min(1.0, (step - warmup) / (options.steps - warmup))
            factor = step / warmup if step < warmup else floor + (1 - floor) / 2 * (1 + math.cos(math.pi * done))
            for group in optimizer.param_groups:
                group["lr"] = rate * factor
            optimizer.zero_grad(set_to_none=True)
            loss = module(windows[:, :-1], windows[:, 1:])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
            optimizer.step()
            if step == 1 or step % options.every == 0:
                difference = 100 * (ours[step] / loss.item() - 1)
                worst = max(worst, abs(difference))
                line = f"{step},{ours[step]:.6f},{loss.item():.6f},{difference:.4f}"
                print(line, file=out)
                print(line, flush=True)
    print(f"at most {worst:.4f} % apart")


if __name__ == "__main__":
    main()
