package io.rxe.tools.sequence;

import java.util.ArrayList;
import java.util.List;

/** Times in which a direction waited: for a receiver that was not ready, for credits, or for a peer that was silent. */
final class Bands {
    private static final int MOST = 400;

    private final List<Band> all = new ArrayList<>();
    private final long[] totalNs = new long[Why.values().length];
    private final long[] counts = new long[Why.values().length];
    private final long[] longestNs = new long[Why.values().length];

    enum Why {
        RNR("RNR wait", "T8"),
        CREDIT("wait for credits", "Q15"),
        SILENCE("silence", "T2");

        private final String text;
        private final String rule;

        Why(String text, String rule) {
            this.text = text;
            this.rule = rule;
        }

        String text() {
            return text;
        }

        String rule() {
            return rule;
        }
    }

    /** From one time to another, in ns since the beginning of the capture. */
    record Band(Why why, long beginNs, long endNs) {
        /** How much of it lies between two times. */
        long withinNs(long fromNs, long untilNs) {
            return Math.max(0, Math.min(endNs, untilNs) - Math.max(beginNs, fromNs));
        }
    }

    /** Beyond the limit the shortest is forgotten, and only counted. */
    void add(Why why, long beginNs, long endNs) {
        int at = why.ordinal();
        totalNs[at] += endNs - beginNs;
        longestNs[at] = Math.max(longestNs[at], endNs - beginNs);
        counts[at]++;
        all.add(new Band(why, beginNs, endNs));
        if (all.size() > MOST) {
            int shortest = 0;
            for (int i = 1; i < all.size(); i++) {
                shortest = length(i) < length(shortest) ? i : shortest;
            }
            all.remove(shortest);
        }
    }

    private long length(int band) {
        return all.get(band).endNs() - all.get(band).beginNs();
    }

    List<Band> all() {
        return all;
    }

    long count(Why why) {
        return counts[why.ordinal()];
    }

    long totalNs(Why why) {
        return totalNs[why.ordinal()];
    }

    long longestNs(Why why) {
        return longestNs[why.ordinal()];
    }
}
