#!/usr/bin/env python3
"""Trains the weights of `translate` on pairs of lines: line n of one file translates line n of the other."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import math

import torch
from torch import nn

import training
from training import END, PAD, START, UNKNOWN


def source_mask(source, lengths):
    return torch.arange(source.shape[1])[None, :] < lengths[:, None]


class Bahdanau(nn.Module):
    """models/bahdanau.hpp; the names are the paper's."""

    def __init__(self, s):
        super().__init__()
        width, hidden = s["width"], s["hidden"]
        self.src_embedding = nn.Embedding(s["source_vocab"], width)
        self.tgt_embedding = nn.Embedding(s["target_vocab"], width)
        self.encoder = nn.GRU(width, hidden, batch_first=True, bidirectional=True)
        self.W_s = nn.Linear(hidden, hidden)
        self.W_a = nn.Linear(hidden, s["alignment"], bias=False)
        self.U_a = nn.Linear(2 * hidden, s["alignment"], bias=False)
        self.v_a = nn.Linear(s["alignment"], 1, bias=False)
        self.decoder = nn.GRUCell(width + 2 * hidden, hidden)
        self.U_o = nn.Linear(hidden, 2 * s["maxout"])
        self.V_o = nn.Linear(width, 2 * s["maxout"], bias=False)
        self.C_o = nn.Linear(2 * hidden, 2 * s["maxout"], bias=False)
        self.W_o = nn.Linear(s["maxout"], s["target_vocab"])
        self.dropout, self.state_dropout = nn.Dropout(0.2), nn.Dropout(0.2)

    def forward(self, source, lengths, target):
        mask = source_mask(source, lengths)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.src_embedding(source)), lengths, batch_first=True, enforce_sorted=False
        )
        encoded, last = self.encoder(packed)
        encoded = nn.utils.rnn.pad_packed_sequence(encoded, batch_first=True, total_length=source.shape[1])[0]
        state, keys = torch.tanh(self.W_s(last[1])), self.U_a(encoded)
        words = self.dropout(self.tgt_embedding(target))
        states, contexts = [], []
        for t in range(target.shape[1]):
            scores = self.v_a(torch.tanh(self.W_a(state)[:, None] + keys))[..., 0]
            weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
            context = (weights[:, None] @ encoded)[:, 0]
            state = self.decoder(torch.cat([words[:, t], context], -1), state)
            states.append(state)
            contexts.append(context)
        states, contexts = torch.stack(states, 1), torch.stack(contexts, 1)
        read = self.U_o(self.state_dropout(states)) + self.V_o(words) + self.C_o(contexts)
        return self.W_o(self.dropout(read.unflatten(-1, (-1, 2)).max(-1).values))


class Luong(nn.Module):
    """models/luong.hpp: global attention, the score `general`, input feeding."""

    def __init__(self, s):
        super().__init__()
        width, hidden, layers = s["width"], s["hidden"], s["layers"]
        self.src_embedding = nn.Embedding(s["source_vocab"], width)
        self.tgt_embedding = nn.Embedding(s["target_vocab"], width)
        self.encoder = nn.LSTM(width, hidden, layers, batch_first=True)
        self.decoder = nn.LSTM(width + hidden, hidden, layers, batch_first=True)
        self.W_a = nn.Linear(hidden, hidden, bias=False)
        self.W_c = nn.Linear(2 * hidden, hidden, bias=False)
        self.W_s = nn.Linear(hidden, s["target_vocab"])
        self.dropout = nn.Dropout(0.2)

    def forward(self, source, lengths, target):
        mask = source_mask(source, lengths)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.src_embedding(source)), lengths, batch_first=True, enforce_sorted=False
        )
        encoded, state = self.encoder(packed)
        encoded = nn.utils.rnn.pad_packed_sequence(encoded, batch_first=True, total_length=source.shape[1])[0]
        words = self.dropout(self.tgt_embedding(target))
        fed, read = torch.zeros_like(encoded[:, 0]), []
        for t in range(target.shape[1]):
            h, state = self.decoder(torch.cat([words[:, t], fed], -1)[:, None], state)
            h = h[:, 0]
            scores = ((h @ self.W_a.weight)[:, None] * encoded).sum(-1)
            weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
            fed = torch.tanh(self.W_c(torch.cat([(weights[:, None] @ encoded)[:, 0], h], -1)))
            read.append(fed)
        return self.W_s(self.dropout(torch.stack(read, 1)))


class Transformer(nn.Module):
    """models/transformer.hpp, in the names of torch.nn.Transformer."""

    def __init__(self, s):
        super().__init__()
        self.width = s["width"]
        self.src_embedding = nn.Embedding(s["source_vocab"], s["width"])
        self.tgt_embedding = nn.Embedding(s["target_vocab"], s["width"])
        for table in (self.src_embedding, self.tgt_embedding):
            nn.init.normal_(table.weight, std=s["width"] ** -0.5)
        self.transformer = nn.Transformer(
            s["width"], s["heads"], s["layers"], s["layers"], s["inner"], 0.1, batch_first=True
        )
        self.generator = nn.Linear(s["width"], s["target_vocab"])
        self.dropout = nn.Dropout(0.1)

    def embedded(self, table, ids):
        position = torch.arange(ids.shape[1])[:, None]
        rate = torch.exp(torch.arange(0, self.width, 2) * (-math.log(10000.0) / self.width))
        sinusoid = torch.stack([(position * rate).sin(), (position * rate).cos()], -1).flatten(1)
        return self.dropout(table(ids) * math.sqrt(self.width) + sinusoid)

    def forward(self, source, lengths, target):
        hidden = ~source_mask(source, lengths)
        ahead = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        y = self.transformer(
            self.embedded(self.src_embedding, source),
            self.embedded(self.tgt_embedding, target),
            tgt_mask=ahead,
            src_key_padding_mask=hidden,
            memory_key_padding_mask=hidden,
        )
        return self.generator(y)


MODELS = {"bahdanau": Bahdanau, "luong": Luong, "transformer": Transformer}


def main():
    parser = training.arguments(
        __doc__, ("source", "lines of the language to translate from"), ("target", "the same lines translated")
    )
    parser.add_argument("--longest", type=int, default=30, help="pairs with more words than this are left out")
    a = training.prepared(parser)
    sizes = a.sizes
    pairs = list(zip(training.lines_of(a.source), training.lines_of(a.target), strict=True))
    words = [(training.words_of(x), training.words_of(y)) for x, y in pairs]
    words = [(x, y) for x, y in words if x and y and max(len(x), len(y)) <= a.longest]
    source_words = training.vocabulary_of((x for x, _ in words), sizes["source_vocab"])
    target_words = training.vocabulary_of((y for _, y in words), sizes["target_vocab"])
    source_ids, target_ids = training.numbered(source_words), training.numbered(target_words)
    examples = [
        (
            [source_ids.get(w, UNKNOWN) for w in x] + [END],
            [START] + [target_ids.get(w, UNKNOWN) for w in y] + [END],
        )
        for x, y in words
    ]
    print(f"{len(examples)} pairs, {len(source_words)} and {len(target_words)} words")
    model = MODELS[sizes["model"]](sizes)

    def loss_of(batch):
        source = training.padded([x for x, _ in batch])
        target = training.padded([y for _, y in batch])
        logits = model(source, torch.tensor([len(x) for x, _ in batch]), target[:, :-1])
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, label_smoothing=0.1
        )

    training.fit(
        model, lambda: training.batches_of(examples, a.batch, lambda e: len(e[0])), loss_of, a.epochs, a.rate
    )
    training.save(
        a.out,
        model,
        sizes,
        source=training.tokenizer_of(source_words, "BertPreTokenizer"),
        target=training.tokenizer_of(target_words, "BertPreTokenizer"),
    )


if __name__ == "__main__":
    main()
