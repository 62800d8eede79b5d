package io.rxe.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
        printer(false).heading(plan(PerftestKind.WRITE_BW, true, false));
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
             GID index       : 0
             Max inline data : 0[B]
             rdma_cm QPs\t : OFF
             Data ex. method : Ethernet
            """ + LINE, text.toString());
    }

    @Test
    void headingsNameDepthsAndTests() {
        printer(false).heading(plan(PerftestKind.SEND_BW, false, true));
        assertTrue(text.toString().contains("\n                    Send Bidirectional BW Test\n"), text.toString());
        assertTrue(text.toString().contains(" TX depth        : 50\n RX depth        : 50\n CQ Moderation   : 1\n"), text.toString());
        text.getBuffer().setLength(0);
        printer(false).heading(plan(PerftestKind.READ_LAT, false, false));
        assertTrue(text.toString().contains("\n                    RDMA_Read Latency Test\n"), text.toString());
        assertTrue(text.toString().contains(" GID index       : 0\n Outstand reads  : 128\n rdma_cm QPs\t : OFF\n"), text.toString());
        assertTrue(!text.toString().contains("CQ Moderation"), text.toString());
    }

    @Test
    void addressesShowWhatTheTestNeeds() {
        KeyRecord read = new KeyRecord(0x80, 0x1f, 0x97307, 0xe31, 0x55f60be82000L, Gid.ofIpv4(0x0A630002));
        printer(false).addresses("local", PerftestVerb.READ, List.of(read));
        printer(false).addresses("remote", PerftestVerb.SEND, List.of(read));
        assertEquals("""
             local address: LID 0000 QPN 0x001f PSN 0x97307 OUT 0x80 RKey 0x000e31 VAddr 0x0055f60be82000
             GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:99:00:02
             remote address: LID 0000 QPN 0x001f PSN 0x97307
             GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:99:00:02
            """, text.toString());
    }

    @Test
    void bandwidthInMebibytesAndInGigabits() {
        PerftestPrinter mebibytes = printer(false);
        mebibytes.bandwidthColumns();
        mebibytes.bandwidth(new BandwidthReport(65536, 50, 15.81, 10.66, 0.000171));
        PerftestPrinter gigabits = printer(true);
        gigabits.bandwidthColumns();
        gigabits.bandwidth(new BandwidthReport(16, 20, 0.000218, 0.000190, 0.001483));
        assertEquals(LINE + " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
            + " 65536      50               15.81              10.66  \t\t   0.000171\n"
            + LINE + " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
            + " 16         20           0.000218            0.000190            0.001483\n", text.toString());
    }

    @Test
    void latencyHasTheColumnsOfTheOriginal() {
        LatencySamples samples = samples(10, 181.99, 489.15, 194.575, 214.791, 1000, 236.069, 245.273, 309.403, 352.746);
        printer(false).latencyColumns(false);
        printer(false).latency(2, 10, samples.report());
        // The original's deviation is 57.05 here: it truncates each difference to whole microseconds, ours does not.
        assertEquals(LINE + " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
            + "   99% percentile[usec]   99.9% percentile[usec] \n"
            + " 2       10          181.99         489.15       236.07   \t       247.84      \t57.58  \t\t489.15  \t\t489.15 \n",
            text.toString());
    }

    @Test
    void timedLatencyHasColumnsOfItsOwn() {
        PerftestPrinter printer = printer(false);
        printer.latencyColumns(true);
        printer.timedLatency(2, 622, 804.50, 621.50);
        assertEquals(LINE + " #bytes        #iterations       t_avg[usec]    tps average\n"
            + " 2             622            804.50         621.50 \n", text.toString());
    }

    @Test
    void aReportHasTheAverageInEitherUnit() {
        assertEquals(1000, BandwidthReport.of(1 << 20, 4, 4_000_000, false).average(), 0.001);
        assertEquals(8.388608, BandwidthReport.of(1 << 20, 4, 4_000_000, true).average(), 1e-9);
        assertEquals(0.001, BandwidthReport.of(1 << 20, 4, 4_000_000, false).megaMessages(), 1e-9);
    }

    @Test
    void combinationsThatCannotRunAreRefusedWithARemedy() {
        assertRefused("ib_read_bw cannot run over UC: use -c RC", () -> plan(PerftestKind.READ_BW, QueuePairType.UC, false, false));
        assertRefused("ib_write_lat cannot run over UD: use -c RC or UC",
            () -> plan(PerftestKind.WRITE_LAT, QueuePairType.UD, false, false));
        assertRefused("a latency test has no -b", () -> plan(PerftestKind.SEND_LAT, QueuePairType.RC, false, true));
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

    private PerftestPrinter printer(boolean isGigabits) {
        return new PerftestPrinter(new PrintWriter(text), isGigabits, "rxe0");
    }

    private static PerftestPlan plan(PerftestKind kind, boolean isServer, boolean isBidirectional) {
        return plan(kind, QueuePairType.RC, isServer, isBidirectional);
    }

    private static PerftestPlan plan(PerftestKind kind, QueuePairType transport, boolean isServer, boolean isBidirectional) {
        return new PerftestPlan(kind, isServer, isBidirectional, transport,
            new PerftestPlan.Amount(50, 0, kind.defaultSizeBytes(), false), 1, 50, 50, PathMtu.MTU_1024, 128, 14, 4791, 1_000_000_000L, 1,
            0);
    }
}
