package io.rxe.memory;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Copies between packets and the pieces of a {@link ScatterGatherList}. Stateless.
 *
 * <p>Each copy looks its keys up anew: a region that was deregistered in the middle of a message is found missing.
 */
public final class ScatterGather {
    private ScatterGather() {
    }

    /** Whether every piece with bytes in it names memory of this domain with these rights (rules Q2, R11). */
    public static boolean isUsable(ScatterGatherList list, KeyCache keys, int domain, int needed) {
        for (int i = 0; i < list.count(); i++) {
            if (list.length(i) != 0 && keys.find(list.key(i), domain, needed, list.address(i), list.length(i)) == null) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies part of a message out of memory into a packet.
     *
     * @param offset where in the message, in bytes.
     * @return false when a piece cannot be used; part of the packet may have been written.
     */
    public static boolean gather(ScatterGatherList list, KeyCache keys, int domain, long offset,
                                 MutableDirectBuffer target, int targetIndex, int lengthBytes) {
        long skip = offset;
        int done = 0;
        for (int i = 0; i < list.count() && done < lengthBytes; i++) {
            int length = list.length(i);
            if (skip >= length) {
                skip -= length;
                continue;
            }
            int step = (int) Math.min(length - skip, lengthBytes - done);
            long address = list.address(i) + skip;
            Region region = keys.find(list.key(i), domain, 0, address, step);
            if (region == null) {
                return false;
            }
            region.read(address, target, targetIndex + done, step);
            done += step;
            skip = 0;
        }
        return done == lengthBytes;
    }

    /**
     * Copies a packet's payload into memory.
     *
     * @param needed access bits the pieces must grant.
     * @param offset where in the message, in bytes.
     * @return false when a piece cannot be used or the list is too short; part of the payload may have been written.
     */
    public static boolean scatter(ScatterGatherList list, KeyCache keys, int domain, int needed,
                                  long offset, DirectBuffer source, int sourceIndex, int lengthBytes) {
        long skip = offset;
        int done = 0;
        for (int i = 0; i < list.count() && done < lengthBytes; i++) {
            int length = list.length(i);
            if (skip >= length) {
                skip -= length;
                continue;
            }
            int step = (int) Math.min(length - skip, lengthBytes - done);
            long address = list.address(i) + skip;
            Region region = keys.find(list.key(i), domain, needed, address, step);
            if (region == null) {
                return false;
            }
            region.write(address, source, sourceIndex + done, step);
            done += step;
            skip = 0;
        }
        return done == lengthBytes;
    }
}
