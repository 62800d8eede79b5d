"""Jars of Maven Central with programs for DiSNI, byte for byte: they run unchanged on our NIC. And the JDKs to run them with.

Maven copies them to target/disni-jars, since only Maven knows where its repository is.
"""

import functools
import glob
import hashlib
import os
import re
import subprocess

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(HOME, "target", "disni-jars")
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy"
FETCH_SECONDS = 120

# Group, artifact, version, classifier, SHA-256.
DISNI = ("com.ibm.disni", "disni", "2.1", "", "16cfa7f6b04e5fd14e3ee0425a650d46847cbd950f7f938a03362171725aa124")
DISNI_EXAMPLES = ("com.ibm.disni", "disni", "2.0", "tests", "647c9ff68c1cde212a18b0c0563da3a192df5b2dd7df577f0b8b8fbcc770592e")
DARPC = ("com.ibm.darpc", "darpc", "1.9", "", "4f2286584cc499a02d0cecc1fa4cc5254cc5e31cb380f72101ec15ff4a168702")
DARPC_EXAMPLES = ("com.ibm.darpc", "darpc", "1.9", "tests", "65fa97239d5bc85fe231a8e1df44c70f6a510a14f0e9d687b7bf59e3e6d8743e")
JNVMF = ("com.ibm.jnvmf", "jnvmf", "1.6", "", "47d008e22f3adbf8e9c6ef936b6cc3be718de12125eda178f75d344d6f38c5a0")
SLF4J = ("org.slf4j", "slf4j-api", "1.7.12", "", "0aee9a77a4940d72932b0d0d9557793f872e66a03f598e473f45e7efecdccf99")
COMMONS_CLI = ("commons-cli", "commons-cli", "1.3.1", "", "3a2f057041aa6a8813f5b59b695f726c5e85014a703d208d7e1689098e92d8c0")


class JarMissing(Exception):
    """Maven did not copy a jar, or it is not the one of Maven Central; the text says which."""


def class_path(jars, fetch=False):
    """The jars as a class path. With `fetch`, Maven copies those that are missing from its repository, after a download if necessary."""
    return ":".join(_verified(jar, fetch) for jar in jars)


@functools.lru_cache(maxsize=None)
def _verified(jar, fetch):
    group, artifact, version, classifier, expected = jar
    name = "%s-%s%s.jar" % (artifact, version, "-" + classifier if classifier else "")
    path = os.path.join(FOLDER, name)
    if fetch and not os.path.exists(path):
        _fetch(group, artifact, version, classifier)
    if not os.path.exists(path):
        raise JarMissing("%s is not in %s, and Maven did not copy it: see `mvn -N %s -Dartifact=%s -DoutputDirectory=%s`" % (
            name, FOLDER, COPY, _coordinates(group, artifact, version, classifier), FOLDER))
    with open(path, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    if found != expected:
        raise JarMissing("%s is not the jar of Maven Central: its SHA-256 is %s, not %s" % (path, found, expected))
    return path


def _coordinates(group, artifact, version, classifier):
    return ":".join([group, artifact, version, "jar"] + ([classifier] if classifier else []))


def _fetch(group, artifact, version, classifier):
    try:
        # In the checkout, whose .mvn may name a repository.
        subprocess.run(["mvn", "-B", "-q", "-N", COPY, "-Dartifact=" + _coordinates(group, artifact, version, classifier),
                        "-DoutputDirectory=" + FOLDER], cwd=HOME,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=FETCH_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        pass  # The caller reports the jar that is missing.


def jdk_folder(major):
    """The folder of a JDK of this major version, or None."""
    for release in sorted(glob.glob("/usr/lib/jvm/*/release")):
        with open(release, encoding="utf-8") as file:
            if re.search(r'^JAVA_VERSION="%d\b' % major, file.read(), re.MULTILINE):
                return os.path.dirname(release)
    return None
