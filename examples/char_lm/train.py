#!/usr/bin/env python3
"""Trains the weights of `char_lm` on a text, its words between white space, a line end as </s>."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import collections

import torch
from torch import nn

import training
from training import END, UNKNOWN


class Highway(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.T, self.H = nn.Linear(width, width), nn.Linear(width, width)
        nn.init.constant_(self.T.bias, -2)

    def forward(self, y):
        t = self.T(y).sigmoid()
        return t * self.H(y).relu() + (1 - t) * y


class CharacterModel(nn.Module):
    """models/char_lm.hpp."""

    def __init__(self, s):
        super().__init__()
        self.char_embedding = nn.Embedding(s["characters"], s["character_width"], padding_idx=0)
        self.convs = nn.ModuleList(
            nn.Conv1d(s["character_width"], n, width) for width, n in zip(s["widths"], s["filters"], strict=True)
        )
        self.highway = nn.ModuleList(Highway(sum(s["filters"])) for _ in range(s["highways"]))
        self.lstm = nn.LSTM(sum(s["filters"]), s["hidden"], s["layers"], batch_first=True)
        self.linear = nn.Linear(s["hidden"], s["vocab"])
        self.word_dropout, self.dropout = nn.Dropout(0.4), nn.Dropout(0.6)

    def words(self, spelt):
        x = self.char_embedding(spelt).transpose(1, 2)
        y = torch.cat([conv(x).tanh().max(-1).values for conv in self.convs], -1)
        for layer in self.highway:
            y = layer(y)
        return y

    def forward(self, spelling, ids, state):
        """spelling [words, characters] of the different words, ids [batch, T] into it."""
        different, where = ids.unique(return_inverse=True)
        h, state = self.lstm(self.word_dropout(self.words(spelling[different])[where]), state)
        return self.linear(self.dropout(h)), tuple(x.detach() for x in state)


def main():
    parser = training.arguments(__doc__, ("text", "words between white space"))
    parser.set_defaults(batch=20, epochs=6)
    parser.add_argument("--length", type=int, default=35, help="words between two steps of the optimiser")
    a = training.prepared(parser)
    s = a.sizes
    lines = [line.split() + [training.SPECIALS[END]] for line in training.lines_of(a.text) if line.strip()]
    words = training.vocabulary_of(lines, s["vocab"])
    ids = training.numbered(words)
    seen = collections.Counter(c for line in lines for word in line for c in word)
    # 0 pads, 1 and 2 stand around a word, 3 is any other character; 4 is </s>, a word of one character.
    characters = [""] * 5 + [c for c, _ in seen.most_common(s["characters"] - 5)]
    of_character = {c: i for i, c in enumerate(characters) if c}
    different = {word: i for i, word in enumerate(dict.fromkeys(word for line in lines for word in line))}

    def spelt(word):
        inside = [4] if word == training.SPECIALS[END] else [of_character.get(c, 3) for c in word]
        inside = [1] + inside[: s["word_length"] - 2] + [2]
        return inside + [0] * (s["word_length"] - len(inside))

    spelling = torch.tensor([spelt(word) for word in different])
    text = [word for line in lines for word in line]
    columns = len(text) // a.batch
    read = torch.tensor([different[word] for word in text])[: columns * a.batch].view(a.batch, columns)
    said = torch.tensor([ids.get(word, UNKNOWN) for word in text])[: columns * a.batch].view(a.batch, columns)
    print(f"{len(text)} words, {len(words)} in the vocabulary, {len(characters)} characters")
    model, state = CharacterModel(s), None

    def batches():
        for at in range(0, columns - 1, a.length):
            yield at

    def loss_of(at):
        nonlocal state
        if at == 0:
            state = None
        last = min(at + a.length, columns - 1)
        logits, state = model(spelling, read[:, at:last], state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), said[:, at + 1 : last + 1].flatten())

    training.fit(model, batches, loss_of, a.epochs, a.rate)
    training.save(
        a.out, model, s, words=training.tokenizer_of(words, "WhitespaceSplit"), characters=characters[5:]
    )


if __name__ == "__main__":
    main()
