package io.rxe.memory;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Copies between packets and the elements of a {@link ScatterGatherList}. Stateless.
 *
 * <p>Each copy looks the keys up again, so it fails when a region was deregistered in the middle of a message. It also fails when the
 * memory faults.
 */
public final class ScatterGather {
    private ScatterGather() {
    }

    /** Whether all elements that are not empty name memory of this domain with these rights (rules Q2, R11). */
    public static boolean isUsable(ScatterGatherList list, KeyCache keys, int domain, int needed) {
        for (int i = 0; i < list.count(); i++) {
            if (list.length(i) != 0 && keys.find(list.key(i), domain, needed, list.address(i), list.length(i)) == null) {
                return false;
            }
        }
        return true;
    }

    /** Names the first element that {@link #isUsable} refuses, with what is wrong with it, for an explanation. */
    public static String describeUnusable(ScatterGatherList list, KeyCache keys, int domain, int needed) {
        for (int i = 0; i < list.count(); i++) {
            if (list.length(i) != 0 && keys.find(list.key(i), domain, needed, list.address(i), list.length(i)) == null) {
                return "element " + i + " (" + list.length(i) + " bytes at address 0x" + Long.toHexString(list.address(i)) + ", lkey 0x"
                    + Integer.toHexString(list.key(i)) + "): " + wrong(list, i, keys.find(list.key(i)), domain);
            }
        }
        return "its memory is not there: it was unmapped or protected, or maps a file that was truncated";
    }

    private static String wrong(ScatterGatherList list, int index, Region region, int domain) {
        if (region == null) {
            return "no registered memory region has this key";
        }
        if (region.domain() != domain) {
            return "that memory region belongs to protection domain " + region.domain() + ", the queue pair to " + domain;
        }
        if (!region.contains(list.address(index), list.length(index))) {
            return "that memory region has " + Long.toUnsignedString(region.length()) + " bytes from address 0x"
                + Long.toHexString(region.baseAddress()) + " on";
        }
        return "that memory region was registered without LOCAL_WRITE";
    }

    /**
     * Copies part of a message from memory into a packet.
     *
     * @param offset of the part in the message, in bytes.
     * @return false when an element cannot be used; part of the packet may have been written.
     */
    public static boolean gather(ScatterGatherList list, KeyCache keys, int domain, long offset,
                                 MutableDirectBuffer target, int targetIndex, int lengthBytes) {
        long skip = offset;
        int done = 0;
        for (int i = 0; i < list.count() && done < lengthBytes; i++) {
            long length = list.length(i);
            if (skip >= length) {
                skip -= length;
                continue;
            }
            int step = (int) Math.min(length - skip, lengthBytes - done);
            long address = list.address(i) + skip;
            Region region = keys.find(list.key(i), domain, 0, address, step);
            if (region == null || !region.read(address, target, targetIndex + done, step)) {
                return false;
            }
            done += step;
            skip = 0;
        }
        return done == lengthBytes;
    }

    /**
     * Copies the payload of a packet into memory.
     *
     * @param needed access bits the elements must grant.
     * @param offset of the payload in the message, in bytes.
     * @return false when an element cannot be used or the list is too short; part of the payload may have been written.
     */
    public static boolean scatter(ScatterGatherList list, KeyCache keys, int domain, int needed,
                                  long offset, DirectBuffer source, int sourceIndex, int lengthBytes) {
        long skip = offset;
        int done = 0;
        for (int i = 0; i < list.count() && done < lengthBytes; i++) {
            long length = list.length(i);
            if (skip >= length) {
                skip -= length;
                continue;
            }
            int step = (int) Math.min(length - skip, lengthBytes - done);
            long address = list.address(i) + skip;
            Region region = keys.find(list.key(i), domain, needed, address, step);
            if (region == null || !region.write(address, source, sourceIndex + done, step)) {
                return false;
            }
            done += step;
            skip = 0;
        }
        return done == lengthBytes;
    }
}
