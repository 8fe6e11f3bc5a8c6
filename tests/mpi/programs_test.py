#!/usr/bin/env python3
"""The train_ programs by ranks: programs_test.py MPIRUN FOLDER, the folder having the programs."""

import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from mpirun import ENVIRONMENT, largest_difference, losses_of

WORDS = ["the", "rain", "in", "Spain", "stays", "mainly", "plain", "and", "again"]


def lines(count, seed):
    drawn = random.Random(seed)
    return [" ".join(drawn.choices(WORDS, k=drawn.randint(2, 7))) for _ in range(count)]


def images(count):
    """Of the idx format: image i shows digit i % 10 as a bar."""
    pixels = bytearray()
    for i in range(count):
        pixels += bytes(200 if y // 2 == i % 10 + 2 and 4 <= x < 14 + i % 10 else 0 for y in range(28) for x in range(28))
    return struct.pack(">4i", 2051, count, 28, 28) + pixels, struct.pack(">2i", 2049, count) + bytes(i % 10 for i in range(count))


class Programs(unittest.TestCase):
    mpirun = programs = ""

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content)
        return str(path)

    def command(self, program, out, *words):
        return [f"{self.programs}/{program}", *words, "--out", str(self.folder / out), "--threads", "1", "--log-every", "1"]

    def ran(self, *commands):
        """mpirun of commands, each (ranks, words)."""
        words = [self.mpirun]
        for ranks, command in commands:
            words += [*([":"] if len(words) > 1 else []), "-n", str(ranks), *command]
        return subprocess.run(words, capture_output=True, text=True, check=False, env=ENVIRONMENT, timeout=300)

    def check_same_losses(self, program, *words, within=2e-5):
        said = {}
        for ranks in [1, 2, 4]:
            run = self.ran((ranks, self.command(program, f"{program}{ranks}", *words)))
            self.assertEqual(run.returncode, 0, run.stderr)
            said[ranks] = run.stdout
        for ranks in [2, 4]:
            difference, step = largest_difference(losses_of(self.folder / f"{program}{ranks}"), losses_of(self.folder / f"{program}1"))
            self.assertLess(difference, within, f"{program}, {ranks} ranks, step {step}")
            self.assertEqual(said[ranks].count("validation loss"), 1)
            page = (self.folder / f"{program}{ranks}" / "report.html").read_text()
            self.assertIn(f"<tr><td>a step of rank {ranks - 1}, without waiting</td>", page)
            self.assertEqual(sorted(path.name for path in (self.folder / f"{program}{ranks}").iterdir()),
                             sorted(path.name for path in (self.folder / f"{program}1").iterdir()))

    def test_gpt(self):
        text = self.file("text", "\n".join(lines(100, 1)))
        self.check_same_losses("train_gpt", text, "--size", "tiny", "--batch", "8", "--steps", "12", "--evaluate-every", "5", "--length", "0")

    def test_digits(self):
        pictures, labels = images(65)
        words = [self.file("images", pictures), self.file("labels", labels), "--batch", "16", "--evaluate-every", "2", "--test", "10"]
        self.check_same_losses("train_digits", *words, "--steps", "4", "--validation", "7")
        # 53 images to learn from: an epoch's last batch has 5, and 4 ranks take 8.
        run = self.ran((4, self.command("train_digits", "epochs", *words, "--steps", "5", "--validation", "2")))
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_classifier(self):
        text = self.file("texts", "".join(f"{'ab'[i % 2]}\t{'yes' if i % 2 else 'no'} {line}\n" for i, line in enumerate(lines(89, 2))))
        self.check_same_losses("train_classifier", text, "--batch", "20", "--steps", "4", "--evaluate-every", "2")

    def test_classifier_of_folds(self):
        text = self.file("texts", "".join(f"{'ab'[i % 2]}\t{'yes' if i % 2 else 'no'} {line}\n" for i, line in enumerate(lines(60, 2))))
        run = self.ran((2, self.command("train_classifier", "folds", text, "--batch", "20", "--steps", "2", "--folds", "2")))
        self.assertEqual((run.returncode, run.stdout.count("mean of 2 folds")), (0, 1), run.stderr)
        self.assertEqual((self.folder / "folds" / "folds.csv").read_text().count("\n"), 3)

    def test_translator(self):
        # Shares have other numbers of words, and the loss is a mean over words.
        sides = [self.file(name, "\n".join(lines(120, seed)) + "\n") for name, seed in [("source", 3), ("target", 4)]]
        self.check_same_losses("train_translator", *sides, "--batch", "16", "--steps", "4", "--evaluate-every", "2")

    def test_language_models(self):
        text = self.file("text", "\n".join(lines(200, 5)))
        self.check_same_losses("train_lm", text, "--model", "window", "--batch", "16", "--steps", "6", "--evaluate-every", "3")
        for ranks in [1, 2, 4]:
            shutil.rmtree(self.folder / f"train_lm{ranks}")
        self.check_same_losses("train_lm", text, "--model", "rnn", "--batch", "8", "--steps", "3", "--evaluate-every", "2")
        for model in ["bigram", "ngram"]:
            alone, run = (self.ran((ranks, self.command("train_lm", model, text, "--model", model))) for ranks in [1, 2])
            self.assertEqual((run.returncode, run.stdout), (0, alone.stdout), run.stderr)

    def test_states_are_carried_on_by_another_number_of_ranks(self):
        text = self.file("text", "\n".join(lines(900, 6)))
        words = [text, "--model", "rnn", "--batch", "8", "--evaluate-every", "100", "--samples", "0"]
        self.assertEqual(self.ran((1, self.command("train_lm", "whole", *words, "--steps", "4"))).returncode, 0)
        for ranks, steps in [(2, 2), (4, 3), (1, 4)]:
            run = self.ran((ranks, self.command("train_lm", "parts", *words, "--steps", str(steps), "--resume")))
            self.assertEqual(run.returncode, 0, run.stderr)
        found, expected = losses_of(self.folder / "parts"), losses_of(self.folder / "whole")
        for step, losses in expected.items():
            self.assertAlmostEqual(found[step][0], losses[0], delta=2e-5)

    def test_a_batch_that_does_not_divide_is_refused(self):
        text = self.file("text", "\n".join(lines(100, 1)))
        run = self.ran((3, self.command("train_gpt", "none", text, "--size", "tiny", "--batch", "8")))
        self.assertEqual(run.returncode, 2)
        self.assertIn("train_gpt: --batch: expected a multiple of 3, for so many ranks learn together; found 8", run.stderr)

    def test_other_data_and_another_build_are_refused(self):
        text = self.file("text", "\n".join(lines(100, 1)))
        other = self.file("other", (self.folder / "text").read_text().replace("rain", "hail", 1))
        words = ["--size", "tiny", "--batch", "8", "--steps", "2", "--length", "0"]
        run = self.ran((1, self.command("train_gpt", "other", text, *words)), (1, self.command("train_gpt", "other", other, *words)))
        self.assertEqual(run.returncode, 2)
        for file in [text, other]:
            self.assertIn(f"train_gpt: rank 1 has other data in {file} than rank 0; expected the same on all ranks\n", run.stderr)
        copy = self.file("train_gpt", pathlib.Path(self.programs, "train_gpt").read_bytes() + b"another")
        pathlib.Path(copy).chmod(0o755)
        run = self.ran((1, self.command("train_gpt", "build", text, *words)), (1, [copy, *self.command("train_gpt", "build", text, *words)[1:]]))
        self.assertEqual(run.returncode, 2)
        self.assertIn("train_gpt: rank 1 has another build of train_gpt than rank 0; expected one program on all ranks\n", run.stderr)
        self.assertFalse((self.folder / "build" / "log.csv").exists())


if __name__ == "__main__":
    Programs.mpirun, Programs.programs = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
