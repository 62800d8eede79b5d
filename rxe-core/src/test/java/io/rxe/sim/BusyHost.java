package io.rxe.sim;

/** A host whose processors run other programs in turn: its NIC's thread runs for a while and then does not, as long as chance has it. */
final class BusyHost {
    private final SeededRandom random;
    private final long runsNs;
    private final long mostAwayNs;
    private long awayFromNs;
    private long backAtNs;

    /**
     * @param runsNs     how long the thread runs at a time.
     * @param mostAwayNs how long it does not run then, at most.
     */
    BusyHost(SeededRandom random, long runsNs, long mostAwayNs) {
        this.random = random;
        this.runsNs = runsNs;
        this.mostAwayNs = mostAwayNs;
    }

    /** Since when the thread does not run; {@link Long#MAX_VALUE} while it runs. */
    long awaySinceNs(long nowNs) {
        while (nowNs >= backAtNs) {
            awayFromNs = backAtNs + runsNs / 2 + random.between(0, (int) runsNs);
            backAtNs = awayFromNs + random.between(0, (int) mostAwayNs);
        }
        return nowNs < awayFromNs ? Long.MAX_VALUE : awayFromNs;
    }

    /** When the thread runs next, at a time or later. */
    long runsFromNs(long nowNs) {
        return awaySinceNs(nowNs) == Long.MAX_VALUE ? nowNs : backAtNs;
    }
}
