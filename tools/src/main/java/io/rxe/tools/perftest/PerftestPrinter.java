package io.rxe.tools.perftest;

import java.io.PrintWriter;
import java.util.List;

/** Prints every line of standard output, to the byte as perftest 4.5 does. */
final class PerftestPrinter {
    private static final String LINE = "-".repeat(87);
    private static final String BANNER = "*".repeat(36);

    private final PrintWriter out;
    private final boolean isGigabits;
    private final String deviceName;

    /**
     * @param isGigabits whether bandwidth is in Gbit/s instead of MiB/s.
     * @param deviceName shown in the heading.
     */
    PerftestPrinter(PrintWriter out, boolean isGigabits, String deviceName) {
        this.out = out;
        this.isGigabits = isGigabits;
        this.deviceName = deviceName;
    }

    boolean isGigabits() {
        return isGigabits;
    }

    private void print(String format, Object... values) {
        out.print(values.length == 0 ? format : String.format(format, values));
        out.flush();
    }

    /** The banner of a server that waits for its client. */
    void waiting() {
        print("\n" + BANNER + "\n* Waiting for client to connect... *\n" + BANNER + "\n");
    }

    /** A line for a warning, as the original prints them. */
    void remark(String text) {
        print(text + "\n");
    }

    void line() {
        print(LINE + "\n");
    }

    /** The heading: the parameters of the test. */
    void heading(PerftestPlan plan) {
        StringBuilder text = new StringBuilder(1024);
        text.append(LINE).append("\n                    ").append(plan.verb().title())
            .append(plan.kind().isLatency() ? " Latency" : plan.isBidirectional() ? " Bidirectional BW" : " BW").append(" Test\n");
        text.append(" Dual-port       : OFF\t\tDevice         : ").append(deviceName).append('\n');
        text.append(String.format(" Number of qps   : %d\t\tTransport type : IB\n", plan.queuePairs()));
        text.append(" Connection type : ").append(plan.transport()).append("\t\tUsing SRQ      : OFF\n");
        text.append(" PCIe relax order: ON\n ibv_wr* API     : OFF\n");
        if (!plan.isServer() || plan.isBidirectional()) {
            field(text, "TX depth", plan.sendDepth());
        }
        if (plan.verb() == PerftestVerb.SEND && (plan.isServer() || plan.isBidirectional())) {
            field(text, "RX depth", plan.receiveDepth());
        }
        if (!plan.kind().isLatency()) {
            field(text, "CQ Moderation", plan.completionEvery());
        }
        field(text, "Mtu", plan.pathMtu().bytes() + "[B]");
        field(text, "Link type", "Ethernet");
        field(text, "GID index", 0);
        if (plan.verb() == PerftestVerb.READ) {
            field(text, "Outstand reads", plan.outstandingReads());
        } else {
            field(text, "Max inline data", "0[B]");
        }
        text.append(" rdma_cm QPs\t : OFF\n");
        field(text, "Data ex. method", "Ethernet");
        print(text.append(LINE).append('\n').toString());
    }

    private static void field(StringBuilder text, String name, Object value) {
        text.append(String.format(" %-16s: %s\n", name, value));
    }

    /** The addresses of one side's queue pairs. */
    void addresses(String side, PerftestVerb verb, List<KeyRecord> records) {
        for (KeyRecord record : records) {
            StringBuilder text = new StringBuilder(160);
            text.append(' ').append(side).append(" address: LID 0000 QPN ").append(hex(record.qpn(), 6)).append(" PSN ")
                .append(hex(record.psn(), 6));
            if (verb == PerftestVerb.READ) {
                text.append(" OUT ").append(hex(record.outReads(), 4));
            }
            if (verb != PerftestVerb.SEND) {
                text.append(" RKey ").append(hex(Integer.toUnsignedLong(record.rKey()), 8)).append(" VAddr ")
                    .append(hex(record.address(), 16));
            }
            print("%s\n GID: %s\n", text, record.gidText());
        }
    }

    // As C's %#0Nx: the width counts the 0x, and a zero has none.
    private static String hex(long value, int width) {
        String digits = Long.toHexString(value);
        String prefix = value == 0 ? "" : "0x";
        return prefix + "0".repeat(Math.max(0, width - prefix.length() - digits.length())) + digits;
    }

    void bandwidthColumns() {
        String unit = isGigabits ? "Gb/sec" : "MB/sec";
        print(LINE + "\n #bytes     #iterations    BW peak[" + unit + "]    BW average[" + unit + "]   MsgRate[Mpps]\n");
    }

    /** The values of a bandwidth test. */
    void bandwidth(BandwidthReport report) {
        print(isGigabits ? " %-7d    %d           %-7.6f            %-7.6f            %-7.6f\n"
            : " %-7d    %-10d       %-7.2f            %-7.2f\t\t   %-7.6f\n", report.sizeBytes(), report.iterations(),
            report.peak(), report.average(), report.megaMessages());
    }

    void latencyColumns(boolean isTimed) {
        print(LINE + "\n" + (isTimed ? " #bytes        #iterations       t_avg[usec]    tps average\n"
            : " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                + "   99% percentile[usec]   99.9% percentile[usec] \n"));
    }

    /** The values of a latency test. */
    void latency(int sizeBytes, int iterations, LatencySamples.Report report) {
        print(" %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f\n", sizeBytes,
            iterations, report.leastUs(), report.mostUs(), report.typicalUs(), report.averageUs(), report.deviationUs(),
            report.percentile99Us(), report.percentile999Us());
    }

    /** The values of a timed latency test. */
    void timedLatency(int sizeBytes, long iterations, double averageUs, double perSecond) {
        print(" %-7d       %d            %-7.2f        %-7.2f\n", sizeBytes, iterations, averageUs, perSecond);
    }
}
