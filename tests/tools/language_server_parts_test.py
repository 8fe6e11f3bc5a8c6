#!/usr/bin/env python3
"""Tests of what the language server is made of, without the protocol: language_server_parts_test.py FOLDER."""

import sys
import unittest


def row(line, shape, models=("net",), in_all=True, file="a.cpp"):
    return {"file": file, "line": line, "shape": shape, "models": list(models), "in_all_models": in_all}


class Hints(unittest.TestCase):
    def test_equal_neighbours_are_said_once(self):
        rows = [row(3, ["T", 64]), row(3, ["T", 256]), row(3, ["T", 256]), row(3, ["T", 64]), row(5, []), row(4, [1], file="b.cpp")]
        self.assertEqual(shapes.hints_of(rows, "a.cpp"), {2: "[T, 64] → [T, 256] → [T, 64]", 4: "[]"})

    def test_models_that_differ(self):
        rows = [row(1, ["T", 64], ["wide"], False), row(1, ["T", 8], ["small", "tiny"], False), row(1, ["T"], ["wide", "small", "tiny"])]
        self.assertEqual(shapes.hints_of(rows, "a.cpp"), {0: "[T, 64] → [T] in wide; [T, 8] → [T] in small, tiny"})

    def test_models_that_differ_in_names_only(self):
        rows = [row(1, ["T", 8], ["a"], False), row(1, ["T", 8], ["b"], False)]
        self.assertEqual(shapes.hints_of(rows, "a.cpp"), {0: "[T, 8]"})


class Moved(unittest.TestCase):
    def test_lines_move_with_their_text(self):
        before, now = ["a", "b", "c", "d"], ["a", "new", "other", "c", "d"]
        self.assertEqual([shapes.moved(line, before, now) for line in range(4)], [0, None, 3, 4])
        self.assertEqual([shapes.moved(line, before, before) for line in range(4)], [0, 1, 2, 3])
        self.assertEqual([shapes.moved(line, before, ["a", "d"]) for line in range(4)], [0, None, None, 1])
        self.assertEqual([shapes.moved(line, ["x", "x"], ["x", "x", "x"]) for line in range(2)], [0, 1])


class Words(unittest.TestCase):
    def test_every_word_has_its_page(self):
        found = words.read_words(words.folder_of_pages())
        linear = found["linear"]
        self.assertTrue(linear.startswith("# linear\n\nMultiplies the features by a learned matrix"), linear)
        self.assertIn("```cpp\nconstexpr expr linear(expr x, const name_text& name, dim out", linear)
        self.assertNotIn("## ", linear)
        self.assertEqual(found["gelu"], found["relu"])
        self.assertIn("output", found)
        self.assertNotIn("g", found)
        self.assertNotIn("index", found)

    def test_word_at(self):
        line = "x = linear(gelu(h))"
        self.assertEqual([words.word_at(line, at) for at in (4, 7, 10, 11, 19)], ["linear", "linear", "linear", "gelu", None])


if __name__ == "__main__":
    sys.path.insert(0, sys.argv.pop(1))
    import shapes
    import words

    unittest.main()
