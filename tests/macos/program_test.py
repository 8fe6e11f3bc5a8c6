#!/usr/bin/env python3
"""A program as a file for macOS: program_test.py OBJDUMP PROGRAM PROCESSOR"""

import subprocess
import sys
import unittest


def told(*options):
    run = subprocess.run([OBJDUMP, "--macho", *options, PROGRAM], capture_output=True, text=True, check=True)
    return run.stdout


class Program(unittest.TestCase):
    def test_is_of_the_processor(self):
        header = told("--private-header")
        self.assertIn({"aarch64": "ARM64", "x86_64": "X86_64"}[PROCESSOR], header)
        self.assertIn("EXECUTE", header)

    def test_needs_what_each_mac_has(self):
        libraries = [line.split()[0] for line in told("--dylibs-used").splitlines() if line.startswith("\t")]
        self.assertEqual(libraries, ["/usr/lib/libSystem.B.dylib"])


if __name__ == "__main__":
    OBJDUMP, PROGRAM, PROCESSOR = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
