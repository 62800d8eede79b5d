package io.rxe.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The machine of a measurement: a figure without it means nothing.
 *
 * @param processor  model name.
 * @param processors processors this process may use.
 * @param kernel     name and release of the operating system.
 * @param java       Java version and vendor.
 * @param commit     commit of this program, with {@code -dirty} if the checkout differs from it; {@code unknown}
 *                   without one, or without git.
 */
public record MachineInfo(String processor, int processors, String kernel, String java, String commit) {
    private static final int HASH_CHARACTERS = 12;
    /** The commit of what was built without git. */
    public static final String UNKNOWN = "unknown";

    /**
     * Reads it from /proc and the JVM.
     *
     * @param commit of this program.
     */
    public static MachineInfo read(String commit) {
        return new MachineInfo(processorName(Path.of("/proc/cpuinfo")), Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name") + " " + System.getProperty("os.version"),
            System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")", commit);
    }

    /** One line. */
    @Override
    public String toString() {
        return processor + ", " + processors + (processors == 1 ? " processor" : " processors") + ", " + kernel + ", Java " + java
            + ", commit " + commit;
    }

    /** For {@link JsonText}. */
    public Map<String, Object> toJson() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("processor", processor);
        fields.put("processors", processors);
        fields.put("kernel", kernel);
        fields.put("java", java);
        fields.put("commit", commit);
        return fields;
    }

    static String processorName(Path cpuinfo) {
        try {
            for (String line : Files.readAllLines(cpuinfo, StandardCharsets.ISO_8859_1)) {
                int colon = line.indexOf(':');
                // x86 has "model name"; some ARM kernels have "Processor" or "Hardware", many have neither.
                if (colon > 0 && (line.startsWith("model name") || line.startsWith("Processor") || line.startsWith("Hardware"))) {
                    return line.substring(colon + 1).trim();
                }
            }
        } catch (IOException e) {
            // Not Linux, or a restricted container: fall back to the architecture.
        }
        return System.getProperty("os.arch");
    }

    /** Commit of a checkout; see {@link #commit()}. */
    public static String commit(Path home) {
        try {
            // By default git refuses a checkout of another user; reading its commit is harmless.
            Process git = new ProcessBuilder("git", "-c", "safe.directory=*", "-C", home.toString(), "describe", "--always",
                "--dirty", "--exclude=*", "--abbrev=" + HASH_CHARACTERS).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            git.getOutputStream().close();
            String text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
            return git.waitFor(5, TimeUnit.SECONDS) && git.exitValue() == 0 ? text : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }
}
