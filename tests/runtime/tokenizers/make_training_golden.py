"""Writes the golden cases tokenizer_training_*.json with Hugging Face tokenizers (0.23.3), from tokenizer_training.txt.

    python make_training_golden.py ../../golden

The library leaves the order of the units that continue words to chance; here they come first, as special tokens.
"""

import json
import pathlib
import sys

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def words(tokenizer, text):
    normal = tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer else text
    return [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal)]


def main():
    folder = pathlib.Path(sys.argv[1])
    text = (folder / "tokenizer_training.txt").read_text()

    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=420, min_frequency=2, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet, show_progress=False)
    pairs.train_from_iterator([text], trainer)

    pieces = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer()
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    continuing = sorted({"##" + c for word in words(pieces, text) for c in word[1:]})
    trainer = trainers.WordPieceTrainer(vocab_size=260, min_frequency=2, special_tokens=SPECIAL + continuing, show_progress=False)
    pieces.train_from_iterator([text], trainer)

    levels = Tokenizer(models.WordLevel(unk_token="<unk>"))
    levels.normalizer = normalizers.Lowercase()
    levels.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordLevelTrainer(vocab_size=60, min_frequency=1, special_tokens=["<unk>"], show_progress=False)
    levels.train_from_iterator([text], trainer)

    for name, made in (("bpe", pairs), ("wordpiece", pieces), ("words", levels)):
        model = json.loads(made.to_str())["model"]
        vocabulary = sorted(model["vocab"], key=model["vocab"].get)
        case = {"vocabulary": vocabulary, "merges": model.get("merges", []), "ids": made.encode(text, add_special_tokens=False).ids}
        (folder / f"tokenizer_training_{name}.json").write_text(json.dumps(case) + "\n")


if __name__ == "__main__":
    main()
