#!/usr/bin/env python3
"""Tests of the harness itself: each way in which a test file can be wrong must be found, by the compiler given."""

import pathlib
import sys
import tempfile
import unittest

import check

MECHANISM = r"""
#include <cstddef>
template <std::size_t n> struct part { char text[n + 1]; };
template <part... sentence> struct ill_formed;
template <std::size_t n> constexpr part<n - 1> text(const char (&from)[n]) {
  part<n - 1> to{};
  for (std::size_t i = 0; i < n; ++i) to.text[i] = from[i];
  return to;
}
"""
FAULT = r'auto a = sizeof(ill_formed<text("x.cpp:11: cannot add \"q\" to "), text("[T, 512] [F0001]")>); // <- here'
EXPECT = '// expect: {file}:{line}: cannot add "q" to [T, 512] [F0001]'


def test_file(expect=EXPECT, fault=FAULT, twin="auto a = sizeof(int);"):
    return f"{expect}{MECHANISM}#ifdef ILL_FORMED\n{fault}\n#else\n{twin}\n#endif\n"


class Harness(unittest.TestCase):
    command = []

    def faults(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.cpp"
            path.write_text(text, encoding="utf-8")
            return check.faults_of_all(check.Compiler(self.command), [path])[0]

    def assert_fault(self, text, words):
        faults = self.faults(text)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(words, faults[0])

    def test_accepts_the_sentence(self):
        self.assertEqual(self.faults(test_file()), [])

    def test_accepts_a_sentence_over_two_lines(self):
        moved = FAULT.replace("x.cpp:11", "x.cpp:12")
        self.assertEqual(self.faults(test_file('// expect: {file}:{line}: cannot add\n//         "q" to [T, 512] [F0001]', moved)), [])

    def test_accepts_a_static_assertion(self):
        self.assertEqual(self.faults(test_file("// expect: no capture [F0002]", 'static_assert(false, "no capture [F0002]"); // <- here')), [])

    def test_accepts_a_static_assertion_on_a_requirement(self):
        fault = 'template <int n> struct s { static_assert(n > 1, "no capture [F0002]"); }; s<1> a; // <- here'
        self.assertEqual(self.faults(test_file("// expect: no capture [F0002]", fault)), [])

    def test_finds_other_words(self):
        self.assert_fault(test_file(EXPECT.replace("512", "513")), "expected x.cpp:11: cannot add")

    def test_finds_a_sentence_cut_short(self):
        self.assert_fault(test_file(EXPECT.replace(" [T, 512]", "")), "expected x.cpp:11: cannot add")

    def test_finds_another_line(self):
        self.assert_fault(test_file(fault="\n" + FAULT), "expected x.cpp:12")

    def test_finds_a_model_that_compiles(self):
        self.assert_fault(test_file(fault="int a = 0; // <- here"), "the ill-formed model compiles")

    def test_finds_a_twin_that_does_not(self):
        self.assert_fault(test_file(twin="auto a = sizeof(ill_formed<>);"), "the well-formed twin does not compile")

    def test_finds_a_twin_with_warnings(self):
        self.assert_fault(test_file(twin="bool less(int a, unsigned b) { return a < b; }"), "the well-formed twin does not compile")

    def test_tells_twins_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name / "x.cpp" for name in ("good", "bad", "good_too")]
            for path in paths:
                path.parent.mkdir()
                path.write_text(test_file(twin="int a = nothing;" if "bad" in str(path) else "int a = 0;"), encoding="utf-8")
            good, bad, good_too = check.faults_of_all(check.Compiler(self.command), paths)
            self.assertEqual(good + good_too, [])
            self.assertIn("the well-formed twin does not compile", bad[0])

    def test_accepts_the_compilers_own_words(self):
        self.assertEqual(self.faults(test_file("// expect-own: lin", "auto a = lin(1); // <- here")), [])

    def test_finds_own_words_elsewhere(self):
        fault = "auto a = lin(1);\nint b; // <- here"
        self.assert_fault(test_file("// expect-own: lin", fault), "expected at x.cpp:12: the words lin")

    def test_finds_what_stands_behind_own_words(self):
        fault = "auto a = lin(1); auto b = lon(2); // <- here"
        self.assert_fault(test_file("// expect-own: lin", fault), "said besides")
        self.assertEqual(self.faults(test_file("// expect-own: lin\n// behind: lon", fault)), [])

    def test_counts_lines(self):
        calls = "".join(f"template <class t> void f{i}(t t{i}) {{ f{i + 1}(t{i}); }}\n" for i in reversed(range(10)))
        deep = 'template <class t> void f10(t) { static_assert(sizeof(t) > 4, "deep [F0003]"); }\n' + calls + "void g() { f0('a'); } // <- here"
        self.assert_fault(test_file("// expect: deep [F0003]", deep), "lines of the compiler, expected at most 12")
        self.assertEqual(self.faults(test_file("// expect: deep [F0003]\n// lines: 30: it is deep", deep)), [])

    def test_finds_a_second_error(self):
        fault = FAULT + "\nint b = nothing;"
        self.assert_fault(test_file(fault=fault), "said besides")
        self.assertEqual(self.faults(test_file(EXPECT + "\n// behind: nothing", fault.replace("x.cpp:11", "x.cpp:12"))), [])

    def test_finds_a_missing_number(self):
        self.assert_fault(test_file(EXPECT.replace(" [F0001]", "")), "does not end in its number")

    def test_finds_a_missing_marker(self):
        self.assert_fault(test_file(fault=FAULT.replace(check.MARKER, "")), "expected one")

    def test_finds_a_missing_expectation(self):
        self.assert_fault(test_file("// expects:"), "expected one")


if __name__ == "__main__":
    Harness.command = [sys.argv.pop(1), f"-std={sys.argv.pop(1)}"]
    unittest.main()
