package io.rxe.testkit.faults;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whose a crash is: what the frames of the backtraces say that the program, or the JVM in it, has printed. */
final class Crash {
    /** A frame of the library or of the JVM is in a backtrace, or there is none. */
    static final String OURS = "CRASH";
    static final String OF_JVM = "# A fatal error has been detected by the Java Runtime";
    /** The JVM's frames are in what the program prints. */
    static final String JAVA_OPTION = "-XX:+ErrorFileToStderr";
    private static final int SEGV = 128 + 11;
    private static final int BUS = 128 + 7;
    /** Words of the JVM, and of the C library about its heap. Programs may abort of their own. */
    private static final Pattern WORDS = Pattern.compile(OF_JVM + "|(free|alloc|malloc_\\w+)\\(\\): |double free|corrupted");
    /** The number and the file of a frame of the C library's backtrace, or the file of one of the JVM's. */
    private static final Pattern FRAME = Pattern.compile(
        "(?m)^(?:.*?(\\d+)]? +)?(?:\\S*/)?([^\\s/(]+)\\([^()]*\\) ?\\[0x\\p{XDigit}+]|^[CV] +\\[([^+\\]]+)\\+0x");
    private static final Pattern FILE_OF_OURS = Pattern.compile("lib(rxe|jvm|java|nio|net|netty)\\b.*|libnetty_.*");

    private Crash() {
    }

    /** What the table says of a program with that exit status: {@link #OURS}, "its own crash" and in which file, or null for no crash. */
    static String of(int status, String printed) {
        if (status != SEGV && status != BUS && !WORDS.matcher(printed).find()) {
            return null;
        }
        String file = null;
        // The handler that prints stands above the frame of the C library that the kernel called it from; the JVM may have called it.
        boolean isBelowHandler = false;
        for (Matcher frame = FRAME.matcher(printed); frame.find();) {
            String at = frame.group(2) == null ? frame.group(3) : frame.group(2);
            isBelowHandler = frame.group(2) == null || isBelowHandler && !"0".equals(frame.group(1));
            if (isBelowHandler && FILE_OF_OURS.matcher(at).matches()) {
                return OURS;
            }
            boolean isOfC = at.startsWith("libc.so");
            file = isBelowHandler && !isOfC && file == null ? at : file;
            isBelowHandler |= isOfC;
        }
        return file == null ? OURS : "its own crash in " + file;
    }
}
