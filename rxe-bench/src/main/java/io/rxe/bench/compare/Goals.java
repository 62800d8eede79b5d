package io.rxe.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The ratios to be reached, and a few that help to understand them. */
public final class Goals {
    /** Stands for the contender where a goal is a figure, not a ratio. */
    public static final String ABSOLUTE = "absolute";

    private static final String OWN_WRITE = "our WRITE";
    private static final String GIGABITS = "Gbit/s";
    private static final String MICROSECONDS = "us";
    private static final String MESSAGE_RATE = "SEND of 64 B, messages per second";
    private static final int LARGE = 65_536;
    private static final int HUGE = 1 << 20;

    private final List<Goal> goals = new ArrayList<>();

    private Goals() {
    }

    /** All of them, in the order of the table. */
    public static List<Goal> all() {
        Goals all = new Goals();
        all.goodput(4096, 0.70, 8192, 1.5);
        all.goodput(1024, 0.60, 1408, 4);
        for (int mtu : new int[] {4096, 1024}) {
            for (int size : new int[] {LARGE, HUGE}) {
                String work = work("READ", size, mtu);
                String ours = key("read", size, mtu);
                all.atLeast(work, GIGABITS, ours, OWN_WRITE, List.of(key("write", size, mtu)), 0.9);
                all.atLeast(work, GIGABITS, ours, PeerJobs.LIMIT, List.of("c/gro/" + mtu), Double.NaN);
                all.atLeast(work, GIGABITS, ours, OwnJobs.RAW, List.of("raw/gro/" + mtu), Double.NaN);
            }
        }
        for (int mtu : new int[] {4096, 1024}) {
            for (String operation : new String[] {"send", "write"}) {
                String work = work(operation.toUpperCase(Locale.ROOT), HUGE, mtu) + ", --gro off";
                String ours = "rxe/single/" + operation + '/' + HUGE + '/' + mtu;
                all.atLeast(work, GIGABITS, ours, PeerJobs.LIMIT, List.of("c/mmsg/" + mtu), 0.6);
                all.atLeast(work, GIGABITS, ours, OwnJobs.RAW, List.of("raw/single/" + mtu), Double.NaN);
            }
        }
        all.atLeast(MESSAGE_RATE, "1/s", "rxe/rate", ABSOLUTE, List.of(), 1e6);
        all.atLeast(MESSAGE_RATE, "1/s", "rxe/rate", PeerJobs.LIMIT, List.of("c/rate"), 0.25);
        all.atLeast(MESSAGE_RATE, "1/s", "rxe/rate", PeerJobs.UCX, List.of("ucx/rate"), 5);
        all.atLeast(MESSAGE_RATE, "1/s", "rxe/rate", OwnJobs.RAW, List.of("raw/rate"), Double.NaN);
        all.roundTrips("spinning", "spin", 1.5, 2);
        all.roundTrips("blocking", "block", 1.3, 1.4);
        return all.goals;
    }

    /** The works of the short table and of the picture. */
    public static List<String> headline() {
        return List.of(work("SEND", LARGE, 4096), work("WRITE", HUGE, 4096), work("SEND", LARGE, 1024), work("READ", HUGE, 4096),
            MESSAGE_RATE, roundTrip("spinning", "p50"));
    }

    private void goodput(int mtu, double ofLimit, int aeronMtu, double timesAeron) {
        for (int size : new int[] {LARGE, HUGE}) {
            for (String operation : new String[] {"send", "write"}) {
                String work = work(operation.toUpperCase(Locale.ROOT), size, mtu);
                String ours = key(operation, size, mtu);
                atLeast(work, GIGABITS, ours, PeerJobs.LIMIT, List.of("c/gro/" + mtu), ofLimit);
                atLeast(work, GIGABITS, ours, OwnJobs.RAW, List.of("raw/gro/" + mtu), Double.NaN);
                atLeast(work, GIGABITS, ours, PeerJobs.AERON,
                    List.of("aeron/shared/" + aeronMtu, "aeron/dedicated/" + aeronMtu), timesAeron);
                if (mtu == 4096) {
                    atLeast(work, GIGABITS, ours, PeerJobs.FABRIC, List.of("fabric/" + size), 5);
                    atLeast(work, GIGABITS, ours, PeerJobs.UCX, List.of("ucx/" + size), size == LARGE ? 1 : Double.NaN);
                    atLeast(work, GIGABITS, ours, PeerJobs.IPERF, List.of("iperf/tcp"), Double.NaN);
                }
            }
        }
    }

    private void roundTrips(String how, String key, double median, double tail) {
        for (String percentile : new String[] {"p50", "p99"}) {
            String work = roundTrip(how, percentile);
            String ours = "rxe/" + key + '/' + percentile;
            goals.add(new Goal(work, MICROSECONDS, ours, PeerJobs.LIMIT, List.of("c/" + key + '/' + percentile),
                percentile.equals("p50") ? median : tail, true));
            goals.add(new Goal(work, MICROSECONDS, ours, OwnJobs.RAW, List.of("raw/" + key + '/' + percentile), Double.NaN, true));
        }
    }

    private void atLeast(String work, String unit, String ours, String against, List<String> theirs, double bound) {
        goals.add(new Goal(work, unit, ours, against, theirs, bound, false));
    }

    private static String roundTrip(String how, String percentile) {
        return "SEND of 64 B, round trip, " + how + ", " + percentile;
    }

    private static String key(String operation, int size, int mtu) {
        return "rxe/" + operation + '/' + size + '/' + mtu;
    }

    private static String work(String operation, int size, int mtu) {
        return operation + " of " + (size == LARGE ? "64 KiB" : "1 MiB") + ", MTU " + mtu;
    }
}
