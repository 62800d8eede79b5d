package io.rxe.verbs;

/** How much memory a FLUSH names; {@code ibv_selectivity_level}. The ordinal is the value on the wire. */
public enum FlushLevel {
    /** The bytes from its address on. */
    RANGE,
    /** The whole region of its key; address and length do not matter. */
    REGION
}
