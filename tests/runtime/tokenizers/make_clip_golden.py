"""Writes the golden case tokenizer_clip with Hugging Face tokenizers (0.23.3): a tokenizer of CLIP's form, learnt from the texts
of tokenizer_bpe.jsonl and some of its own, and what it makes of them.

    python make_clip_golden.py ../../golden
"""

import json
import pathlib
import random
import sys

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
UNITS = ["a", "B", "\u00e9", "e\u0301", "\u4e16", "1", "23", "\u00bd", " ", "  ", "\n", "\t", "\u3000", "'", "'s", "'LL", "It's", ".", "!?", "-", "\U0001f600",
         "<|endoftext|>", "<|ENDOFTEXT|>", "photo", "Walking"]
START, END = "<|startoftext|>", "<|endoftext|>"


def stages(model):
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(PATTERN), "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def main():
    folder = pathlib.Path(sys.argv[1])
    texts = [json.loads(line)["text"] for line in (folder / "tokenizer_bpe.jsonl").read_text().splitlines()[:200]]
    learner = stages(models.BPE(end_of_word_suffix="</w>"))
    learner.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=700, end_of_word_suffix="</w>", show_progress=False))
    merges = [tuple(pair) for pair in json.loads(learner.to_str())["model"]["merges"]]

    # The ids as CLIP has them: bytes, bytes that end a word, what merges make, special tokens.
    units = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = units + [unit + "</w>" for unit in units] + list(dict.fromkeys(left + right for left, right in merges)) + [START, END]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    tokenizer = stages(models.BPE(vocabulary, merges, unk_token=END, continuing_subword_prefix="", end_of_word_suffix="</w>"))
    tokenizer.add_special_tokens([START, END])
    tokenizer.post_processor = processors.RobertaProcessing(
        (END, vocabulary[END]), (START, vocabulary[START]), trim_offsets=False, add_prefix_space=False)
    (folder / "tokenizer_clip.tokenizer.json").write_text(tokenizer.to_str() + "\n")

    random.seed(7)
    texts += ["".join(random.choices(UNITS, k=random.randint(1, 14))) for _ in range(99)]
    texts.append("unhurriedly" * 20)  # one long word
    with (folder / "tokenizer_clip.jsonl").open("w") as lines:
        for text in texts:
            plain = tokenizer.encode(text, add_special_tokens=False)
            line = {"text": text, "ids": plain.ids, "tokens": plain.tokens, "ids_with_special": tokenizer.encode(text).ids,
                    "decoded": tokenizer.decode(plain.ids, skip_special_tokens=False)}
            lines.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
