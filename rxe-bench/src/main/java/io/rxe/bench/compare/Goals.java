package io.rxe.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The ratios that were promised, and a few that help to understand them. */
public final class Goals {
    private static final String GIGABITS = "Gbit/s";
    private static final String MICROSECONDS = "us";
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
                all.atLeast(work("READ", size, mtu), GIGABITS, key("read", size, mtu), "our WRITE", List.of(key("write", size, mtu)), 0.9);
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
        String rate = "SEND of 64 B, messages a second";
        all.atLeast(rate, "1/s", "rxe/rate", "absolute", List.of(), 1e6);
        all.atLeast(rate, "1/s", "rxe/rate", PeerJobs.LIMIT, List.of("c/rate"), 0.25);
        all.atLeast(rate, "1/s", "rxe/rate", PeerJobs.UCX, List.of("ucx/rate"), 5);
        all.atLeast(rate, "1/s", "rxe/rate", OwnJobs.RAW, List.of("raw/rate"), Double.NaN);
        all.roundTrips("spinning", "spin", 1.5, 2);
        all.roundTrips("blocking", "block", 1.3, 1.4);
        return all.goals;
    }

    private void goodput(int mtu, double ofLimit, int aeronMtu, double timesAeron) {
        for (int size : new int[] {LARGE, HUGE}) {
            for (String operation : new String[] {"send", "write"}) {
                String work = work(operation.toUpperCase(Locale.ROOT), size, mtu);
                String ours = key(operation, size, mtu);
                atLeast(work, GIGABITS, ours, PeerJobs.LIMIT, List.of("c/gro/" + mtu), ofLimit);
                atLeast(work, GIGABITS, ours, OwnJobs.RAW, List.of("raw/gro/" + mtu), Double.NaN);
                atLeast(work, GIGABITS, ours, PeerJobs.AERON + ", MTU " + aeronMtu,
                    List.of("aeron/shared/" + aeronMtu, "aeron/dedicated/" + aeronMtu), timesAeron);
                if (mtu == 4096) {
                    atLeast(work, GIGABITS, ours, PeerJobs.FABRIC + " udp;ofi_rxd", List.of("fabric/" + size), 5);
                    atLeast(work, GIGABITS, ours, PeerJobs.UCX + " tcp", List.of("ucx/" + size), size == LARGE ? 1 : Double.NaN);
                    atLeast(work, GIGABITS, ours, PeerJobs.IPERF + " TCP", List.of("iperf/tcp"), Double.NaN);
                }
            }
        }
    }

    private void roundTrips(String how, String key, double median, double tail) {
        for (String percentile : new String[] {"p50", "p99"}) {
            String work = "SEND of 64 B, round trip, " + how + ", " + percentile;
            String ours = "rxe/" + key + '/' + percentile;
            goals.add(new Goal(work, MICROSECONDS, ours, PeerJobs.LIMIT, List.of("c/" + key + '/' + percentile),
                percentile.equals("p50") ? median : tail, true));
            goals.add(new Goal(work, MICROSECONDS, ours, OwnJobs.RAW, List.of("raw/" + key + '/' + percentile), Double.NaN, true));
        }
    }

    private void atLeast(String work, String unit, String ours, String against, List<String> theirs, double bound) {
        goals.add(new Goal(work, unit, ours, against, theirs, bound, false));
    }

    private static String key(String operation, int size, int mtu) {
        return "rxe/" + operation + '/' + size + '/' + mtu;
    }

    private static String work(String operation, int size, int mtu) {
        return operation + " of " + (size == LARGE ? "64 KiB" : "1 MiB") + ", MTU " + mtu;
    }
}
