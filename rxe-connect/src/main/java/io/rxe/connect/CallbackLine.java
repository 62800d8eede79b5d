package io.rxe.connect;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where in a callback of the application a thread is now, for the sentence that names what does not return. */
final class CallbackLine {
    /** What calls the application, and what it may call on the way. */
    private static final Set<String> CALLERS = Stream.of(RxeConnection.class, RxeServer.class, ConnectionThread.class, Dispatcher.class,
        HandlerQueue.class, Messages.class, OneSided.class, OneSidedRequests.class, GuardedFuture.class, Endpoint.class, Outstanding.class,
        RequestSlots.class).map(Class::getName).collect(Collectors.toUnmodifiableSet());
    private static final Set<String> BELOW = Set.of("java.", "jdk.", "io.rxe.cm.", "io.rxe.device.", "io.rxe.net.", "io.rxe.verbs.");

    private CallbackLine() {
    }

    /** The outermost line of the application below a caller, and the thread; null if there is none. */
    static String of(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        boolean called = false;
        for (int depth = stack.length - 1; depth >= 0; depth--) {
            String name = stack[depth].getClassName();
            boolean isCaller = CALLERS.contains(name.contains("$") ? name.substring(0, name.indexOf('$')) : name);
            called |= isCaller;
            if (called && !isCaller && BELOW.stream().noneMatch(name::startsWith)) {
                return stack[depth] + " on thread " + thread.getName();
            }
        }
        return null;
    }
}
