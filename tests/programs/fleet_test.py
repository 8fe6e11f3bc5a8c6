#!/usr/bin/env python3
"""Workers of a fleet, killed and resumed: fleet_test.py PROGRAM [EMULATOR], one of the programs of the tiny models"""

import contextlib
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools"))
from weight_files import save_safetensors  # noqa: E402

WRITER = {"words.weight": [8, 4], "rnn.weight_ih_l0": [18, 4], "rnn.weight_hh_l0": [18, 6], "rnn.bias_ih_l0": [18], "rnn.bias_hh_l0": [18], "out.weight": [8, 6], "out.bias": [8]}
GRU = {"rnn.weight_ih_l0": [12, 4], "rnn.weight_hh_l0": [12, 4], "rnn.bias_ih_l0": [12], "rnn.bias_hh_l0": [12]}
SHAPES = {
    "embed": {"words.weight": [8, 4]},
    "classify": {"words.weight": [8, 4], "out.weight": [2, 4], "out.bias": [2]},
    "tag": {"words.weight": [8, 4], "types.weight": [2, 4], "out.weight": [2, 4], "out.bias": [2]},
    "generate": WRITER,
    "score": WRITER | {"positions.weight": [64, 4]},
    "translate": {"source_words.weight": [8, 4], "words.weight": [8, 4], **GRU, "out.weight": [8, 4], "out.bias": [8]},
}
WORDS = ["one", "two", "three", "four", "five"]


def drawn_weights(path, app, seed):
    draw = random.Random(seed)
    tensors = {}
    for name, shape in SHAPES[app].items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        tensors[name] = ("F32", shape, [draw.uniform(-1.5, 1.5) for _ in range(count)])
    return save_safetensors(path, tensors)


def lines_of_json(count, seed=1):
    """Lines with texts of one to five words."""
    draw = random.Random(seed)
    return [json.dumps({"id": f"q{i}", "text": " ".join(draw.choices(WORDS, k=draw.randint(1, 5)))}) + "\n" for i in range(count)]


def feed(to, lines, most):
    with contextlib.suppress(BrokenPipeError):
        for at in range(0, most, 100):
            to.write("".join(lines[at : min(at + 100, most)]).encode())


class Fleet(unittest.TestCase):
    program = pathlib.Path()
    emulator = []

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.weights = {app: drawn_weights(self.folder / f"{app}.safetensors", app, 3) for app in SHAPES}

    def input(self, count, name="in.jsonl"):
        (self.folder / name).write_text("".join(lines_of_json(count)))
        return self.folder / name

    def command(self, app, *options):
        if app == "generate":  # whose files are not what stands alone
            options = [word for option in options for word in (["--prompts", option] if isinstance(option, pathlib.Path) else [option])]
            options += ["--tokens", "4"]
        if not any(str(option).startswith("--weights") for option in options):
            options = ["--weights", self.weights[app], *options]
        return [*self.emulator, self.program.with_stem(f"tiny_{app}"), "--json", "--field", "text", *options]

    def run_app(self, app, *options, text=None):
        return subprocess.run(self.command(app, *options), input=text, capture_output=True, text=True, check=False, timeout=300)

    def said(self, app, *options, text=None):
        """What a program says that refuses."""
        run = self.run_app(app, *options, text=text)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        return run.stderr.removeprefix(f"tiny_{app}: ").removesuffix("\n")

    def answers(self, app, file, name="whole.jsonl", *options):
        """The file of a run that nothing disturbs."""
        run = self.run_app(app, file, f"--output={self.folder / name}", *options)
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
        return self.folder / name

    def test_shards_have_each_line_once(self):
        file, second = self.input(7), self.input(4, "more.jsonl")
        ids = [json.loads(line)["id"] for source in (file, second) for line in source.read_text().splitlines()]
        for count in 1, 3, 12:
            for first in 0, 1:
                for worker in range(first, first + count):
                    run = self.run_app("embed", file, second, f"--shard={worker}/{count}")
                    found = [json.loads(line)["id"] for line in run.stdout.splitlines()]
                    self.assertEqual((run.returncode, found), (0, [id for number, id in enumerate(ids, 1) if number % count == worker % count]))
        for wrong in "5/4", "0/0", "text", "1/", "/4", "-1/4", "1/4/2", "1.5/2", "1 /2", "99999999999999999999/4":
            self.assertEqual(self.said("embed", file, f"--shard={wrong}"), f"--shard: expected I/N, worker I of N, where I is from 0 or 1 to N; found '{wrong}'")

    def test_lines_of_others_are_not_looked_at(self):
        (self.folder / "in.jsonl").write_text('{"text": "one"}\n{"body": "two"}\n{"text": "three"}\n')
        self.assertEqual(self.run_app("embed", self.folder / "in.jsonl", "--shard=1/2").stdout.count("\n"), 2)
        self.assertEqual(self.said("embed", self.folder / "in.jsonl", "--shard=2/2"), f'{self.folder}/in.jsonl:2: expected an object whose "text" is a text; found none')
        for line, found in ('{"text": 3}', "3"), ('{"text": {"a": 1}}', "object"), ("[1]", "[1]"), ("7", "7"):
            self.assertEqual(self.said("embed", text=line), f'standard input:1: expected an object whose "text" is a text; found {found}')

    def test_an_output_cut_at_any_byte_is_made_whole(self):
        for app in SHAPES:
            file = self.input(3)
            whole = self.answers(app, file, f"{app}.jsonl").read_bytes()
            self.assertEqual([json.loads(line)["id"] for line in whole.splitlines()], ["q0", "q1", "q2"])
            part = self.folder / "part.jsonl"
            for size in range(0, len(whole) + 1, 1 if app == "embed" else 19):
                part.write_bytes(whole[:size])
                run = self.run_app(app, file, f"--output={part}", "--resume")
                with self.subTest(app=app, size=size):
                    kept = whole[:size].count(b"\n")
                    notice = f"tiny_{app}: {part}: goes on behind {kept} answers\n" if 0 < kept < 3 else ""
                    self.assertEqual((run.returncode, part.read_bytes()), (0, whole))
                    self.assertTrue(run.stderr.startswith(notice), run.stderr)

    def test_a_killed_worker_loses_nothing(self):
        seed = random.randrange(1 << 30)
        draw = random.Random(seed)
        for app, count in ("embed", 6000), ("tag", 6000), ("score", 900), ("generate", 900), ("translate", 300):
            lines = lines_of_json(count)
            file = self.folder / "in.jsonl"
            file.write_text("".join(lines))
            whole, part = self.answers(app, file, f"{app}.jsonl", "--shard=1/2"), self.folder / f"{app}.part.jsonl"
            command = self.command(app, f"--output={part}", "--resume", "--shard=1/2")
            for kill in range(10):
                # The standard input stays open, so that the worker cannot end by itself.
                worker = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
                feeding = threading.Thread(target=feed, args=(worker.stdin, lines, int(count * (kill + draw.random()) / 10)))
                feeding.start()
                time.sleep(draw.uniform(0, 0.06))
                worker.kill()
                self.assertEqual(worker.wait(60), -9)
                feeding.join()
                worker.stdin.close()
            run = self.run_app(app, f"--output={part}", "--resume", "--shard=1/2", text="".join(lines))
            self.assertEqual((run.returncode, part.read_bytes() == whole.read_bytes()), (0, True), f"{app}, seed {seed}: {run.stderr}")

    def test_what_is_whole_stays_as_it_is(self):
        file = self.input(3)
        whole = self.answers("embed", file)
        before = whole.read_bytes(), whole.stat().st_mtime_ns
        run = self.run_app("embed", file, f"--output={whole}", "--resume")
        self.assertEqual((run.returncode, run.stderr, (whole.read_bytes(), whole.stat().st_mtime_ns)), (0, "", before))
        # Last digits may be those of another processor.
        first, rest = whole.read_text().split("\n", 1)
        line = json.loads(first)
        line["vector"][0] += 1e-5
        whole.write_text(f"{json.dumps(line)}\n{rest[:-1]}")  # and the last line is torn
        self.assertEqual(self.run_app("embed", file, f"--output={whole}", "--resume").returncode, 0)
        self.assertEqual(whole.read_text(), f"{json.dumps(line)}\n{rest}")

    def test_members_of_answers_may_be_there_before(self):
        (self.folder / "in.jsonl").write_text('{"label": "unknown", "text": "one", "n": 0.1}\n{"label": "good", "text": "two", "n": 12345678901234567890}\n')
        whole = self.answers("classify", self.folder / "in.jsonl")
        right = whole.read_bytes()
        self.assertEqual([list(json.loads(line)) for line in right.splitlines()], [["label", "text", "n", "probabilities"]] * 2)
        whole.write_bytes(right[:-9])
        self.assertEqual(self.run_app("classify", self.folder / "in.jsonl", f"--output={whole}", "--resume").returncode, 0)
        self.assertEqual(whole.read_bytes(), right)

    def test_files_of_others_are_refused_and_stay(self):
        file, other = self.input(4), self.folder / "other.jsonl"
        whole = self.answers("embed", file)
        right = whole.read_bytes()
        lines = right.decode().splitlines(keepends=True)
        other.write_text("".join(lines_of_json(4, seed=2)))
        short = self.input(2, "short.jsonl")
        changed = drawn_weights(self.folder / "changed.safetensors", "embed", 4)
        before = "expected the same input and shard as before"
        same = "than this program; expected the same model, weights and options as before"
        for content, options, sentence in (
            (right, [file], f"{whole}: the file holds something; --resume goes on behind it, another --output begins anew"),
            (right[:-3], [other, "--resume"], f"--resume: {whole}:1 answers another text than {other}:1; {before}"),
            (right[:-3], [file, "--resume", "--shard=2/2"], f"--resume: {whole}:1 answers another text than {file}:2; {before}"),
            (right, [short, "--resume"], f"--resume: {whole} holds more than the answers to all 2 texts; {before}"),
            (right + b"{", [file, "--resume"], f"--resume: {whole} holds more than the answers to all 4 texts; {before}"),
            ("".join(lines[i] for i in (0, 2, 1)).encode(), [file, "--resume"], f"--resume: {whole}:2 answers another text than {file}:2; {before}"),
            (right[:-3], [file, "--resume", f"--weights={changed}"], f"--resume: {whole}:1 has another answer to {file}:1 {same}"),
            (file.read_bytes()[:-3], [file, "--resume"], f"--resume: {whole}:1 has another answer to {file}:1 {same}"),
            (b"one\ntwo", [file, "--resume"], f"--resume: {whole}:1: expected a line that --output wrote; found what is not valid JSON: "),
        ):
            whole.write_bytes(content)
            with self.subTest(sentence):
                self.assertIn(sentence, self.said("embed", f"--output={whole}", *options))
                self.assertEqual(whole.read_bytes(), content)
        whole.write_bytes(right)
        self.assertEqual(self.said("embed", "--resume", file), "--resume requires --output (--help lists the options)")
        self.assertEqual(self.said("generate", "one", "--output=x"), "PROMPT excludes --output (--help lists the options)")
        for name, why in (self.folder, "cannot open: Is a directory"), ("/dev/null", "expected a regular file"), (self.folder / "none" / "x", "cannot open: No such file or directory"):
            self.assertEqual(self.said("embed", file, f"--output={name}"), f"{name}: {why}")
        plain = subprocess.run([*self.emulator, self.program.with_stem("tiny_embed"), "--weights", self.weights["embed"], "--output=x", file], capture_output=True, text=True, check=False)
        self.assertEqual((plain.returncode, plain.stderr), (2, "tiny_embed: --output requires --json (--help lists the options)\n"))

    def test_two_workers_do_not_share_a_file(self):
        file, to = self.input(4), self.folder / "out.jsonl"
        first = subprocess.Popen(self.command("score", f"--output={to}"), stdin=subprocess.PIPE, text=True)
        first.stdin.write(lines_of_json(1)[0])
        first.stdin.flush()
        while not to.exists() or to.stat().st_size == 0:
            self.assertIsNone(first.poll())
            time.sleep(0.01)
        self.assertEqual(self.said("score", file, f"--output={to}", "--resume"), f"{to}: another process writes it; expected a file of its own for each worker")
        first.communicate(timeout=60)
        self.assertEqual((first.returncode, self.run_app("score", file, f"--output={to}", "--resume").returncode), (0, 0))
        self.assertEqual(to.read_bytes(), self.answers("score", file).read_bytes())


if __name__ == "__main__":
    Fleet.program = pathlib.Path(sys.argv[1])
    Fleet.emulator = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
