"""Writes the golden case tokenizer_words.json with Hugging Face tokenizers (0.23.3): texts and how the patterns of Llama 3 and
Qwen 2 cut them.

    python make_words_golden.py ../../golden
"""

import json
import pathlib
import random
import sys

from tokenizers import Regex, pre_tokenizers

PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
UNITS = ["a", "B", "\u00e9", "\u4e16", "1", "2", "\u00bd", " ", " ", "\n", "\r", "\t", "\u3000", "'", "'s", "'LL", "'re", ".", "!", "-", "\u0301", "\U0001f600"]


def main():
    folder = pathlib.Path(sys.argv[1])
    cutters = [pre_tokenizers.Split(Regex(PATTERN % digits), "isolated") for digits in ("{1,3}", "")]
    random.seed(7)
    texts = [json.loads(line)["text"] for line in (folder / "tokenizer_bpe.jsonl").read_text().splitlines()[:100]]
    texts += ["".join(random.choices(UNITS, k=random.randint(1, 14))) for _ in range(300)]
    cases = [[text, *([word for word, _ in cutter.pre_tokenize_str(text)] for cutter in cutters)] for text in texts]
    (folder / "tokenizer_words.json").write_text(json.dumps(cases) + "\n")


if __name__ == "__main__":
    main()
