"""What the training scripts beside the programs share. They need the PyPI packages of requirements.txt; the
programs need none of them, only the files that a script writes: weights, sizes and tokenizers."""

import argparse
import collections
import json
import pathlib
import sys
import unicodedata

import torch
from safetensors.torch import save_file
from tqdm import tqdm

SPECIALS = ["<pad>", "<s>", "</s>", "<unk>"]
PAD, START, END, UNKNOWN = range(4)


def arguments(about, *files):
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("sizes", type=pathlib.Path, help="what the program prints with --sizes")
    for name, text in files:
        parser.add_argument(name, type=pathlib.Path, help=text)
    parser.add_argument("out", type=pathlib.Path, help="folder to write what the program reads to")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    return parser


def prepared(parser):
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    a.sizes = json.loads(a.sizes.read_text())
    return a


def lines_of(path):
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as problem:
        sys.exit(f"{path}: {problem}")


def words_of(line):
    """Words and punctuation marks, as a tokenizer of the kind "BertPreTokenizer" splits them."""
    marked = "".join(
        f" {c} " if (c.isascii() and c.isprintable() and not c.isalnum()) or unicodedata.category(c)[0] == "P" else c
        for c in line
    )
    return marked.split()


def vocabulary_of(sentences, size):
    """The specials and the most frequent words, `size` in all at the most; a word that occurs once is unknown."""
    seen = collections.Counter(word for words in sentences for word in words)
    ranked = sorted((word for word, n in seen.items() if n > 1 and word not in SPECIALS), key=lambda w: (-seen[w], w))
    return SPECIALS + ranked[: size - len(SPECIALS)]


def numbered(words):
    return {word: i for i, word in enumerate(words)}


def padded(rows):
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(r) for r in rows], batch_first=True, padding_value=PAD)


def batches_of(examples, size, length):
    """Batches of examples of like length, in random order."""
    order = torch.randperm(len(examples)).tolist()
    for first in range(0, len(order), size * 50):
        pool = sorted(order[first : first + size * 50], key=lambda i: length(examples[i]))
        groups = [pool[i : i + size] for i in range(0, len(pool), size)]
        for g in torch.randperm(len(groups)).tolist():
            yield [examples[i] for i in groups[g]]


def fit(model, batches, loss_of, epochs, rate):
    """Trains by Adam, the rate falling to a tenth along half a cosine; `batches()` gives those of an epoch."""
    optimiser = torch.optim.Adam(model.parameters(), rate)
    per_epoch = sum(1 for _ in batches())
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs * per_epoch, rate / 10)
    with tqdm(total=epochs * per_epoch, unit="batch", smoothing=0.05) as bar:
        for epoch in range(epochs):
            model.train()
            mean = 0.0
            for step, batch in enumerate(batches()):
                optimiser.zero_grad()
                loss = loss_of(batch)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimiser.step()
                if step + epoch * per_epoch < epochs * per_epoch - 1:
                    schedule.step()
                mean += (loss.item() - mean) / (step + 1)
                bar.set_postfix_str(f"epoch {epoch + 1}, mean loss {mean:.3f}", refresh=False)
                bar.update()
    model.eval()


def tokenizer_of(words, splitter):
    """A tokenizer.json of whole words; splitter: "BertPreTokenizer", or "WhitespaceSplit" for words as they stand."""
    return {
        "version": "1.0",
        "added_tokens": [{"id": i, "content": word, "special": True} for i, word in enumerate(SPECIALS)],
        "pre_tokenizer": {"type": splitter},
        "model": {"type": "WordLevel", "vocab": numbered(words), "unk_token": SPECIALS[UNKNOWN]},
    }


def save(folder, model, sizes, **files):
    """Writes the weights, the sizes that they have, and NAME.json for each of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({k: v.detach().contiguous() for k, v in model.state_dict().items()}, folder / "weights.safetensors")
    for name, content in {"sizes": sizes, **files}.items():
        (folder / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    print(f"wrote {folder}/weights.safetensors, " + ", ".join(f"{name}.json" for name in ["sizes", *files]))
