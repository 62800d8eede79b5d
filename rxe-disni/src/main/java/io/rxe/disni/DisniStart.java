package io.rxe.disni;

import io.rxe.net.process.ProcessSettings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts a program for DiSNI: a JVM of its own, whose class path is that of this process, which must have this module, before that of
 * the program. Any thread.
 */
public final class DisniStart {
    /** The third is for {@link LastHook}; the last for programs such as jNVMf, which read the addresses of buffers. */
    static final List<String> FLAGS = List.of("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
        "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");

    private DisniStart() {
    }

    /**
     * Runs the program on the terminal of this process; ends it when this process is ended.
     *
     * @param classPath of the program.
     * @param command   options of {@code java}, the main class and its arguments.
     * @param variables that describe the NIC.
     * @return its exit status.
     * @throws IOException when it cannot be started.
     */
    public static int run(String classPath, List<String> command, Map<String, String> variables) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(FLAGS);
        line.add("-cp");
        line.add(System.getProperty("java.class.path") + File.pathSeparator + classPath);
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line).inheritIO();
        builder.environment().putAll(variables);
        ProcessSettings.beginCapture(variables);
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process), "rxe-run-end"));
        return await(process);
    }

    private static int await(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return end(process);
        }
    }

    /** As the signal that ends this process would: the program's exit hooks run. */
    private static int end(Process process) {
        process.destroy();
        return process.onExit().join().exitValue();
    }
}
