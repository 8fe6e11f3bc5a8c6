"""Trains in PyTorch a network that writes spoken digits as train_speech's does, and says how many of the test it reads wrong.

    python bench/peers/speech.py digits/train.tsv digits/test.tsv [--epochs 25]

The lists are those of examples/train_speech/digit_strings.py. Needs torch, numpy. Hearing is timed with learning, as train_speech's is.
The recipe is that of the data's page: Adam, batches of 16 in an order of their own each epoch, a rate from 0.003 down to 0.0001, gradients
of a norm of at most 5.
"""

import argparse
import math
import pathlib
import time
import wave

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence

WINDOW, HOP, BANDS, RATE = 256, 80, 40, 8000


class Network(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(BANDS, 64, 5, 2, 2), nn.Conv1d(64, 64, 5, 2, 2)
        self.rnn, self.out = nn.GRU(64, 64, batch_first=True), nn.Linear(64, classes)

    def forward(self, bands):
        x = F.relu(self.conv2(F.relu(self.conv1(bands.transpose(1, 2)))))
        return self.out(self.rnn(x.transpose(1, 2))[0])


def triangles():
    mel = np.linspace(0, 2595 * math.log10(1 + RATE / 2 / 700), BANDS + 2)
    edge = 700 * (10 ** (mel / 2595) - 1)
    hertz = np.arange(WINDOW // 2 + 1) * RATE / WINDOW
    rise = (hertz - edge[:-2, None]) / (edge[1:-1] - edge[:-2])[:, None]
    fall = (edge[2:, None] - hertz) / (edge[2:] - edge[1:-1])[:, None]
    return torch.from_numpy(np.maximum(0, np.minimum(rise, fall)).astype(np.float32))


def read(file):
    with wave.open(str(file)) as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16)
    return torch.from_numpy(samples.astype(np.float32) / 32768)


def heard(listed, tables):
    """Log-mel features [frames, bands] and labels of each recording."""
    made = []
    for line in listed.read_text(encoding="utf-8").splitlines():
        file, text = line.split("\t")
        spectra = torch.stft(read(listed.parent / file), WINDOW, HOP, window=torch.hann_window(WINDOW), center=False, return_complex=True)
        made.append((torch.log(tables @ (spectra.abs() ** 2) + 1e-6).T, torch.tensor([int(c) + 1 for c in text])))
    return made


def frames_of(bands):
    return (len(bands) - 1) // 4 + 1


def edits(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        before, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], min(before + (x != y), row[j] + 1, row[j + 1] + 1)
    return row[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", type=pathlib.Path)
    parser.add_argument("test", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    start = time.perf_counter()
    tables = triangles()
    train, test = heard(o.train, tables), heard(o.test, tables)
    whole = torch.cat([bands for bands, _ in train])
    mean, deviation = whole.mean(0), whole.std(0)
    train, test = ([((bands - mean) / deviation, labels) for bands, labels in some] for some in (train, test))

    model = Network(11)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    steps, step = o.epochs * -(-len(train) // o.batch), 0
    for epoch in range(o.epochs):
        order = torch.randperm(len(train)).tolist()
        for first in range(0, len(order), o.batch):
            some = [train[i] for i in order[first : first + o.batch]]
            for group in optimizer.param_groups:
                group["lr"] = 3e-3 + (1e-4 - 3e-3) * step / steps
            scores = model(pad_sequence([bands for bands, _ in some], batch_first=True))
            loss = F.ctc_loss(
                F.log_softmax(scores, 2).transpose(0, 1),
                pad_sequence([labels for _, labels in some], batch_first=True),
                torch.tensor([frames_of(bands) for bands, _ in some]),
                torch.tensor([len(labels) for _, labels in some]),
                zero_infinity=True,
            )
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            step += 1
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}", flush=True)
    seconds = time.perf_counter() - start

    wrong = labels_read = right = 0
    model.eval()
    with torch.inference_mode():
        for bands, labels in test:
            best = model(bands[None])[0].argmax(1).tolist()
            found = [c for i, c in enumerate(best) if c != 0 and (i == 0 or c != best[i - 1])]
            distance = edits(found, labels.tolist())
            wrong, labels_read, right = wrong + distance, labels_read + len(labels), right + (distance == 0)
    print(f"PyTorch {torch.__version__}: {steps} steps in {seconds:.1f} s\n"
          f"test, characters wrong {100 * wrong / labels_read:.2f} % of {labels_read}, texts right {right} of {len(test)}")


if __name__ == "__main__":
    main()
