package io.rxe.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * Buffers of arenas (JDK 22 and later). Closing an arena frees its memory at once, whoever still uses it, and agrona's buffers do not ask:
 * the next packet for the memory would crash the JVM. Reached by name, because the project compiles for JDK 17.
 */
final class ArenaMemory {
    /** Scopes of arenas that can be closed; the public API does not say which. Those of other memory end when nothing refers to it. */
    private static final Set<String> CLOSEABLE = Set.of("ConfinedSession", "SharedSession");
    /** The scope of a buffer's memory; null on a JDK without arenas. */
    private static final MethodHandle SCOPE = scope();

    private ArenaMemory() {
    }

    private static MethodHandle scope() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            Class<?> scope = Class.forName("java.lang.foreign.MemorySegment$Scope");
            return MethodHandles.filterReturnValue(
                lookup.findStatic(segment, "ofBuffer", MethodType.methodType(segment, java.nio.Buffer.class)),
                lookup.findVirtual(segment, "scope", MethodType.methodType(scope)));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** Whether the memory of a direct buffer is freed when its arena is closed. */
    static boolean isCloseable(ByteBuffer buffer) {
        if (SCOPE == null) {
            return false;
        }
        try {
            return CLOSEABLE.contains(SCOPE.invoke(buffer).getClass().getSimpleName());
        } catch (Throwable e) {
            throw new IllegalStateException("the arena of a buffer of " + buffer.remaining() + " bytes cannot be asked for: " + e, e);
        }
    }
}
