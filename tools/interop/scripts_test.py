"""Tests of what scripts in tools/ compute from their measurements, and of how they get jars: python3 -B -m unittest scripts_test."""

import hashlib
import importlib.machinery
import importlib.util
import os
import tempfile
import unittest
from unittest import mock

import java_programs

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def script(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.path.join(TOOLS, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


endurance, profile, rates = script("run-endurance"), script("profile"), script("run-rates")


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


class RatesTest(unittest.TestCase):
    @staticmethod
    def _verdict(goal, at_least, rounds):
        work = rates.Work("ib_write_bw", "M/s", "ib_write_bw", 64, "", goal, at_least)
        return rates.line(work, rounds).split(" | ")[-1].rstrip(" |")

    def test_verdicts(self):
        self.assertEqual(self._verdict(0.8, True, [(9, 10), (8, 10), (8, 10)]), "met")
        self.assertEqual(self._verdict(0.8, True, [(9, 10), (7, 10), (7, 10)]), "within noise")
        self.assertEqual(self._verdict(0.8, True, [(7, 10), (7, 10), (7, 10)]), "missed")
        self.assertEqual(self._verdict(1.2, False, [(12, 10), (11, 10), (15, 10)]), "met")
        self.assertEqual(self._verdict(1.2, False, [(13, 10), (14, 10), (15, 10)]), "missed")


class ProfileTest(unittest.TestCase):
    def test_columns_are_sums_of_steps_and_the_last_takes_the_rest(self):
        counts = profile.collections.Counter({"send, in the kernel": 50, "requester: headers, window": 20, "rings": 10, "unheard of": 20})
        found = dict(zip([name for name, _ in profile.COLUMNS], profile.by_column(counts, 200.0)))
        self.assertEqual(found["kernel: send"], 100.0)
        self.assertEqual(found["protocol"], 60.0)
        self.assertEqual(found["waiting, else"], 40.0)
        self.assertEqual(sum(found.values()), 200.0)


class JavaProgramsTest(unittest.TestCase):
    """With a Maven that copies one file of four bytes and notes how it was called."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.join(temporary.name, "jars")
        self.calls = os.path.join(temporary.name, "calls")
        maven = os.path.join(temporary.name, "mvn")
        with open(maven, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\necho "$@" >>%s\nmkdir -p %s\nprintf data >%s/a-1-tests.jar\n' % (self.calls, self.folder, self.folder))
        os.chmod(maven, 0o755)
        for patch in (mock.patch.object(java_programs, "FOLDER", self.folder),
                      mock.patch.dict(os.environ, PATH=temporary.name + os.pathsep + os.environ["PATH"])):
            patch.start()
            self.addCleanup(patch.stop)
        java_programs._verified.cache_clear()

    @staticmethod
    def _jar(artifact, content):
        return "org.example", artifact, "1", "tests", hashlib.sha256(content).hexdigest()

    def test_maven_copies_a_missing_jar_once(self):
        jars = [self._jar("a", b"data")]
        with self.assertRaisesRegex(java_programs.JarMissing, "a-1-tests.jar is not in"):
            java_programs.class_path(jars)
        self.assertFalse(os.path.exists(self.calls))
        for fetch in (True, False, True):
            java_programs._verified.cache_clear()
            self.assertEqual(java_programs.class_path(jars, fetch), os.path.join(self.folder, "a-1-tests.jar"))
        with open(self.calls, encoding="ascii") as file:
            calls = file.read().splitlines()
        self.assertEqual(len(calls), 1)
        self.assertIn("-Dartifact=org.example:a:1:jar:tests -DoutputDirectory=" + self.folder, calls[0])

    def test_other_bytes_are_refused(self):
        with self.assertRaisesRegex(java_programs.JarMissing, "is not the jar of Maven Central"):
            java_programs.class_path([self._jar("a", b"other")], fetch=True)

    def test_jar_that_maven_does_not_copy_is_missing(self):
        with self.assertRaisesRegex(java_programs.JarMissing, "b-1-tests.jar is not in .*Dartifact=org.example:b:1:jar:tests"):
            java_programs.class_path([self._jar("b", b"data")], fetch=True)


if __name__ == "__main__":
    unittest.main()
