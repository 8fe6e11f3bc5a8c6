#!/usr/bin/env python3
"""Trains the weights of `classify` on lines of a label, a tab and a text."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import torch
from torch import nn

import training
from training import PAD, UNKNOWN

AROUND = 5  # padding before and after a text, as the program has it: as much as the widest filter


class Kim(nn.Module):
    """models/kim_cnn.hpp."""

    def __init__(self, s):
        super().__init__()
        self.embedding = nn.Embedding(s["vocab"], s["width"], padding_idx=PAD)
        nn.init.uniform_(self.embedding.weight, -0.25, 0.25)
        self.convs = nn.ModuleList(nn.Conv1d(s["width"], s["filters"], width) for width in (3, 4, 5))
        self.linear = nn.Linear(3 * s["filters"], s["classes"])
        self.dropout = nn.Dropout(0.5)

    def forward(self, rows):
        tokens = training.padded([[PAD] * AROUND + row + [PAD] * AROUND for row in rows])
        x = self.embedding(tokens).transpose(1, 2)
        return self.linear(self.dropout(torch.cat([conv(x).relu().max(-1).values for conv in self.convs], -1)))


class Recurrent(nn.Module):
    """models/rnn.hpp: a GRU that reads both ways, the largest of its outputs."""

    def __init__(self, s):
        super().__init__()
        self.embedding = nn.Embedding(s["vocab"], s["width"], padding_idx=PAD)
        self.rnn = nn.GRU(s["width"], s["hidden"], batch_first=True, bidirectional=True)
        self.linear = nn.Linear(2 * s["hidden"], s["classes"])
        self.dropout = nn.Dropout(0.5)

    def forward(self, rows):
        lengths = torch.tensor([len(row) for row in rows])
        x = self.dropout(self.embedding(training.padded(rows)))
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, lengths = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True, padding_value=-3e38)
        return self.linear(self.dropout(y.max(1).values))


MODELS = {"kim": Kim, "rnn": Recurrent}


def main():
    parser = training.arguments(__doc__, ("texts", "lines of LABEL, a tab and TEXT"))
    parser.add_argument("--held-out", type=float, default=0.1, help="share of the lines that only measures")
    a = training.prepared(parser)
    if a.sizes["model"] not in MODELS:
        sys.exit(f"{a.sizes['model']}: train_classifier trains it")
    lines = [line.split("\t", 1) for line in training.lines_of(a.texts) if line.strip()]
    if any(len(line) != 2 for line in lines):
        sys.exit(f"{a.texts}: expected a tab in each line")
    labels = sorted({label for label, _ in lines})
    if len(labels) > a.sizes["classes"]:
        sys.exit(f"{a.texts}: {len(labels)} labels; the program is compiled for {a.sizes['classes']}")
    split = [(training.words_of(text), labels.index(label)) for label, text in lines]
    split = [(words, label) for words, label in split if words]
    order = torch.randperm(len(split)).tolist()
    held_out = int(len(split) * a.held_out)
    words = training.vocabulary_of((split[i][0] for i in order[held_out:]), a.sizes["vocab"])
    ids = training.numbered(words)
    examples = [([ids.get(w, UNKNOWN) for w in split[i][0]], split[i][1]) for i in order]
    tests, examples = examples[:held_out], examples[held_out:]
    model = MODELS[a.sizes["model"]](a.sizes)

    def loss_of(batch):
        logits = model([row for row, _ in batch])
        return nn.functional.cross_entropy(logits[:, : len(labels)], torch.tensor([label for _, label in batch]))

    training.fit(
        model, lambda: training.batches_of(examples, a.batch, lambda e: len(e[0])), loss_of, a.epochs, a.rate
    )
    if tests:
        with torch.no_grad():
            right = sum(model([row])[0, : len(labels)].argmax().item() == label for row, label in tests)
        print(f"{100 * right / len(tests):.1f} % of {len(tests)} lines held out are right")
    training.save(
        a.out, model, a.sizes, words=training.tokenizer_of(words, "BertPreTokenizer"), labels=labels
    )


if __name__ == "__main__":
    main()
