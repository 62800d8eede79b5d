package io.rxe.verbs;

import io.rxe.wire.Bth;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The P_Key table of a device, the same on each of its ports. A P_Key has 16 bits: the low 15 name a partition, 1 to 0x7FFF, and bit 15
 * says that the port is a full member of it, else a limited one. Full members reach everybody in their partition, limited members reach
 * full members only. A queue pair has the P_Key at one index of the table; its packets carry it, and it drops and counts packets whose
 * P_Key does not match.
 *
 * <p>The table of an open device never changes, so that there is no event PKEY_CHANGE. A partition may be in it twice, once as a full and
 * once as a limited member. Immutable; any thread may call. Source: IBTA 10.9.
 */
public final class PartitionKeys {
    /** Most P_Keys of a table. */
    public static final int MAX_KEYS = 128;
    /** One entry, 0xFFFF: full member of the default partition. It is the only one that rdma_rxe of Linux has. */
    public static final PartitionKeys DEFAULT = of(Bth.DEFAULT_PARTITION_KEY);

    private static final int FULL_MEMBER = 0x8000;
    private static final int PARTITION = 0x7FFF;
    private static final int LARGEST = 0xFFFF;

    private final int[] keys;

    private PartitionKeys(int[] keys) {
        this.keys = keys;
    }

    /**
     * Makes a table.
     *
     * @param keys 1 to {@link #MAX_KEYS} different P_Keys, 0x0001 to 0x7FFF or 0x8001 to 0xFFFF each; the first gets index 0.
     * @throws IllegalArgumentException naming the P_Key that is out of range or there twice, or the number of P_Keys.
     */
    public static PartitionKeys of(int... keys) {
        if (keys.length == 0 || keys.length > MAX_KEYS) {
            throw new IllegalArgumentException(keys.length + " P_Keys are not in 1.." + MAX_KEYS + ": give those of the partitions that"
                + " are used; 0xffff alone is the default partition");
        }
        for (int i = 0; i < keys.length; i++) {
            int key = keys[i];
            if (key < 0 || key > LARGEST || (key & PARTITION) == 0) {
                throw new IllegalArgumentException("P_Key " + text(key) + " is not in 0x0001..0x7fff (limited member) or 0x8001..0xffff"
                    + " (full member): give the number of a partition, plus 0x8000 for a full member");
            }
            if (Arrays.stream(keys, 0, i).anyMatch(before -> before == key)) {
                throw new IllegalArgumentException("P_Key " + text(key) + " is in the table twice, once is allowed: leave one out");
            }
        }
        return new PartitionKeys(keys.clone());
    }

    /**
     * Reads a table, as options and environment variables give it: {@code 0xffff,0x8001}.
     *
     * @param list P_Keys in hexadecimal with 0x, and commas between them.
     * @throws IllegalArgumentException for text that is no P_Key, and as {@link #of}.
     */
    public static PartitionKeys parse(String list) {
        return of(Arrays.stream(list.split(",", -1)).mapToInt(PartitionKeys::number).toArray());
    }

    private static int number(String text) {
        if (!text.matches("0[xX][0-9a-fA-F]{1,7}")) {
            throw new IllegalArgumentException("'" + text + "' is no P_Key: give numbers in hexadecimal, such as 0x8001, with commas"
                + " between them");
        }
        return Integer.parseInt(text.substring(2), 16);
    }

    /** A P_Key as messages have it: 0x8001. */
    public static String text(int key) {
        return String.format(Locale.ROOT, "0x%04x", key);
    }

    /** Whether a packet with one of two P_Keys may reach a queue pair with the other: the same partition, and not both limited members. */
    public static boolean matches(int one, int other) {
        return ((one ^ other) & PARTITION) == 0 && ((one | other) & FULL_MEMBER) != 0;
    }

    /** Number of P_Keys, 1 to {@link #MAX_KEYS}. */
    public int size() {
        return keys.length;
    }

    /**
     * The P_Key at an index.
     *
     * @param index 0 to {@link #size} - 1.
     * @throws IllegalArgumentException for an index out of range, naming it, the limit and the remedy.
     */
    public int key(int index) {
        checkIndex("P_Key index", index);
        return keys[index];
    }

    /**
     * Checks an index.
     *
     * @param name of the parameter, for the message.
     * @throws IllegalArgumentException for an index that is not in 0 to {@link #size} - 1.
     */
    public void checkIndex(String name, int index) {
        if (index < 0 || index >= keys.length) {
            throw new IllegalArgumentException(name + " " + index + " is not in 0.." + (keys.length - 1)
                + ": open the NIC with that many P_Keys (RxeNicOptions.withPartitionKeys, --pkeys, RXE_PKEYS)");
        }
    }

    /** Index of the P_Key that matches one a peer uses, a full member's before a limited one's; -1 for none. */
    public int indexFor(int peerKey) {
        int found = -1;
        for (int i = 0; i < keys.length; i++) {
            if (matches(keys[i], peerKey) && (found < 0 || (keys[found] & FULL_MEMBER) == 0)) {
                found = i;
            }
        }
        return found;
    }

    /** All P_Keys in the order of their indexes. */
    public List<Integer> keys() {
        return Arrays.stream(keys).boxed().toList();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PartitionKeys table && Arrays.equals(keys, table.keys);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(keys);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return Arrays.stream(keys).mapToObj(PartitionKeys::text).collect(Collectors.joining(","));
    }
}
