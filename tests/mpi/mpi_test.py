#!/usr/bin/env python3
"""Ranks over MPI: mpi_test.py MPIRUN PROGRAM, the program being ranks.cpp."""

import json
import pathlib
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

    def test_stages_with_steps_in_flight_stream_what_the_whole_model_streams(self):
        for ranks in [2, 3]:
            run = self.ran(ranks, "stages")
            self.assertEqual((run.returncode, run.stdout), (0, f"{ranks} ranks\n"), run.stderr)

    def test_a_trace_shows_the_sums_beside_the_steps(self):
        with tempfile.TemporaryDirectory() as folder:
            own = 'FOVEA_PROFILE="$1/trace.$OMPI_COMM_WORLD_RANK.json" exec "$0" learn "$1"'
            words = [self.mpirun, "-n", "2", "sh", "-c", own, self.program, folder]
            subprocess.run(words, capture_output=True, check=True, env=ENVIRONMENT, timeout=120)
            for rank in [0, 1]:
                events = json.loads(pathlib.Path(folder, f"trace.{rank}.json").read_text(encoding="utf-8"))
                sums = [e for e in events if e["name"] == "sum of gradients"]
                begun = {e["id"]: e["ts"] for e in sums if e["ph"] == "b"}
                ended = {e["id"]: e["ts"] for e in sums if e["ph"] == "e"}
                self.assertEqual(begun.keys(), ended.keys())
                self.assertTrue(all(begun[i] <= ended[i] for i in begun))
                calls = [(e["ts"], e["ts"] + e["dur"]) for e in events if e.get("cat") == "call"]
                self.assertTrue(any(a < at < b for at in begun.values() for a, b in calls), "none begins in a call")
                self.assertTrue(any(e["name"] == "wait for ranks" and e["ph"] == "X" for e in events))

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
