"""Tests of what scripts in tools/ compute from their measurements: python3 -B -m unittest scripts_test."""

import importlib.machinery
import importlib.util
import json
import os
import unittest

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def script(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_").replace("/", "_"), os.path.join(TOOLS, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


endurance, profile, compare = script("dev/endurance"), script("dev/profile"), script("compare")


class EnduranceTest(unittest.TestCase):
    @staticmethod
    def _judge(memory):
        return endurance.judge([{("rping", "resident memory (MiB)"): value, ("rping", "descriptors"): 30} for value in memory])

    def test_warm_up_is_left_out(self):
        rows, flat = self._judge([10 * number for number in range(10)] + [100] * 30)
        self.assertIs(flat, True)
        self.assertIn("| rping | resident memory (MiB) | 100.0 | 100.0 | +0.0 | 8.0 | flat |", rows)

    def test_growth_is_found(self):
        rows, flat = self._judge([100 + number for number in range(40)])
        self.assertIs(flat, False)
        self.assertIn("| rping | resident memory (MiB) | 114.5 | 134.5 | +20.0 | 8.3 | GROWS |", rows)
        self.assertIn("| rping | descriptors | 30.0 | 30.0 | +0.0 | 0.5 | flat |", rows)

    def test_few_samples_are_not_judged(self):
        self.assertEqual(self._judge([100 * number for number in range(14)]),
                         (["too few samples behind the warm-up, 11 of at least 12: growth is not judged"], None))
        self.assertIs(self._judge([100 * number for number in range(16)])[1], False)


class CompareTest(unittest.TestCase):
    RESULT = {"machine": {"processor": "Some CPU", "processors": 2, "kernel": "Linux 6.1", "java": "17", "commit": "abc"}, "place": "loopback",
              "rounds": 2, "duration_ns": 1_000_000_000, "missing": {}, "failures": {},
              "samples": {"rxe/rate/send": [2e6, 3e6], "c/rate": [4e6, None], "c/gather/rate": [5e6, 4e6], "ucx/rate": [1e6, 1e6],
                          "rxe/spin/p50": [9.0, 9.0], "c/spin/p50": [8.0, 6.0]}}

    def test_the_limit_is_the_better_in_each_round(self):
        self.assertEqual(compare.table(self.RESULT)[1:], [
            ["SEND of 64 B", "M/s", "2.50 (2.00..3.00)", "4.50", "0.57", "1.00"],
            ["SEND of 64 B, round trip, spinning, p50", "us", "9.00", "7.00", "1.31", ""]])
        self.assertEqual([row[-1] for row in compare.short_table(self.RESULT)], ["best other", "1.00 (UCX)", ""])

    def test_every_figure_of_a_row_is_measured_by_a_job(self):
        contenders = {name: [name] for name in compare.NAMES.values()}
        jobs = compare.loopback_jobs(contenders, "1", 4791) + list(compare.veth_jobs(contenders, "1", "a", "b"))
        measured = " ".join(job.what for job in jobs)
        for work in compare.veth_works():
            self.assertIn(work.ours, measured)
        self.assertLessEqual(set(compare.HEADLINE), {work.name for work in compare.loopback_works()})
        rows = {"measurements": [{"operation": "rdma_write", "size_bytes": 65536, "gigabits_per_second": 12.5}]}
        self.assertEqual(jobs[0].read(json.dumps(rows)), {"rxe/write/65536/4096": 12.5})

    def test_reads_what_other_programs_print(self):
        ucx = "     5000      4.314   849.844  1464.848       73.54      42.67        1177         683\n"
        self.assertAlmostEqual(compare.read_ucx(ucx, 65536)["ucx/65536"], 42.67 * (1 << 20) * 8 / 1e9)
        self.assertEqual(compare.read_ucx(ucx, 64), {"ucx/rate": 683.0})
        self.assertAlmostEqual(compare.read_fabric("64k     200     =200     25m         5.22s      5.03   13038.21       0.00\n"), 0.04024)
        self.assertEqual(compare.read_perftest(" 65536      1000             0.00               41.25              0.078674\n"), 41.25)

    def test_a_job_that_prints_nothing_known_fails(self):
        with self.assertRaisesRegex(compare.JobFailed, "something unexpected"):
            compare.run_job(compare.Job("a", "b", ["echo", "{}"], compare.field("x", "y")))
        with self.assertRaisesRegex(compare.JobFailed, "exit status 1: no"):
            compare.run_job(compare.Job("a", "b", ["sh", "-c", "echo no; exit 1"], compare.field("x", "y")))

    def test_the_documents_show_the_committed_results(self):
        home = os.path.dirname(TOOLS)

        def text(*path):
            with open(os.path.join(home, *path), encoding="utf-8") as file:
                return file.read()
        for name, documents in (("performance", (("README.md",), ("docs", "performance.md"))), ("performance-veth", (("docs", "performance.md"),))):
            result = json.loads(text("docs", name + ".json"))
            self.assertEqual(compare.as_json(result), text("docs", name + ".json"))
            for path in documents:
                self.assertEqual(compare.with_tables(text(*path), result), text(*path), "tools/compare --from %s --markdown renews it" % name)
        self.assertEqual(compare.picture(json.loads(text("docs", "performance.json"))), text("docs", "performance.svg"))


class ProfileTest(unittest.TestCase):
    def test_the_innermost_frame_that_is_known_decides(self):
        for stack, column in ((["fput", "__sys_sendto", "io.rxe.net.Port::send"], profile.SEND), (["StubRoutines (1)"], profile.ICRC),
                              (["unknown", "io.rxe.qp.Task::run", "io.rxe.net.drive.EngineLoop::run"], profile.PROTOCOL),
                              (["epoll_wait"], profile.ELSE), (["java.lang.Thread::run"], profile.ELSE)):
            self.assertEqual(profile.column_of(stack), column)


if __name__ == "__main__":
    unittest.main()
