package io.rxe.tools.sequence;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;

/** Times in which a direction waited: for a receiver that was not ready, for credits, or for a peer that was silent. */
final class Bands {
    private static final int MOST = 400;

    private final List<Band> all = new ArrayList<>();
    private final Map<Why, LongSummaryStatistics> lengths = new EnumMap<>(Why.class);

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
        long lengthNs() {
            return endNs - beginNs;
        }

        /** How much of it lies between two times. */
        long withinNs(long fromNs, long untilNs) {
            return Math.max(0, Math.min(endNs, untilNs) - Math.max(beginNs, fromNs));
        }
    }

    /** Beyond the limit the shortest is forgotten, and only counted. */
    void add(Why why, long beginNs, long endNs) {
        Band band = new Band(why, beginNs, endNs);
        lengths.computeIfAbsent(why, one -> new LongSummaryStatistics()).accept(band.lengthNs());
        all.add(band);
        if (all.size() > MOST) {
            all.remove(Collections.min(all, Comparator.comparingLong(Band::lengthNs)));
        }
    }

    List<Band> all() {
        return all;
    }

    /** How long they were, and how many. */
    LongSummaryStatistics lengthsNs(Why why) {
        return lengths.getOrDefault(why, new LongSummaryStatistics());
    }
}
