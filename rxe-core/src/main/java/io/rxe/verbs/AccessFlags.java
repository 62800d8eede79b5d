package io.rxe.verbs;

/** Access rights of a memory region or a queue pair. Combine with {@code |}; values as in {@code ibv_access_flags}. */
public final class AccessFlags {
    /** The NIC may write: required for receives and for the local side of READs and atomics. */
    public static final int LOCAL_WRITE = 1;
    /** A peer may RDMA WRITE. */
    public static final int REMOTE_WRITE = 1 << 1;
    /** A peer may RDMA READ. */
    public static final int REMOTE_READ = 1 << 2;
    /** A peer may COMPARE_AND_SWAP and FETCH_AND_ADD. */
    public static final int REMOTE_ATOMIC = 1 << 3;
    /** Memory windows may be bound to this region. */
    public static final int MW_BIND = 1 << 4;
    /** The address of the first byte of a memory window is 0 for peers. For bindings of windows of type 2 only. */
    public static final int ZERO_BASED = 1 << 5;
    /** A peer may invalidate the key of this region with SEND_WITH_INVALIDATE. Specific to rxe: libibverbs uses memory windows. */
    public static final int REMOTE_INVALIDATE = 1 << 30;
    /** A peer may FLUSH to global visibility: what it has written is visible to all who read the memory. */
    public static final int FLUSH_GLOBAL = 1 << 8;
    /** A peer may FLUSH to persistence: what it has written is in the file. A region needs memory of a mapped file for it. */
    public static final int FLUSH_PERSISTENT = 1 << 9;

    /** All flags that any memory may have. */
    public static final int ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | MW_BIND | REMOTE_INVALIDATE
        | FLUSH_GLOBAL;
    private static final int KNOWN = ALL | FLUSH_PERSISTENT;
    /** All flags of a memory window. */
    public static final int WINDOW = REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | ZERO_BASED | FLUSH_GLOBAL | FLUSH_PERSISTENT;

    private AccessFlags() {
    }

    /**
     * Checks flags given by an application.
     *
     * @throws IllegalArgumentException for unknown bits, and for REMOTE_WRITE or REMOTE_ATOMIC without LOCAL_WRITE.
     */
    public static void validate(int flags) {
        requireKnown(flags);
        if ((flags & (REMOTE_WRITE | REMOTE_ATOMIC)) != 0 && (flags & LOCAL_WRITE) == 0) {
            throw new IllegalArgumentException("access flags " + describe(flags)
                + " grant a peer what the NIC itself may not do: add LOCAL_WRITE");
        }
    }

    /**
     * Checks that flags are defined.
     *
     * @throws IllegalArgumentException for unknown bits.
     */
    public static void requireKnown(int flags) {
        if ((flags & ~KNOWN) != 0) {
            throw new IllegalArgumentException("access flags 0x" + Integer.toHexString(flags) + " have unknown bits 0x"
                + Integer.toHexString(flags & ~KNOWN) + ": combine the constants of AccessFlags");
        }
    }

    /**
     * Checks flags of a memory window.
     *
     * @throws IllegalArgumentException for flags that are not in {@link #WINDOW}, and for ZERO_BASED with a window of type 1.
     */
    public static void validateWindow(MemoryWindowType type, int flags) {
        if ((flags & ~WINDOW) != 0) {
            throw new IllegalArgumentException("access flags 0x" + Integer.toHexString(flags) + " (" + describe(flags)
                + ") of a memory window have 0x" + Integer.toHexString(flags & ~WINDOW) + ", which no window can have: use "
                + describe(WINDOW));
        }
        if (type == MemoryWindowType.TYPE_1 && (flags & ZERO_BASED) != 0) {
            throw new IllegalArgumentException("a memory window of type 1 cannot be ZERO_BASED: use type 2");
        }
    }

    /** Returns the names of the flags, joined by {@code |}; {@code none} for 0. */
    public static String describe(int flags) {
        StringBuilder text = new StringBuilder();
        append(text, flags, LOCAL_WRITE, "LOCAL_WRITE");
        append(text, flags, REMOTE_WRITE, "REMOTE_WRITE");
        append(text, flags, REMOTE_READ, "REMOTE_READ");
        append(text, flags, REMOTE_ATOMIC, "REMOTE_ATOMIC");
        append(text, flags, MW_BIND, "MW_BIND");
        append(text, flags, ZERO_BASED, "ZERO_BASED");
        append(text, flags, REMOTE_INVALIDATE, "REMOTE_INVALIDATE");
        append(text, flags, FLUSH_GLOBAL, "FLUSH_GLOBAL");
        append(text, flags, FLUSH_PERSISTENT, "FLUSH_PERSISTENT");
        return text.isEmpty() ? "none" : text.toString();
    }

    private static void append(StringBuilder text, int flags, int flag, String name) {
        if ((flags & flag) != 0) {
            text.append(text.isEmpty() ? "" : "|").append(name);
        }
    }
}
