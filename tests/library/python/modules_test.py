#!/usr/bin/env python3
"""Modules of Python around the tiny models, beside the programs of the same models: modules_test.py BUILD PROGRAMS"""

import gc
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "tools"))
from weight_files import save_safetensors  # noqa: E402

import numpy  # noqa: E402

BUILD, PROGRAMS = map(pathlib.Path, sys.argv[1:3])
APPS = ["embed", "classify", "tag", "generate", "score", "translate", "stream"]
for app in APPS:
    sys.path.insert(0, str(BUILD / f"tiny_{app}_python"))
import tiny_classify  # noqa: E402
import tiny_embed  # noqa: E402
import tiny_generate  # noqa: E402
import tiny_score  # noqa: E402
import tiny_stream  # noqa: E402
import tiny_tag  # noqa: E402
import tiny_translate  # noqa: E402

WRITER = {"words.weight": [8, 4], "rnn.weight_ih_l0": [18, 4], "rnn.weight_hh_l0": [18, 6], "rnn.bias_ih_l0": [18], "rnn.bias_hh_l0": [18], "out.weight": [8, 6], "out.bias": [8]}
SHAPES = {
    "embed": {"words.weight": [8, 4]},
    "classify": {"words.weight": [8, 4], "out.weight": [2, 4], "out.bias": [2]},
    "tag": {"words.weight": [8, 4], "types.weight": [2, 4], "out.weight": [2, 4], "out.bias": [2]},
    "generate": WRITER,
    "score": WRITER | {"positions.weight": [64, 4]},
    "translate": {
        "source_words.weight": [8, 4],
        "words.weight": [8, 4],
        "rnn.weight_ih_l0": [12, 4],
        "rnn.weight_hh_l0": [12, 4],
        "rnn.bias_ih_l0": [12],
        "rnn.bias_hh_l0": [12],
        "out.weight": [8, 4],
        "out.bias": [8],
    },
    "stream": {"conv.weight": [3, 2, 5], "conv.bias": [3]},
}
TEXTS = ["one two", "three", "five four three two one"]


class Modules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        draw = random.Random(3)
        cls.weights = {}
        for app, shapes in SHAPES.items():
            tensors = {name: ("F32", shape, [draw.uniform(-1.5, 1.5) for _ in range(int(numpy.prod(shape)))]) for name, shape in shapes.items()}
            cls.weights[app] = str(save_safetensors(pathlib.Path(cls.place.name) / f"{app}.safetensors", tensors))

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def printed(self, app, *words, texts=TEXTS):
        """What the program of the app prints for texts, as lines of JSON."""
        command = [PROGRAMS / f"tiny_{app}", "--weights", self.weights[app], "--json", *map(str, words)]
        run = subprocess.run(command, input="".join(f"{text}\n" for text in texts), capture_output=True, text=True, check=True, env={"FOVEA_ISA": "baseline"})
        return [json.loads(line) for line in run.stdout.splitlines()]

    def test_vectors_are_those_of_the_program(self):
        model = tiny_embed.Model(self.weights["embed"])
        found = model.embed(TEXTS)
        right = numpy.array([line["vector"] for line in self.printed("embed")], numpy.float32)
        self.assertEqual(found.dtype, numpy.float32)
        numpy.testing.assert_array_equal(found, right)
        # And those of a call with the same tokens. Attention adds in another order where longer texts stand beside one.
        called = model(tokens=[[1, 3, 4, 2]], lengths=[4])
        numpy.testing.assert_array_equal(called["sentence"], model.embed(TEXTS[:1]))
        self.assertEqual(model.embed([]).shape, (0, 4))
        with self.assertWarnsRegex(UserWarning, "^text 1: the text is cut to its first 8 tokens$"):
            model.embed(["one", "one " * 20])

    def test_labels_and_tags_are_those_of_the_program(self):
        found = tiny_classify.Model(self.weights["classify"]).classify(TEXTS)
        self.assertEqual([list(one) for one in found], [["good", "bad; or so"]] * 3)
        self.assertEqual(found, [line["probabilities"] for line in self.printed("classify")])
        found = tiny_tag.Model(self.weights["tag"]).tag(TEXTS)
        right = [[(tag["token"], tag["label"], tag["probability"]) for tag in line["tags"]] for line in self.printed("tag")]
        self.assertEqual(found, right)

    def test_scores_and_translations_are_those_of_the_program(self):
        self.assertEqual(tiny_score.Model(self.weights["score"]).score(TEXTS), [line["log_probability"] for line in self.printed("score")])
        model = tiny_translate.Model(self.weights["translate"])
        for beam, best in (4, 1), (1, 1), (8, 3):
            right = [[one["text"] for one in line["translations"]] for line in self.printed("translate", "--beam", beam, "--best", best)]
            self.assertEqual(model.translate(TEXTS, beam=beam, best=best), right)
        with self.assertRaisesRegex(tiny_translate.Error, "^text 1: the text is empty$"):
            model.translate(["one", ""])

    def test_texts_are_written_as_the_program_writes_them(self):
        model = tiny_generate.Model(self.weights["generate"])
        for seed in range(5):
            (right,) = self.printed("generate", "--seed", seed, "--tokens", 4, texts=["one two"])
            self.assertEqual("".join(model.generate("one two", seed=seed, tokens=4)), right["generated"])
        # Several at once have each a network of their own.
        together = [model.generate("one", seed=seed, tokens=5) for seed in range(3)]
        pieces = [[], [], []]
        for _ in range(6):
            for i, text in enumerate(together):
                pieces[i].append(next(text, ""))
        for seed in range(3):
            self.assertEqual("".join(pieces[seed]), "".join(model.generate("one", seed=seed, tokens=5)))
        self.assertEqual(list(together[0]), [])
        for wrong, why in ({"temperature": -1}, "temperature"), ({"stop": [""]}, "stop: expected a string"), ({"tokens": 0}, "token"):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(tiny_generate.Error, why):
                list(model.generate("one", **wrong))
        with self.assertRaisesRegex(tiny_generate.Error, "^the prompt: the text has 12 tokens; expected fewer than 8, the context of the model$"):
            model.generate("one " * 10)

    def test_grammars_say_what_a_text_is(self):
        model = tiny_generate.Model(self.weights["generate"])
        for seed in range(3):
            self.assertIn("".join(model.generate("one", seed=seed, regex="two three|three one")), ("two three", "three one"))
        (right,) = self.printed("generate", "--seed", 1, "--grammar-regex", "(two )*three", "--tokens", 4, texts=["one"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual("".join(model.generate("one", seed=1, tokens=4, regex="(two )*three")), right["generated"])
        with self.assertWarnsRegex(UserWarning, "^the text was cut before its grammar lets it end: tokens allows more$"):
            list(model.generate("one", tokens=1, regex="two three"))
        for wrong, why in (
            ({"regex": "("}, "^regular expression: expected "),
            ({"json_schema": {"type": "text"}}, "^JSON schema: #/type: expected one of "),
            ({"json_schema": "{"}, "^JSON schema: "),
            ({"json_schema": True, "regex": "a"}, "^regex and json_schema: expected one of them; found both$"),
            ({"json_schema": {"type": "null"}}, "^grammar: expected a token "),
        ):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(tiny_generate.Error, why):
                list(model.generate("one", **wrong))
        with self.assertRaises(TypeError):
            model.generate("one", json_schema={1, 2})

    def test_a_stream_gives_what_a_call_gives(self):
        model = tiny_stream.Model(self.weights["stream"])
        x = numpy.random.default_rng(3).standard_normal((2, 7, 2)).astype(numpy.float32)
        whole = model(x=x)["y"]
        stream = model.stream()
        self.assertEqual((stream.latency, stream.stride), (2, 1))
        found = [stream.step(x=x[:, at : at + 1])["y"] for at in range(3)]
        other = stream.copy()
        found += [stream.step(x=x[:, 3:])["y"], stream.finish(2)["y"]]
        numpy.testing.assert_allclose(numpy.concatenate(found, 1)[:, 2:], whole, atol=1e-6)
        self.assertEqual(other.position(), 3)
        numpy.testing.assert_array_equal(other.step(x=x[:, 3:])["y"], found[3])
        other.reset(1)
        self.assertEqual([other.position(row) for row in range(3)], [7, 0, -1])
        other.begin()
        numpy.testing.assert_array_equal(other.step(x=x[:, :1])["y"], found[0])
        with self.assertRaisesRegex(tiny_stream.Error, 'step: the input "x" is missing'):
            other.step()

    def test_what_a_call_gave_stays_as_it_was(self):
        model = tiny_stream.Model(self.weights["stream"])
        draw = numpy.random.default_rng(4)
        inputs = [draw.standard_normal((1, 5, 2)).astype(numpy.float32) for _ in range(4)]
        alone = [model(x=x)["y"].copy() for x in inputs]
        kept = [model(x=x)["y"] for x in inputs]
        for found, right in zip(kept, alone):
            numpy.testing.assert_array_equal(found, right)
        # While nobody keeps any, numbers are where the model leaves them: nothing is copied.
        del kept, found
        gc.collect()
        places = {model(x=x)["y"].ctypes.data for x in inputs}
        self.assertEqual(len(places), 1)
        first = model(x=inputs[0])["y"]
        del model
        gc.collect()
        numpy.testing.assert_array_equal(first, alone[0])

    def test_threads_take_turns(self):
        model = tiny_embed.Model(self.weights["embed"])
        right, alone, wrong = model.embed(TEXTS), model.embed(TEXTS[:1]), []

        def work():
            for _ in range(50):
                if not numpy.array_equal(model.embed(TEXTS), right) or not numpy.array_equal(model(tokens=[[1, 3, 4, 2]], lengths=[4])["sentence"], alone):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_numbers_of_any_type_and_layout(self):
        model = tiny_stream.Model(self.weights["stream"])
        x = numpy.arange(24).reshape(2, 6, 2)
        right = model(x=x.astype(numpy.float32))["y"].copy()
        for given in x.astype(float), x.astype(numpy.float16), x.astype(">f4"), numpy.asfortranarray(x, dtype=float), x.astype(numpy.float32)[:, ::1]:
            numpy.testing.assert_array_equal(model(x=given)["y"], right)
        model = tiny_embed.Model(self.weights["embed"])
        right = model(tokens=[[1, 3, 2]], lengths=[3])["sentence"].copy()
        for kind in numpy.int8, numpy.uint16, numpy.int32, numpy.uint64, ">i8":
            numpy.testing.assert_array_equal(model(tokens=numpy.array([[1, 3, 2]], kind), lengths=(3,))["sentence"], right)

    def test_what_does_not_fit_is_one_sentence(self):
        model = tiny_embed.Model(self.weights["embed"])
        for given, why in (
            ({"tokens": [[1]]}, 'the input "lengths" is missing'),
            ({"tokens": [[1]], "lengths": [1], "types": [[0]]}, 'there is no input "types"; the inputs are "tokens", "lengths"'),
            ({"tokens": [[1.0]], "lengths": [1]}, 'input "tokens" [B, T]: expected int32 or int64, found float64'),
            ({"tokens": [["one"]], "lengths": [1]}, 'input "tokens": expected numbers, found an array of <U3'),
            ({"tokens": [1], "lengths": [1]}, 'input "tokens" [B, T]: expected 2 axes, found 1'),
            ({"tokens": [[1]], "lengths": 1}, 'input "lengths" [B]: expected 1 axis, found 0'),
            ({"tokens": [[8]], "lengths": [1]}, 'input "tokens" [B, T]: tokens[0, 0] is 8, expected 0 to 7'),
            ({"tokens": [[1] * 9], "lengths": [1]}, 'input "tokens" [B, T]: axis 1 (T) is 9, expected 1 to 8, the capacity of T'),
        ):
            with self.subTest(why=why):
                with self.assertRaises(tiny_embed.Error) as caught:
                    model(**given)
                self.assertEqual(str(caught.exception), why)
        self.assertTrue(issubclass(tiny_embed.Error, ValueError))
        for words, named, why in (
            ((), {}, "weights: expected a file, since the module is built without; found None"),
            ((self.weights["embed"],), {"S": 3}, "capacity of S: the model has no such dim; its dims are B, T"),
            ((self.weights["embed"],), {"threads": -1}, "threads: expected at least 0, found -1"),
            ((self.weights["embed"],), {"B": "two"}, "capacity of B: expected a whole number, found 'two'"),
            ((self.weights["embed"],), {"B": 0}, "capacity of B: expected at least 1, found 0"),
        ):
            with self.subTest(why=why):
                with self.assertRaises(tiny_embed.Error) as caught:
                    tiny_embed.Model(*words, **named)
                self.assertEqual(str(caught.exception), why)
        # Weights of another model are told when they are opened.
        for module, app in (tiny_embed, "classify"), (tiny_tag, "classify"), (tiny_generate, "stream"), (tiny_stream, "embed"):
            with self.assertRaisesRegex(module.Error, rf"{app}.safetensors: .*(no parameter wants|no tensor fills)"):
                module.Model(self.weights[app])
        with self.assertRaisesRegex(tiny_embed.Error, "none.safetensors"):
            tiny_embed.Model("none.safetensors")

    def test_it_says_what_it_is(self):
        self.assertRegex(tiny_embed.version, "^tiny_embed: tiny::embed, weights in f32, baseline, Fovea ")
        self.assertIn("tokens: int32 [B, T]", tiny_embed.Model.__doc__)
        self.assertIn("sentence: float32 [B, 4]", tiny_embed.Model.__call__.__doc__)
        stub = (BUILD / "tiny_embed_python" / "tiny_embed" / "_tiny_embed.pyi").read_text()
        self.assertIn("def __call__(self, *, tokens: numpy.typing.ArrayLike, lengths: numpy.typing.ArrayLike) -> dict[str, numpy.typing.NDArray[numpy.float32]]", stub)
        self.assertIn("def embed(self, texts: Sequence[str]) -> numpy.typing.NDArray[numpy.float32]", stub)
        self.assertTrue((BUILD / "tiny_embed_python" / "tiny_embed" / "py.typed").exists())


if __name__ == "__main__":
    warnings.simplefilter("always")
    unittest.main(argv=sys.argv[:1])
