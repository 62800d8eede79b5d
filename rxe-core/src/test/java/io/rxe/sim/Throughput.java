package io.rxe.sim;

import org.agrona.collections.LongArrayList;

/** How much payload arrived when. Times count from its begin; round trips are those of the path. */
final class Throughput {
    /** Parts of a round trip that it tells apart. */
    private static final int PARTS = 8;

    private final LongArrayList bytesByPart = new LongArrayList();
    private final long beginNs;
    private final long partNs;

    Throughput(long beginNs, long roundTripNs) {
        this.beginNs = beginNs;
        this.partNs = Math.max(1, roundTripNs / PARTS);
    }

    void add(int bytes, long nowNs) {
        int part = (int) ((nowNs - beginNs) / partNs);
        while (bytesByPart.size() <= part) {
            bytesByPart.addLong(0);
        }
        bytesByPart.setLong(part, bytesByPart.getLong(part) + bytes);
    }

    double bitsPerSecond(long fromNs, long untilNs) {
        int first = (int) (fromNs / partNs);
        int end = (int) (untilNs / partNs);
        long bytes = 0;
        for (int part = first; part < Math.min(end, bytesByPart.size()); part++) {
            bytes += bytesByPart.getLong(part);
        }
        return bytes * 8e9 / ((end - first) * partNs);
    }

    /** When the first round trip after a time ends in which payload arrived at a rate; {@link Long#MAX_VALUE} for never. */
    long reachedNs(double bitsPerSecond, long afterNs) {
        long roundTripNs = PARTS * partNs;
        for (long from = afterNs / partNs * partNs; from / partNs + PARTS <= bytesByPart.size(); from += partNs) {
            if (bitsPerSecond(from, from + roundTripNs) >= bitsPerSecond) {
                return from + roundTripNs;
            }
        }
        return Long.MAX_VALUE;
    }
}
