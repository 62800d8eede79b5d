package io.rxe.verbs;

/** Rights of a memory region or a queue pair, to be combined with {@code |}; values as in libibverbs. */
public final class AccessFlags {
    /** The NIC may write: needed for receives and for the local side of READs and atomics. */
    public static final int LOCAL_WRITE = 1;
    /** A peer may RDMA WRITE. */
    public static final int REMOTE_WRITE = 1 << 1;
    /** A peer may RDMA READ. */
    public static final int REMOTE_READ = 1 << 2;
    /** A peer may COMPARE_AND_SWAP and FETCH_AND_ADD. */
    public static final int REMOTE_ATOMIC = 1 << 3;
    /** A peer may invalidate the key of this region with SEND_WITH_INVALIDATE. Ours: libibverbs has windows for this. */
    public static final int REMOTE_INVALIDATE = 1 << 8;

    /** Every flag there is. */
    public static final int ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | REMOTE_INVALIDATE;

    private AccessFlags() {
    }

    /**
     * Checks flags that came from an application.
     *
     * @throws IllegalArgumentException for unknown bits, or remote write or atomic without local write.
     */
    public static void validate(int flags) {
        if ((flags & ~ALL) != 0) {
            throw new IllegalArgumentException("access flags 0x" + Integer.toHexString(flags) + " have unknown bits 0x"
                + Integer.toHexString(flags & ~ALL) + ": combine the constants of AccessFlags");
        }
        if ((flags & (REMOTE_WRITE | REMOTE_ATOMIC)) != 0 && (flags & LOCAL_WRITE) == 0) {
            throw new IllegalArgumentException("access flags " + describe(flags)
                + " grant a peer what the NIC itself may not do: add LOCAL_WRITE");
        }
    }

    /** The flags by name, joined by {@code |}; {@code none} for 0. */
    public static String describe(int flags) {
        StringBuilder text = new StringBuilder();
        append(text, flags, LOCAL_WRITE, "LOCAL_WRITE");
        append(text, flags, REMOTE_WRITE, "REMOTE_WRITE");
        append(text, flags, REMOTE_READ, "REMOTE_READ");
        append(text, flags, REMOTE_ATOMIC, "REMOTE_ATOMIC");
        append(text, flags, REMOTE_INVALIDATE, "REMOTE_INVALIDATE");
        return text.isEmpty() ? "none" : text.toString();
    }

    private static void append(StringBuilder text, int flags, int flag, String name) {
        if ((flags & flag) != 0) {
            text.append(text.isEmpty() ? "" : "|").append(name);
        }
    }
}
