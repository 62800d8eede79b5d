package io.rxe.verbs;

/** What a FLUSH demands of the memory it names; combine with {@code |}. Values as in {@code ibv_placement_type}. */
public final class FlushType {
    /** Global visibility: all who read the memory see what was written. */
    public static final int GLOBAL = 1;
    /** Persistence: what was written is in the file that the memory maps. */
    public static final int PERSISTENT = 1 << 1;
    /** Both. */
    public static final int ALL = GLOBAL | PERSISTENT;

    private FlushType() {
    }
}
