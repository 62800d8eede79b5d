package io.rxe.net;

import io.rxe.net.port.Warnings;
import java.lang.ref.Cleaner;

/**
 * Warns of a NIC that the application has dropped without closing it, as Netty does for buffers. Nothing that a NIC starts refers to its
 * {@link RxeNic}, so that the garbage collector finds it.
 */
final class LeakHint {
    private static final Cleaner CLEANER = Cleaner.create();

    private final String sentence;
    private final Warnings warnings;
    private volatile boolean closed;

    private LeakHint(String sentence, Warnings warnings) {
        this.sentence = sentence;
        this.warnings = warnings;
    }

    /** Watches a NIC that the caller of the library opens now. */
    static LeakHint of(RxeNic nic, String name, Warnings warnings) {
        LeakHint hint = new LeakHint("the NIC at " + name + " was dropped without close: its socket, its threads and its counters stay"
            + " until the process ends; it was opened at " + caller() + ": close it, for example with try-with-resources", warnings);
        CLEANER.register(nic, hint::onDropped);
        return hint;
    }

    /** The NIC is closed. */
    void onClosed() {
        closed = true;
    }

    private void onDropped() {
        if (!closed) {
            warnings.once("leak", sentence);
        }
    }

    /** The method that has called {@code RxeNic.open}. */
    private static String caller() {
        return StackWalker.getInstance().walk(frames -> frames
            .dropWhile(frame -> !frame.getClassName().equals(RxeNic.class.getName()))
            .dropWhile(frame -> frame.getClassName().equals(RxeNic.class.getName()))
            .findFirst().map(frame -> frame.toStackTraceElement().toString()).orElse("an unknown place"));
    }
}
