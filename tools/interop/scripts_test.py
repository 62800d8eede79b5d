"""Tests of what scripts in tools/ compute from their measurements: python3 -B -m unittest scripts_test."""

import json
import os
import runpy
import types
import unittest

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def script(name):
    return types.SimpleNamespace(**runpy.run_path(os.path.join(TOOLS, name)))


endurance, compare = script("dev/endurance"), script("compare")


class EnduranceTest(unittest.TestCase):
    def test_growth_behind_the_warm_up_is_found_in_enough_samples(self):
        for memory, flat, row in (([10 * number for number in range(10)] + [100] * 30, True, "100.0 | 100.0 | +0.0 | 8.0 | flat |"),
                                  ([100 + number for number in range(40)], False, "114.5 | 134.5 | +20.0 | 8.3 | GROWS |")):
            rows, is_flat = endurance.judge([{("rping", endurance.MEMORY): value} for value in memory])
            self.assertIs(is_flat, flat)
            self.assertEqual(rows[2:], ["| rping | resident memory (MiB) | " + row])
            self.assertIsNone(endurance.judge([{}] * 14)[1])


class CompareTest(unittest.TestCase):
    RESULT = {"machine": {"processor": "Some CPU", "processors": 2, "kernel": "Linux 6.1", "java": "17", "commit": "abc"}, "place": "loopback",
              "rounds": 2, "duration_ns": 1_000_000_000, "missing": {}, "failures": {}, "samples": {
                  "rxe": {"SEND of 64 B, M/s": [2.0, 3.0], "SEND of 64 B, round trip, spinning, p50, us": [9.0, 9.0]},
                  "limit": {"M/s": [5.0, 4.0], "spinning, p50": [8.0, 6.0]}, "UCX": {"^SEND of 64 B, M/s": [1.0, None]}}}

    def test_ratios_are_those_of_one_round(self):
        self.assertEqual(compare.table(self.RESULT)[1:], [
            ["SEND of 64 B, M/s", "2.50 (2.00..3.00)", "4.50", "0.57", "1.00"],
            ["SEND of 64 B, round trip, spinning, p50, us", "9.00", "7.00", "1.31", ""]])
        self.assertEqual([row[-1] for row in compare.short_table(self.RESULT)], ["best other", "1.00 (UCX)", ""])

    def test_reads_what_other_programs_print(self):
        prints = {"UCX": ["     5000      4.314   849.844  1464.848       73.54      42.67        1177         683\n"] * 3,
                  "libfabric": ["64k     200     =200     25m         5.22s      5.03   13038.21       0.00\n"] * 2,
                  "rxe": [" 65536      1000             0.00               41.25              0.078674\n"] * 2}
        jobs = [*compare.ucx_jobs("1"), *compare.fabric_jobs("1"), *list(compare.veth_jobs("rxe", "1", "a", "b"))[:2]]
        self.assertEqual([float("%.3g" % value) for job in jobs for value in job.read(prints[job.column].pop()).values()],
                         [0.358, 0.358, 0.000683, 0.0402, 0.0402, 41.2, 41.2])

    def test_a_job_that_prints_nothing_known_fails(self):
        with self.assertRaisesRegex(compare.Failed, "something unexpected"):
            compare.run_job(compare.Job("a", ["echo", "{}"], compare.field("x", "y")))
        self.assertEqual(compare.run_job(compare.Job("a", ["sh", "-c", "echo warning >&2; echo '{\"y\": 2}'"], compare.field("x", "y"))), {"x": 2.0})
        with self.assertRaisesRegex(compare.Failed, "exit status 1: no"):
            compare.run_job(compare.Job("a", ["sh", "-c", "echo no; exit 1"], compare.field("x", "y")))

    def test_the_documents_show_the_committed_results(self):
        def text(*path):
            with open(os.path.join(os.path.dirname(TOOLS), *path), encoding="utf-8") as file:
                return file.read()
        for name, documents in (("performance", (("README.md",), ("docs", "performance.md"))), ("performance-veth", (("docs", "performance.md"),))):
            result = json.loads(text("docs", name + ".json"))
            self.assertEqual(compare.as_json(result), text("docs", name + ".json"))
            for path in documents:
                self.assertEqual(compare.with_tables(text(*path), result), text(*path), "tools/compare --from %s --markdown renews it" % name)
        result = json.loads(text("docs", "performance.json"))
        self.assertEqual(compare.picture(result), text("docs", "performance.svg"))
        self.assertLessEqual(set(compare.HEADLINE), set(compare.rows_of(result)))
