"""Times a step of training in PyTorch, as it is and compiled, on the rows of bench/training.cpp and writes them as JSON.

    python bench/peers/training.py [--threads N] [--json FILE] [--only TEXT] [--eager]

With --eager and one row the peak that it prints at the end is that of PyTorch as it is.

Needs torch.
"""

import resource
import types

import peer
import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2)
                   for t in self.qkv(self.ln_1(x)).split(width, 2))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape)
        x = x + self.proj(a)
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, layers, heads, width, vocab, context):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, width), nn.Embedding(context, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, 0, 0.02)

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.h:
            x = block(x)
        logits = self.ln_f(x) @ self.wte.weight.T
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


class LSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.linear = nn.Embedding(10000, 300), nn.Linear(300, 10000)
        self.rnn = nn.LSTM(300, 300, 2, batch_first=True)

    def forward(self, tokens, targets):
        logits = self.linear(self.rnn(self.embedding(tokens))[0])
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


class KimCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.linear = nn.Embedding(18000, 300), nn.Linear(300, 2)
        self.convs = nn.ModuleList(nn.Conv1d(300, 100, width) for width in (3, 4, 5))

    def forward(self, tokens, targets):
        x = self.embedding(tokens).transpose(1, 2)
        features = torch.cat([F.relu(conv(x)).amax(2) for conv in self.convs], 1)
        return F.cross_entropy(self.linear(features), targets)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.scores = nn.Embedding(10000, 256), nn.Linear(256, 2)
        layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)

    def forward(self, tokens, targets):
        return F.cross_entropy(self.scores(self.layers(self.words(tokens)).mean(1)), targets)


ROWS = [
    ("gpt/4x128/12x64", lambda: GPT(4, 4, 128, 65, 64), (12, 64), 65, None, 30),
    ("gpt/6x384/12x256", lambda: GPT(6, 6, 384, 65, 256), (12, 256), 65, None, 3),
    ("gpt/4x128/12x64/bf16", lambda: GPT(4, 4, 128, 65, 64), (12, 64), 65, None, 30),
    ("gpt/6x384/12x256/bf16", lambda: GPT(6, 6, 384, 65, 256), (12, 256), 65, None, 3),
    ("lstm/2x300/20x35", LSTM, (20, 35), 10000, None, 5),
    ("kim_cnn/3x100/50x56", KimCNN, (50, 56), 18000, 2, 10),
    ("encoder/4x256/32x64", Encoder, (32, 64), 10000, 2, 5),
]


def rows(options):
    for name, make, shape, vocab, classes, repeats in ROWS:
        if options.only not in name:
            continue
        tokens = torch.randint(vocab, shape)
        targets = torch.randint(vocab, shape) if classes is None else torch.randint(classes, shape[:1])
        ways = {"torch": lambda module: module} | ({} if options.eager else {"torch.compile": torch.compile})
        for peer_name, compiled in ways.items():
            module = make()
            optimizer = torch.optim.AdamW(module.parameters())
            loss_of = compiled(module)

            def step():
                optimizer.zero_grad(set_to_none=True)
                with torch.autocast("cpu", torch.bfloat16, enabled=name.endswith("/bf16")):
                    loss = loss_of(tokens, targets)
                loss.backward()
                optimizer.step()

            called = types.SimpleNamespace(__name__=peer_name, __version__=torch.__version__)
            yield "training/" + name, called, step, repeats


if __name__ == "__main__":
    def declare(parser):
        parser.add_argument("--only", default="")
        parser.add_argument("--eager", action="store_true")

    peer.main(__doc__, rows, declare, gradients=True)
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
