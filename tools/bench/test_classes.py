"""Java programs among the tests of some modules."""

import os
import subprocess

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def compiled(modules):
    """Compiles them, and returns the beginning of a command line. The last module depends on the others, and says which libraries."""
    path = os.path.join(HOME, "target", "test-class-path")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["mvn", "-B", "-ntp", "-q", "-pl", modules[-1], "-am", "-DskipTests", "-Dcheckstyle.skip", "test-compile",
                    "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath", "-Dmdep.outputFile=" + path,
                    "-Dmdep.includeScope=test"], cwd=HOME, check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        libraries = file.read().strip()
    own = [os.path.join(HOME, module, "target", kind) for module in modules for kind in ("test-classes", "classes")]
    program = os.path.join(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"
    return [program, "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED", "-ea", "-Xmx1g",
            "-cp", os.pathsep.join(own + [libraries])]
