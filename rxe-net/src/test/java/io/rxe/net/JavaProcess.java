package io.rxe.net;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;

/** A main class of the tests in a process of its own, with their class path. */
public final class JavaProcess {
    private JavaProcess() {
    }

    /** Starts the process; what it prints to standard error is seen. */
    public static Process start(Class<?> main, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-Xmx128m",
            "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=4", "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED"));
        if (Runtime.version().feature() >= 24) {
            line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        line.addAll(List.of("-cp", classPath(), main.getName()));
        line.addAll(List.of(arguments));
        return new ProcessBuilder(line).redirectError(Redirect.INHERIT).start();
    }

    private static String classPath() {
        // Surefire may hand its class path over in a manifest.
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }
}
