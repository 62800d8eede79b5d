package io.rxe.tools.perftest.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.tools.perftest.handshake.BandwidthReport;
import io.rxe.tools.perftest.handshake.KeyRecord;
import io.rxe.tools.perftest.measure.LatencySamples;
import io.rxe.tools.perftest.measure.PeakFinder;
import io.rxe.tools.perftest.plan.PerftestAmount;
import io.rxe.tools.perftest.plan.PerftestKind;
import io.rxe.tools.perftest.plan.PerftestPath;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.tools.perftest.plan.PerftestQueues;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

@DisplayName("The output is that of perftest 4.5+0.17 between two kernel hosts")
class PerftestOutputTest {
    private static final String LINE = "---------------------------------------------------------------------------------------\n";

    private final StringWriter text = new StringWriter();

    @Test
    void headingOfAServerOfWrites() {
        printer(false, SampleListing.NONE).heading(plan(PerftestKind.WRITE_BW, true, false), false, false);
        assertEquals(LINE + """
                                RDMA_Write BW Test
             Dual-port       : OFF\t\tDevice         : rxe0
             Number of qps   : 1\t\tTransport type : IB
             Connection type : RC\t\tUsing SRQ      : OFF
             PCIe relax order: ON
             ibv_wr* API     : OFF
             CQ Moderation   : 1
             Mtu             : 1024[B]
             Link type       : Ethernet
             GID index       : 1
             Max inline data : 0[B]
             rdma_cm QPs\t : OFF
             Data ex. method : Ethernet
            """ + LINE, text.toString());
    }

    @Test
    void headingsNameDepthsAndTests() {
        printer(false, SampleListing.NONE).heading(plan(PerftestKind.SEND_BW, false, true), false, false);
        assertTrue(text.toString().contains("\n                    Send Bidirectional BW Test\n"), text.toString());
        assertTrue(text.toString().contains(" TX depth        : 50\n RX depth        : 50\n CQ Moderation   : 1\n"), text.toString());
        text.getBuffer().setLength(0);
        printer(false, SampleListing.NONE).heading(plan(PerftestKind.ATOMIC_LAT, false, false), false, false);
        assertTrue(text.toString().contains("\n                    Atomic FETCH_AND_ADD Latency Test\n"), text.toString());
        assertTrue(text.toString().contains(" GID index       : 1\n Outstand reads  : 128\n rdma_cm QPs\t : OFF\n"), text.toString());
        assertTrue(!text.toString().contains("CQ Moderation"), text.toString());
    }

    @Test
    void addressesShowWhatTheTestNeeds() {
        KeyRecord read = new KeyRecord(0x80, 0x1f, 0x97307, 0xe31, 0x55f60be82000L, Gid.ofIpv4(0x0A630002));
        printer(false, SampleListing.NONE).addresses("local", plan(PerftestKind.READ_BW, true, false), List.of(read), true);
        printer(false, SampleListing.NONE).addresses("remote", plan(PerftestKind.ATOMIC_BW, true, false), List.of(read), true);
        // As the server of "ib_read_bw -R" showed it.
        printer(false, SampleListing.NONE).addresses("local", plan(PerftestKind.READ_BW, true, false), List.of(read), false);
        assertEquals("""
             local address: LID 0000 QPN 0x001f PSN 0x97307 OUT 0x80 RKey 0x000e31 VAddr 0x0055f60be82000
             GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:99:00:02
             remote address: LID 0000 QPN 0x001f PSN 0x97307
             GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:99:00:02
             local address: LID 0000 QPN 0x001f PSN 0x97307
             GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:99:00:02
            """, text.toString());
    }

    @Test
    void bandwidthInMebibytesAndInGigabits() {
        PerftestPrinter mebibytes = printer(false, SampleListing.NONE);
        mebibytes.bandwidthColumns();
        mebibytes.bandwidth(new BandwidthReport(65536, 50, 15.81, 10.66, 0.000171));
        PerftestPrinter gigabits = printer(true, SampleListing.NONE);
        gigabits.bandwidthColumns();
        gigabits.bandwidth(new BandwidthReport(16, 20, 0.000218, 0.000190, 0.001483));
        assertEquals(LINE + " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
            + " 65536      50               15.81              10.66  \t\t   0.000171\n"
            + LINE + " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
            + " 16         20           0.000218            0.000190            0.001483\n", text.toString());
    }

    @Test
    void latencyWithMeasurementsInAscendingOrder() {
        LatencySamples samples = samples(10, 181.99, 489.15, 194.575, 214.791, 1000, 236.069, 245.273, 309.403, 352.746);
        printer(false, SampleListing.SORTED).latency(LatencyReport.of(2, 10, samples), samples);
        // The original's deviation is 57.05 here: it truncates each difference to whole microseconds, ours does not.
        assertEquals("""
            #, usec
            1, 181.99
            2, 194.575
            3, 214.791
            4, 236.069
            5, 245.273
            6, 309.403
            7, 352.746
            """ + LINE + " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
            + "   99% percentile[usec]   99.9% percentile[usec] \n"
            + " 2       10          181.99         489.15       236.07   \t       247.84      \t57.58  \t\t489.15  \t\t489.15 \n",
            text.toString());
    }

    @Test
    void timedLatencyHasColumnsOfItsOwn() {
        PerftestPrinter printer = printer(false, SampleListing.NONE);
        printer.latencyColumns(true);
        printer.timedLatency(2, 622, 804.50, 621.50);
        assertEquals(LINE + " #bytes        #iterations       t_avg[usec]    tps average\n"
            + " 2             622            804.50         621.50 \n", text.toString());
    }

    @Test
    void aReportOfNumbersHasNothingElse() {
        PerftestPrinter printer = new PerftestPrinter(new PrintWriter(text), OutputStyle.BANDWIDTH, SampleListing.NONE,
            false, "rxe0", 1);
        printer.waiting();
        printer.heading(plan(PerftestKind.WRITE_BW, true, false), false, false);
        printer.bandwidthColumns();
        printer.bandwidth(new BandwidthReport(65536, 50, 0, 28.374882, 0));
        printer.line();
        assertEquals("28.374882\n", text.toString());
    }

    @Test
    void thePeakIsTheBestIntervalFromAPostToACompletion() {
        PeakFinder peak = new PeakFinder(4);
        for (long postedNs : new long[] {0, 1000, 1100, 1200}) {
            peak.onPosted(postedNs);
        }
        peak.onCompleted(5000, 1);
        peak.onCompleted(5100, 4);
        // All four from 0 to 5100 take 1275 each; the last three from 1000 on 1367.
        assertEquals(1275, peak.leastNs(), 0.001);
        BandwidthReport report = BandwidthReport.of(1 << 20, 4, 4_000_000, peak.leastNs(), false);
        assertEquals(1000, report.average(), 0.001);
        assertEquals(1e9 / 1275, report.peak(), 0.01);
        assertEquals(0.001, report.megaMessages(), 1e-9);
    }

    @Test
    void combinationsThatCannotRunAreRefusedWithARemedy() {
        assertRefused("ib_read_bw cannot run over UC: use -c RC", () -> plan(PerftestKind.READ_BW, QueuePairType.UC, 1, 1, false));
        assertRefused("ib_write_lat cannot run over UD: use -c RC or UC",
            () -> plan(PerftestKind.WRITE_LAT, QueuePairType.UD, 1, 1, false));
        assertRefused("post_list (-l) 3 is no multiple of cq-mod (-Q) 2", () -> plan(PerftestKind.SEND_BW, QueuePairType.RC, 2, 3, false));
        assertRefused("cq-mod (-Q) 51 > tx-depth (-t) 50", () -> plan(PerftestKind.SEND_BW, QueuePairType.RC, 51, 1, false));
        assertRefused("a latency test has no -b", () -> plan(PerftestKind.SEND_LAT, QueuePairType.RC, 1, 1, true));
    }

    private static void assertRefused(String words, Executable what) {
        String message = assertThrows(IllegalArgumentException.class, what).getMessage();
        assertTrue(message.contains(words), message);
    }

    private static LatencySamples samples(int messages, double... latenciesUs) {
        LatencySamples samples = new LatencySamples(messages, 2);
        long nowNs = 1;
        samples.onPost(nowNs);
        for (double us : latenciesUs) {
            nowNs += Math.round(us * 2000);
            samples.onPost(nowNs);
        }
        return samples;
    }

    private PerftestPrinter printer(boolean isGigabits, SampleListing listing) {
        return new PerftestPrinter(new PrintWriter(text), OutputStyle.FULL, listing, isGigabits, "rxe0", 1);
    }

    private static PerftestPlan plan(PerftestKind kind, boolean isServer, boolean isBidirectional) {
        return plan(kind, QueuePairType.RC, 1, 1, isBidirectional, isServer);
    }

    private static PerftestPlan plan(PerftestKind kind, QueuePairType transport, int every, int list, boolean isBidirectional) {
        return plan(kind, transport, every, list, isBidirectional, false);
    }

    private static PerftestPlan plan(PerftestKind kind, QueuePairType transport, int every, int list,
                                     boolean isBidirectional, boolean isServer) {
        return new PerftestPlan(kind, isServer, isBidirectional, false, new PerftestAmount(50, 0, kind.defaultSizeBytes(), false),
            new PerftestQueues(1, 50, 50, every, list, 0, false), new PerftestPath(transport, PathMtu.MTU_1024, 128, 14, 4791), true,
            1_000_000_000L, 1);
    }
}
