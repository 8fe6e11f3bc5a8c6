#!/usr/bin/env python3
"""Ranks over MPI: mpi_test.py MPIRUN PROGRAM, the program being ranks.cpp."""

import subprocess
import sys
import tempfile
import unittest

from mpirun import ENVIRONMENT


class Ranks(unittest.TestCase):
    mpirun = program = ""

    def ran(self, ranks, job):
        with tempfile.TemporaryDirectory() as folder:
            words = [self.mpirun, "-n", str(ranks), self.program, job, folder] if ranks else [self.program, job, folder]
            return subprocess.run(words, capture_output=True, text=True, check=False, env=ENVIRONMENT, timeout=120)

    def test_come_to_what_one_comes_to(self):
        for ranks in [2, 3]:
            run = self.ran(ranks, "learn")
            self.assertEqual((run.returncode, run.stdout), (0, f"{ranks} ranks\n"), run.stderr)

    def test_one_that_was_started_alone_is_a_group_of_one(self):
        run = self.ran(0, "learn")
        self.assertEqual((run.returncode, run.stdout), (0, "1 ranks\n"), run.stderr)

    def test_other_weights_are_refused(self):
        run = self.ran(2, "weights")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("ranks: train: rank 1 begins with other weights than rank 0", run.stderr)

    def test_a_rank_that_fails_ends_all(self):
        run = self.ran(2, "throw")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("ranks: the data of rank 1 are gone", run.stderr)
        run = self.ran(2, "die")
        self.assertNotEqual(run.returncode, 0)
        self.assertRegex(run.stderr, "rank 1 .*signal 9")

    def test_a_rank_that_leaves_before_the_others_ends_all(self):
        run = self.ran(2, "leave")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("rank 1 has left the group; expected the same calls on every rank", run.stderr)


if __name__ == "__main__":
    Ranks.mpirun, Ranks.program = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
