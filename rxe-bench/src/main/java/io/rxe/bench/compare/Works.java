package io.rxe.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The rows of the tables, with the ratios to be reached. */
public final class Works {
    /** Stands for the contender where a goal is a figure, not a ratio. */
    public static final String ABSOLUTE = "absolute";
    /** The better of C and Java on raw sockets. */
    public static final String LIMIT = "limit";
    /** Queue pairs of the row with many. */
    static final int MANY_QUEUE_PAIRS = 100;

    private static final String OWN_WRITE = "our WRITE";
    private static final String OWN_SINGLE = "one queue pair";
    private static final String GIGABITS = "Gbit/s";
    private static final String RATE = "1/s";
    private static final String SMALL = " of 64 B, messages per second";
    private static final String SEND_RATE = "SEND" + SMALL;
    private static final int LARGE = 65_536;
    private static final int HUGE = 1 << 20;
    private static final int[] SIZES = {LARGE, HUGE};
    private static final int[] MTUS = {4096, 1024};
    private static final String[] SEND_AND_WRITE = {"send", "write"};

    private Works() {
    }

    /** The rows of the table for loopback. */
    static List<Work> loopback() {
        List<Work> works = new ArrayList<>();
        for (int mtu : MTUS) {
            for (int size : SIZES) {
                for (String operation : SEND_AND_WRITE) {
                    works.add(withPeers(goodput(operation, size, mtu).goal(LIMIT, mtu == 4096 ? 0.9 : 0.8), size, mtu));
                }
            }
        }
        for (int mtu : MTUS) {
            for (int size : SIZES) {
                works.add(goodput("read", size, mtu).with(OWN_WRITE, key("write", size, mtu)).goal(OWN_WRITE, 0.95));
            }
        }
        for (int mtu : MTUS) {
            for (String operation : SEND_AND_WRITE) {
                works.add(Work.of(name(operation, HUGE, mtu) + ", --gro off", GIGABITS, false,
                    "rxe/single/" + operation + '/' + HUGE + '/' + mtu)
                    .within(List.of("c/mmsg/" + mtu, "c/single/" + mtu), "raw/single/" + mtu).goal(LIMIT, 0.85));
            }
        }
        addRates(works);
        for (String percentile : List.of("p50", "p99")) {
            works.add(roundTrip("spinning", "spin", percentile).goal(OwnJobs.RAW, percentile.equals("p50") ? 1.25 : 1.5));
        }
        for (String percentile : List.of("p50", "p99")) {
            works.add(roundTrip("blocking", "block", percentile).goal(LIMIT, 1.1));
        }
        return works;
    }

    private static Work withPeers(Work work, int size, int mtu) {
        String aeron = mtu == 4096 ? "8192" : "1408";
        Work compared = work.with(PeerJobs.AERON, "aeron/shared/" + aeron, "aeron/dedicated/" + aeron)
            .goal(PeerJobs.AERON, mtu == 4096 ? 1.5 : 4);
        if (mtu == 4096) {
            compared = compared.with(PeerJobs.FABRIC, "fabric/" + size).goal(PeerJobs.FABRIC, 5)
                .with(PeerJobs.UCX, "ucx/" + size).with(PeerJobs.IPERF, "iperf/tcp");
            return size == LARGE ? compared.goal(PeerJobs.UCX, 1) : compared;
        }
        return compared;
    }

    private static void addRates(List<Work> works) {
        works.add(rate(SEND_RATE, "rxe/rate/send").goal(LIMIT, 0.5).with(PeerJobs.UCX, "ucx/rate").goal(PeerJobs.UCX, 5));
        works.add(rate("WRITE" + SMALL, "rxe/rate/write").goal(LIMIT, 0.6));
        works.add(rate("READ" + SMALL, "rxe/rate/read").goal(ABSOLUTE, 1.5e6));
        works.add(rate("CMP_SWAP, messages per second", "rxe/rate/compare_and_swap").goal(ABSOLUTE, 1.5e6));
        works.add(rate("FETCH_ADD, messages per second", "rxe/rate/fetch_and_add").goal(ABSOLUTE, 1.5e6));
        works.add(rate(SEND_RATE + ", " + MANY_QUEUE_PAIRS + " queue pairs", "rxe/many/send")
            .with(OWN_SINGLE, "rxe/rate/send").goal(OWN_SINGLE, 1));
    }

    private static Work rate(String name, String ours) {
        return Work.of(name, RATE, false, ours).within(List.of("c/rate", "c/gather/rate"), "raw/rate");
    }

    private static Work roundTrip(String how, String key, String percentile) {
        return Work.of(roundTripName(how, percentile), "us", true, "rxe/" + key + '/' + percentile)
            .within(List.of("c/" + key + '/' + percentile), "raw/" + key + '/' + percentile);
    }

    private static Work goodput(String operation, int size, int mtu) {
        return Work.of(name(operation, size, mtu), GIGABITS, false, key(operation, size, mtu))
            .within(List.of("c/gro/" + mtu, "c/gather/" + mtu), "raw/gro/" + mtu);
    }

    /** The rows of the table for network namespaces that veth pairs join. */
    static List<Work> veth() {
        List<Work> works = new ArrayList<>();
        for (VethLink link : VethLink.ALL) {
            for (String[] bulk : VethJobs.BULK) {
                Work work = Work.of(name(bulk[0], Integer.parseInt(bulk[1]), link.pathMtu()) + ", " + link.name(), GIGABITS, false,
                    link.key("rxe/" + bulk[0] + '/' + bulk[1]))
                    .within(List.of(link.key("c/gro"), link.key("c/gather"), link.key("c/mmsg")), link.key("raw"))
                    .with(PeerJobs.IPERF, link.key("iperf/tcp")).with(PeerJobs.IPERF_UDP, link.key("iperf/udp"))
                    .goal(LIMIT, 0.85).goal(PeerJobs.IPERF, 1);
                works.add(link.mtu() == VethLink.ETHERNET_MTU ? work.goal(PeerJobs.IPERF_UDP, 5) : work);
            }
        }
        return works;
    }

    /** The works of the short table and of the picture. */
    public static List<String> headline() {
        return List.of(name("send", LARGE, 4096), name("write", HUGE, 4096), name("send", LARGE, 1024), name("read", HUGE, 4096),
            SEND_RATE, roundTripName("spinning", "p50"));
    }

    private static String roundTripName(String how, String percentile) {
        return "SEND of 64 B, round trip, " + how + ", " + percentile;
    }

    private static String key(String operation, int size, int mtu) {
        return "rxe/" + operation + '/' + size + '/' + mtu;
    }

    private static String name(String operation, int size, int mtu) {
        return operation.toUpperCase(Locale.ROOT) + " of " + (size == LARGE ? "64 KiB" : "1 MiB") + ", MTU " + mtu;
    }
}
