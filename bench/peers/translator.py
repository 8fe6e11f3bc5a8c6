#!/usr/bin/env python3
"""Learns a translator in PyTorch as examples/train_translator does: the same sizes, words, batches, schedule, clipping,
dropout and number of steps; the first parameters are PyTorch's own. Writes a folder that `translate` opens, so that both are
judged by the same search:

    build/examples/train_translator train.de train.en --held-out val.de val.en --model luong --steps 1362 --out ours
    python3 bench/peers/translator.py ours train.de train.en --held-out val.de val.en --steps 1362 --out theirs
    build/examples/translate ours test.de > ours.en; build/examples/translate theirs test.de > theirs.en
    sacrebleu test.en -i ours.en theirs.en -m bleu
"""

import argparse
import importlib.util
import json
import math
import pathlib
import shutil
import sys
import time

import torch
from safetensors.torch import save_file
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
import training  # noqa: E402
from training import END, PAD, START, UNKNOWN  # noqa: E402

specification = importlib.util.spec_from_file_location("translate_train", ROOT / "examples/translate/train.py")
translate_train = importlib.util.module_from_spec(specification)
specification.loader.exec_module(translate_train)

BUCKET = 100  # batches whose pairs are sorted by length together


def philox_uniform(seed, sequence, n):
    """runtime/decoding/random.hpp."""
    mask = 0xFFFFFFFF
    c = [n & mask, n >> 32, sequence & mask, sequence >> 32]
    k = [seed & mask, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return ((c[1] << 32 | c[0]) >> 11) * 2.0**-53


def shuffled(count, seed, sequence):
    """runtime/training/shuffle.hpp."""
    order = list(range(count))
    for i in range(count, 1, -1):
        j = int(philox_uniform(seed, sequence, i) * i)
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def epoch_batches(lengths, rows, seed, epoch):
    """runtime/training/length_buckets.hpp."""
    order = shuffled(len(lengths), seed, 2 * epoch)
    pairs = []
    for first in range(0, len(order), rows * BUCKET):
        pairs += sorted(order[first : first + rows * BUCKET], key=lambda i: lengths[i])
    groups = [pairs[i : i + rows] for i in range(0, len(pairs), rows)]
    return [groups[g] for g in shuffled(len(groups), seed, 2 * epoch + 1)]


def pairs_of(source, target, source_ids, target_ids, longest):
    made = []
    for x, y in zip(training.lines_of(source), training.lines_of(target), strict=True):
        x, y = training.words_of(x), training.words_of(y)
        if x and y and max(len(x), len(y)) <= longest:
            made.append(([source_ids.get(w, UNKNOWN) for w in x] + [END],
                         [START] + [target_ids.get(w, UNKNOWN) for w in y] + [END]))
    return made


def model_of(sizes):
    """The model of examples/translate/train.py with dropout where models/ has it."""
    model = translate_train.MODELS[sizes["model"]](sizes)
    for module in model.modules():
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
        if isinstance(module, (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)):
            module.dropout.p = 0.0
        if isinstance(module, translate_train.Bahdanau):
            module.state_dropout.p = 0.0
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ours", type=pathlib.Path, help="what train_translator has written: sizes and words are taken")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--held-out", type=pathlib.Path, nargs=2, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--log-every", type=int, default=10)
    parser.add_argument("--evaluate-every", type=int, default=250)
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)

    sizes = json.loads((a.ours / "sizes.json").read_text())
    words = [json.loads((a.ours / f"{side}.json").read_text())["model"]["vocab"] for side in ("source", "target")]
    learned = pairs_of(a.source, a.target, *words, a.longest)
    held_out = pairs_of(*a.held_out, *words, a.longest)
    model = model_of(sizes)
    smoothing = 0.1 if sizes["model"] == "transformer" else 0.0
    optimiser = torch.optim.Adam(model.parameters(), a.rate)

    def factor(step):  # counted from 1; runtime/training/schedule.cpp
        if step < a.warmup:
            return step / a.warmup
        done = min(1.0, (step - a.warmup) / max(a.steps - a.warmup, 1))
        return 0.05 + 0.95 / 2 * (1 + math.cos(math.pi * done))

    def loss_of(batch):
        source, target = training.padded([x for x, _ in batch]), training.padded([y for _, y in batch])
        logits = model(source, torch.tensor([len(x) for x, _ in batch]), target[:, :-1])
        return nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD,
                                           label_smoothing=smoothing)

    def evaluated():
        model.eval()
        total = count = 0
        with torch.inference_mode():
            for first in range(0, len(held_out), a.batch):
                batch = held_out[first : first + a.batch]
                n = sum(len(y) - 1 for _, y in batch)
                total, count = total + n * loss_of(batch).item(), count + n
        model.train()
        return total / count

    a.out.mkdir(parents=True, exist_ok=True)
    for name in ("sizes", "source", "target"):
        shutil.copyfile(a.ours / f"{name}.json", a.out / f"{name}.json")
    log = open(a.out / "log.csv", "w", encoding="utf-8")
    print("step,loss,validation_loss,seconds", file=log)
    lengths = [len(x) + len(y) - 1 for x, y in learned]
    begin, best, since, batches, epoch = time.monotonic(), math.inf, [], [], 0
    for step in range(1, a.steps + 1):
        if not batches:
            batches, epoch = epoch_batches(lengths, a.batch, a.seed, epoch), epoch + 1
        for group in optimiser.param_groups:
            group["lr"] = a.rate * factor(step)
        optimiser.zero_grad()
        loss = loss_of([learned[i] for i in batches.pop(0)])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), a.clip)
        optimiser.step()
        since.append(loss.item())
        validation = None
        if step % a.evaluate_every == 0 or step == a.steps:
            validation = evaluated()
            if validation < best:
                best = validation
                save_file({k: v.detach().contiguous() for k, v in model.state_dict().items()},
                          a.out / "weights.safetensors")
        if validation is not None or step % a.log_every == 0:
            seen = "" if validation is None else f"{validation:.6f}"
            print(f"{step},{sum(since) / len(since):.6f},{seen},{time.monotonic() - begin:.3f}", file=log, flush=True)
            since = []
    print(f"{a.out}: {a.steps} steps in {time.monotonic() - begin:.1f} s, validation loss {best:.4f}")


if __name__ == "__main__":
    main()
