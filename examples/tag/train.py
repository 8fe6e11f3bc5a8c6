#!/usr/bin/env python3
"""Trains the weights of `tag` on lines of words with their tags, word/TAG word/TAG."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import torch
from torch import nn

import training
from training import PAD, UNKNOWN


class Tagger(nn.Module):
    """models/rnn.hpp, and scores of neighbouring tags (Lample et al. 2016): a conditional random field."""

    def __init__(self, s):
        super().__init__()
        self.embedding = nn.Embedding(s["vocab"], s["width"], padding_idx=PAD)
        self.rnn = nn.LSTM(s["width"], s["hidden"], s["layers"], batch_first=True, bidirectional=True)
        self.linear = nn.Linear(2 * s["hidden"], s["tags"])
        self.dropout = nn.Dropout(0.3)

    def forward(self, rows):
        lengths = torch.tensor([len(row) for row in rows])
        x = self.dropout(self.embedding(training.padded(rows)))
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, lengths = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.linear(self.dropout(y)), lengths


class Transitions(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(tags))
        self.between = nn.Parameter(torch.zeros(tags, tags))
        self.end = nn.Parameter(torch.zeros(tags))

    def loss(self, scores, lengths, tags):
        """The mean over sequences of minus the log probability of their tags; all are ordered by no length."""
        rows, inside = torch.arange(len(lengths)), torch.arange(scores.shape[1])[None] < lengths[:, None]
        last = tags[rows, lengths - 1]
        path = self.start[tags[:, 0]] + self.end[last] + (scores.gather(2, tags[..., None])[..., 0] * inside).sum(1)
        path = path + (self.between[tags[:, :-1], tags[:, 1:]] * inside[:, 1:]).sum(1)
        total = self.start + scores[:, 0]
        for t in range(1, scores.shape[1]):
            step = (total[:, :, None] + self.between).logsumexp(1) + scores[:, t]
            total = torch.where(inside[:, t, None], step, total)
        return ((total + self.end).logsumexp(1) - path).mean()


class Both(nn.Module):
    def __init__(self, tagger, transitions):
        super().__init__()
        self.tagger, self.transitions = tagger, transitions


def main():
    parser = training.arguments(__doc__, ("texts", "lines of word/TAG"))
    parser.add_argument(
        "--cases",
        action="store_true",
        help="the lines are plain text: words are read in lower case, tagged by how they were written",
    )
    a = training.prepared(parser)
    lines = []
    for number, line in enumerate(training.lines_of(a.texts), 1):
        pairs = [(w.lower(), case_of(w)) if a.cases else w.rpartition("/")[::2] for w in line.split()]
        if any(not word or not tag for word, tag in pairs):
            sys.exit(f"{a.texts}:{number}: expected word/TAG")
        if pairs:
            lines.append(pairs)
    tags = sorted({tag for line in lines for _, tag in line})
    if len(tags) > a.sizes["tags"]:
        sys.exit(f"{a.texts}: {len(tags)} tags; the program is compiled for {a.sizes['tags']}")
    words = training.vocabulary_of(([w for w, _ in line] for line in lines), a.sizes["vocab"])
    ids = training.numbered(words)
    examples = [
        ([ids.get(w, UNKNOWN) for w, _ in line[i : i + 60]], [tags.index(t) for _, t in line[i : i + 60]])
        for line in lines
        for i in range(0, len(line), 60)
    ]
    model = Both(Tagger(a.sizes), Transitions(len(tags)))

    def loss_of(batch):
        scores, lengths = model.tagger([row for row, _ in batch])
        return model.transitions.loss(scores[..., : len(tags)], lengths, training.padded([t for _, t in batch]))

    training.fit(
        model, lambda: training.batches_of(examples, a.batch, lambda e: len(e[0])), loss_of, a.epochs, a.rate
    )
    t = model.transitions
    training.save(
        a.out,
        model.tagger,
        a.sizes,
        words=training.tokenizer_of(words, "WhitespaceSplit"),
        tags={
            "tags": tags,
            "start": t.start.tolist(),
            "between": t.between.tolist(),
            "end": t.end.tolist(),
        },
    )


def case_of(word):
    if word.isupper() and len(word) > 1:
        return "UPPER"
    return "Title" if word[:1].isupper() else "lower"


if __name__ == "__main__":
    main()
