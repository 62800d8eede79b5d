package io.rxe.tools.endurance;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.tools.cli.NicOptionsWithoutAddress;
import io.rxe.tools.endurance.Site.Load;
import io.rxe.tools.endurance.Tally.Count;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** One run: opens sites and children, samples, kills and floods while it lasts, and judges. */
final class EnduranceRun {
    private static final int SAMPLES = 120;
    /** The part of a run that is not judged: compilers work, tables and pools reach their size. */
    private static final double WARM_UP = 0.3;
    /** As long as connection management remembers a peer that confirmed nothing. */
    private static final double LEAST_WARM_UP_S = 150;
    private static final long LEAST_SAMPLE_MS = 1000;
    private static final double KILL_EVERY_S = 15;
    private static final double FLOOD_EVERY_S = 10;
    /** Longer than any machine is too busy, and than a lost packet costs. */
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(120);
    private static final int CHILD_SHARE = 5;
    private static final Load LOAD = new Load(4, 0.02);

    private final Plan plan;
    private final PrintWriter out;
    private final Tally tally = new Tally();
    private final Random random = new Random();
    private final List<Site> sites = new ArrayList<>();
    private final List<EnduranceChild> children = new ArrayList<>();
    private final List<ResourceSample> samples = new ArrayList<>();
    private int mostQueuePairs;
    private long lastMessages;
    private long lastMessageNs;

    /**
     * What to run.
     *
     * @param minutes    how long.
     * @param queuePairs of this process.
     * @param nics       of this process.
     * @param children   processes to be killed, which share a fifth of the queue pairs.
     * @param fault      on every NIC.
     * @param hostile    datagrams in a burst; 0 for none.
     * @param udpPort    of all NICs.
     * @param planted    leak, or null.
     */
    record Plan(double minutes, int queuePairs, int nics, int children, FaultSpec fault, int hostile, int udpPort, Leak planted) {
        List<String> addresses() {
            List<String> result = new ArrayList<>();
            for (int i = 1; i <= nics; i++) {
                result.add("127.0.1." + i);
            }
            return result;
        }
    }

    EnduranceRun(Plan plan, PrintWriter out) {
        this.plan = plan;
        this.out = out;
    }

    /** Returns whether nothing was wrong and nothing grew. */
    boolean run() throws IOException, InterruptedException {
        try {
            open();
            last();
        } finally {
            for (EnduranceChild child : children) {
                child.stop();
            }
            for (Site site : sites) {
                site.close();
            }
        }
        return report();
    }

    private void open() throws IOException {
        List<String> addresses = plan.addresses();
        int ofChildren = plan.children == 0 ? 0 : plan.queuePairs / CHILD_SHARE;
        // Both ends of the other connections are here.
        int each = (plan.queuePairs - ofChildren) / 2 / plan.nics;
        for (String address : addresses) {
            List<Gid> others = addresses.stream().filter(other -> !other.equals(address)).map(Gid::parse).toList();
            RxeNicOptions options = RxeNicOptions.defaults(address).withUdpPort(plan.udpPort).withCounterFile(false)
                .withFault(plan.fault.layer(random.nextLong())).withWarnings(sentence -> { });
            RxeNic nic = NicOptionsWithoutAddress.open(options);
            sites.add(new Site(nic, others, each, plan.queuePairs, LOAD, tally));
        }
        for (int i = 1; i <= plan.children; i++) {
            List<String> words = new ArrayList<>(List.of("-d", "127.0.2." + i, "--udp-port", "" + plan.udpPort, "--fault",
                plan.fault.toString(), "--connections", "" + ofChildren / plan.children));
            words.addAll(addresses);
            children.add(new EnduranceChild(words, tally));
        }
    }

    /** The time of the run. */
    private void last() throws IOException, InterruptedException {
        long lengthMs = Math.round(plan.minutes * TimeUnit.MINUTES.toMillis(1));
        long sampleMs = Math.max(LEAST_SAMPLE_MS, lengthMs / SAMPLES);
        Hostile hostile = new Hostile(plan.addresses(), plan.udpPort, tally);
        if (plan.hostile > 0) {
            hostile.fill();
        }
        long beganNs = System.nanoTime();
        double nextKillS = KILL_EVERY_S;
        double nextFloodS = FLOOD_EVERY_S;
        for (long atMs = sampleMs; atMs <= lengthMs && tally.defects() == 0; atMs += sampleMs) {
            sleepUntil(beganNs + TimeUnit.MILLISECONDS.toNanos(atMs));
            double nowS = atMs / 1e3;
            if (nowS >= nextFloodS && plan.hostile > 0) {
                nextFloodS = nowS + FLOOD_EVERY_S;
                hostile.burst(plan.hostile);
            }
            if (nowS >= nextKillS && !children.isEmpty()) {
                nextKillS = nowS + KILL_EVERY_S;
                children.get(random.nextInt(children.size())).killAndRestart();
            }
            sample();
        }
    }

    private static void sleepUntil(long timeNs) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, timeNs - System.nanoTime()));
    }

    private void sample() throws IOException {
        if (plan.planted != null) {
            plan.planted.grow();
        }
        long messages = tally.get(Count.MESSAGES);
        samples.add(ResourceSample.take());
        mostQueuePairs = Math.max(mostQueuePairs, sites.stream().mapToInt(Site::queuePairs).sum());
        long nowNs = System.nanoTime();
        if (messages != lastMessages || samples.size() == 1) {
            lastMessages = messages;
            lastMessageNs = nowNs;
        } else if (nowNs - lastMessageNs > STALL_NS) {
            tally.defect("no message arrived for " + TimeUnit.NANOSECONDS.toSeconds(STALL_NS) + " s: the transfers have stalled");
        }
    }

    private boolean report() {
        out.printf(Locale.ROOT, "%.1f minutes, %d NICs and %d child processes, at most %d queue pairs here, fault %s%n%n", plan.minutes,
            plan.nics, plan.children, mostQueuePairs, plan.fault);
        out.println("| what | count |");
        out.println("|---|--:|");
        for (Count count : Count.values()) {
            out.printf(Locale.ROOT, "| %s | %d |%n", count.title(), tally.get(count));
        }
        boolean isFlat = judge();
        for (String sentence : tally.defectSentences()) {
            out.println("DEFECT: " + sentence);
        }
        boolean isGood = isFlat && tally.defects() == 0;
        out.println(isGood ? "nothing was wrong, nothing grew" : "FAILED");
        return isGood;
    }

    private boolean judge() {
        int first = (int) Math.ceil(samples.size() * Math.max(WARM_UP, LEAST_WARM_UP_S / TimeUnit.MINUTES.toSeconds(1) / plan.minutes));
        if (samples.size() - first < Trend.LEAST_SAMPLES) {
            out.printf("%n%d samples behind the warm-up are too few to judge%n", samples.size() - first);
            return false;
        }
        boolean isFlat = true;
        out.println();
        out.println("| resource | before | after | growth | allowed | |");
        out.println("|---|--:|--:|--:|--:|---|");
        for (Resource resource : Resource.values()) {
            Trend trend = Trend.of(resource, samples.stream().skip(first).mapToDouble(sample -> sample.values().get(resource)).toArray());
            out.printf(Locale.ROOT, "| %s | %.1f | %.1f | %+.1f | %.1f | %s |%n", resource.title(), trend.before(), trend.after(),
                trend.growth(), trend.allowed(), trend.isFlat() ? "flat" : "GROWS");
            isFlat &= trend.isFlat();
        }
        out.println();
        return isFlat;
    }
}
