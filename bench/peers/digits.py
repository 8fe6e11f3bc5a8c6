"""Trains in PyTorch what train_digits trains, from the same first parameters by the same batches, and says how many digits
of the test it reads.

    python bench/peers/digits.py build/examples/train_digits IMAGES LABELS [--model cnn] [--steps N]

Needs torch, safetensors, numpy. What dropout leaves out is drawn by PyTorch.
"""

import argparse
import gzip
import math
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

SIDE = 28


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.linear = nn.GRU(SIDE, 128, batch_first=True), nn.Linear(128, 10)

    def forward(self, pixels):
        return self.linear(self.rnn(pixels[:, 0])[1][0])


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 16, 5, padding=2), nn.Conv2d(16, 32, 5, padding=2)
        self.linear1, self.linear2 = nn.Linear(7 * 7 * 32, 128), nn.Linear(128, 10)

    def forward(self, pixels):
        x = F.max_pool2d(F.relu(self.conv1(pixels)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.linear1(x.permute(0, 2, 3, 1).flatten(1)))  # features last, as the program has them
        return self.linear2(F.dropout(x, 0.5, self.training))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out_proj = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        return self.out_proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.self_attn = Attention(width, heads)
        self.linear1, self.linear2 = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x):
        x = x + self.self_attn(self.norm1(x))
        return x + self.linear2(F.gelu(self.linear1(self.norm2(x))))


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(1, 64, 7, stride=7)
        self.register_parameter("class", nn.Parameter(torch.zeros(1, 1, 64)))
        self.positions = nn.Parameter(torch.zeros(1, 17, 64))
        self.layers = nn.ModuleList(Block(64, 4, 128) for _ in range(4))
        self.norm, self.classifier = nn.LayerNorm(64, eps=1e-12), nn.Linear(64, 10)

    def forward(self, pixels):
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.get_parameter("class").expand(len(x), -1, -1), x], 1) + self.positions
        for block in self.layers:
            x = block(x)
        return self.classifier(self.norm(x[:, 0]))


MODELS = {"gru": Gru, "cnn": Cnn, "vit": Vit}


def uniform(seed, sequence, n):
    """runtime/decoding/random.hpp: Philox-4x32-10, for each of n."""
    low = np.uint64(0xFFFFFFFF)
    n = np.asarray(n, dtype=np.uint64)
    c = [n & low, n >> np.uint64(32), np.full_like(n, sequence & 0xFFFFFFFF), np.full_like(n, sequence >> 32)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [b >> np.uint64(32) ^ c[1] ^ np.uint64(key[0]), b & low,
             a >> np.uint64(32) ^ c[3] ^ np.uint64(key[1]), a & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return ((c[1] << np.uint64(32) | c[0]) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def shuffled(count, seed, sequence):
    """runtime/training/shuffle.hpp."""
    order, numbers = list(range(count)), uniform(seed, sequence, np.arange(count + 1))
    for i in range(count, 1, -1):
        j = int(numbers[i] * i)
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def batches(count, rows, seed, steps):
    """runtime/training/length_buckets.hpp, for examples of one length."""
    per_epoch = -(-count // rows)
    for i in range(steps):
        if i % per_epoch == 0:
            epoch = i // per_epoch
            examples = shuffled(count, seed, 2 * epoch)
            order = shuffled(per_epoch, seed, 2 * epoch + 1)
        first = order[i % per_epoch] * rows
        yield examples[first : first + rows]


def shifted(images, shift, seed, number):
    """examples/train_digits/batches.hpp."""
    by = (uniform(~seed & 0xFFFFFFFFFFFFFFFF, number, np.arange(2 * len(images))) * (2 * shift + 1)).astype(int) - shift
    made = F.pad(images, (shift,) * 4)
    return torch.stack([image[:, shift - down : shift - down + SIDE, shift - right : shift - right + SIDE]
                        for image, down, right in zip(made, by[::2], by[1::2])])


def read(file, header):
    raw = file.read_bytes()
    raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    return torch.from_numpy(np.frombuffer(raw, np.uint8, offset=header).copy())


def rate_of(step, steps, warmup=100):
    if step <= warmup:
        return step / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("images", type=pathlib.Path)
    parser.add_argument("labels", type=pathlib.Path)
    parser.add_argument("--model", choices=MODELS, default="cnn")
    parser.add_argument("--test", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--decay", type=float, default=0.01)
    parser.add_argument("--shift", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    images, labels = read(o.images, 16).view(-1, 1, SIDE, SIDE).float() / 255, read(o.labels, 8).long()
    learned = len(images) - o.test

    model = MODELS[o.model]()
    with tempfile.TemporaryDirectory() as folder:
        # One step at a rate of nothing leaves the first parameters as they are.
        subprocess.run([o.program, o.images, o.labels, "--model", o.model, "--test", str(o.test), "--steps", "1", "--rate",
                        "0", "--seed", str(o.seed), "--out", folder], check=True, stdout=subprocess.DEVNULL)
        model.load_state_dict(load_file(pathlib.Path(folder) / "weights.safetensors"))

    optimizer = torch.optim.AdamW(model.parameters(), o.rate, weight_decay=o.decay)
    start = time.perf_counter()
    for number, which in enumerate(batches(learned, o.batch, o.seed, o.steps)):
        for group in optimizer.param_groups:
            group["lr"] = o.rate * rate_of(number + 1, o.steps)
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(shifted(images[which], o.shift, o.seed, number)), labels[which])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (number + 1) % 100 == 0:
            print(f"step {number + 1}: loss {loss.item():.4f}", flush=True)
    seconds = time.perf_counter() - start
    model.eval()
    with torch.inference_mode():
        logits = model(images[learned:])
    right = (logits.argmax(1) == labels[learned:]).sum().item()
    print(f"PyTorch {torch.__version__}, {o.model}: {o.steps} steps in {seconds:.1f} s\n"
          f"test loss {F.cross_entropy(logits, labels[learned:]).item():.4f}, {100 * right / o.test:.2f} % of {o.test} right")


if __name__ == "__main__":
    main()
