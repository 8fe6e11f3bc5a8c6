#!/usr/bin/env python3
"""A server of stories260K beside the program that prints: serve_test.py SERVER GENERATE FOLDER"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "programs"))
from server import Server  # noqa: E402

server_program, generate, folder = sys.argv[1:4]
weights, tokenizer = f"{folder}/stories260K.bin", f"{folder}/tok512.bin"
prompts = ["Once upon a time, there was a dog", "Lily", "", "The little girl and her mom went to the park to"]
right = []
for prompt in prompts:
    words = [generate, prompt, "--weights", weights, "--tokenizer", tokenizer, "--temperature", "0", "--tokens", "80", "--json"]
    right.append(json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[0])["generated"])
assert right[0].startswith(" "), right[0]  # the space behind the prompt is the text's

server = Server(server_program, weights, "--tokenizer", tokenizer, "--rows", "3")
try:
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        asked = [prompts[i % len(prompts)] for i in range(24)]
        found = list(pool.map(lambda prompt: server.post("/v1/completions", prompt=prompt, temperature=0, max_tokens=80)["choices"][0]["text"], asked))
    attention = server.post("/v1/attention", input=prompts[0], layer=5, head=8)
finally:
    status = server.end()[0]
for i, text in enumerate(found):
    assert text == right[i % len(prompts)], (prompts[i % len(prompts)], text, right[i % len(prompts)])
assert attention["heads"] == [8] * 5 and attention["tokens"][:3] == ["<s>", "Once", "upon"], attention
for i, row in enumerate(attention["weights"]):
    assert abs(sum(row[: i + 1]) - 1) < 1e-5 and not any(row[i + 1 :]), (i, row)  # no token looks ahead
assert status == 0, status
