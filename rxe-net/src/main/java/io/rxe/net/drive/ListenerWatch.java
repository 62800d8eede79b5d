package io.rxe.net.drive;

import io.rxe.cm.CmEventChannel;
import io.rxe.net.port.Warnings;
import io.rxe.verbs.CompletionChannel;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Looks from outside whether a listener of the application keeps an engine. Names it after 200 ms, while it lasts again after 1, 2, 4, ...
 * seconds, and says when it is over. A listener that was named is named again only when it takes twice as long. Belongs to the watchdog's
 * thread, except where noted.
 */
final class ListenerWatch {
    static final long FIRST_NS = 200_000_000;
    private static final long SECOND_NS = 1_000_000_000;
    private static final double NS_PER_S = 1e9;

    /**
     * What a thread does in a listener.
     *
     * @param listener the outermost frame of the application's own code.
     * @param at       the innermost one.
     */
    record Frames(String listener, String at) {
        @Override
        public String toString() {
            return "the listener " + listener + (at.equals(listener) ? "" : ", now at " + at);
        }
    }

    private final int engine;
    private final Warnings warnings;
    /** How long each listener that was named has to take before it is named again. */
    private final Map<String, Long> limits = new HashMap<>();
    private long iteration;
    private long sinceNs;
    private long nextNs;
    /** The listener that was named and has not returned; null for none. */
    private String named;

    ListenerWatch(int engine, Warnings warnings) {
        this.engine = engine;
        this.warnings = warnings;
    }

    /**
     * Looks at the engine.
     *
     * @param current number of the iteration the engine is in, 0 for none.
     * @param owner   the engine's owner, or null.
     */
    void look(long current, Thread owner, long nowNs) {
        if (current == 0 || current != iteration) {
            end(nowNs - sinceNs);
            iteration = current;
            sinceNs = nowNs;
            nextNs = FIRST_NS;
        } else if (owner != null && nowNs - sinceNs >= nextNs) {
            Frames frames = frames(owner.getStackTrace());
            if (frames != null) {
                report(frames, nowNs - sinceNs);
            }
            nextNs = nextNs == FIRST_NS ? SECOND_NS : 2 * nextNs;
        }
    }

    private void report(Frames in, long lastsNs) {
        if (lastsNs >= limits.getOrDefault(in.listener, 0L)) {
            warnings.pass("engine " + engine + " has been in " + in + ", for " + seconds(lastsNs) + ": it serves no queue pair"
                + " meanwhile, and peers give up; a listener must not block, hand the work to another thread");
            limits.put(in.listener, 2 * lastsNs);
            named = in.listener;
        }
    }

    private void end(long lastedNs) {
        if (named != null) {
            warnings.pass("engine " + engine + " goes on: the listener " + named + " returned after " + seconds(lastedNs));
            named = null;
        }
    }

    private static String seconds(long ns) {
        return String.format(Locale.ROOT, "%.1f s", ns / NS_PER_S);
    }

    /** What holds an engine, for a sentence. Any thread. */
    static String describe(Thread owner) {
        StackTraceElement[] stack = owner.getStackTrace();
        Frames frames = frames(stack);
        return "thread " + owner.getName() + (frames != null ? " in " + frames : stack.length == 0 ? "" : " at " + stack[0]);
    }

    /** The application's frames in a listener that a channel called; null where there is none in a stack. Any thread. */
    static Frames frames(StackTraceElement[] stack) {
        for (int depth = 1; depth < stack.length; depth++) {
            if (isChannel(stack[depth]) && !isChannel(stack[depth - 1]) && !isJava(stack[depth - 1])) {
                return frames(stack, depth);
            }
        }
        return null;
    }

    /** Layers of rxe above the channels come between these and the application; where there is nothing else, they are the application. */
    private static Frames frames(StackTraceElement[] stack, int channel) {
        Frames own = frames(stack, channel, "io.rxe.");
        Frames any = own == null ? frames(stack, channel, "java.") : own;
        return any == null ? new Frames(text(stack[channel - 1]), text(stack[channel - 1])) : any;
    }

    private static Frames frames(StackTraceElement[] stack, int channel, String without) {
        StackTraceElement listener = null;
        StackTraceElement at = null;
        for (int depth = channel - 1; depth >= 0; depth--) {
            String name = stack[depth].getClassName();
            if (!isJava(stack[depth]) && !name.contains("$$Lambda") && !name.startsWith(without)) {
                listener = listener == null ? stack[depth] : listener;
                at = stack[depth];
            }
        }
        return listener == null ? null : new Frames(text(listener), text(at));
    }

    /** Without the loader and the module, which the frame's own text begins with. */
    private static String text(StackTraceElement frame) {
        return frame.getClassName() + '.' + frame.getMethodName() + '(' + frame.getFileName() + ':' + frame.getLineNumber() + ')';
    }

    private static boolean isJava(StackTraceElement frame) {
        return frame.getClassName().startsWith("java.") || frame.getClassName().startsWith("jdk.");
    }

    private static boolean isChannel(StackTraceElement frame) {
        return frame.getClassName().equals(CompletionChannel.class.getName())
            || frame.getClassName().equals(CmEventChannel.class.getName());
    }
}
