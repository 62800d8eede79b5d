package io.rxe.tools.perftest.output;

import io.rxe.tools.perftest.handshake.BandwidthReport;
import io.rxe.tools.perftest.handshake.KeyRecord;
import io.rxe.tools.perftest.measure.LatencySamples;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.tools.perftest.plan.PerftestQueues;
import io.rxe.tools.perftest.plan.PerftestVerb;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Locale;

/** Prints every line of standard output, to the byte as perftest 4.5 does. */
public final class PerftestPrinter {
    private static final String LINE = "-".repeat(87);
    private static final String BANNER = "*".repeat(36);

    private final PrintWriter out;
    private final OutputStyle style;
    private final SampleListing listing;
    private final boolean isGigabits;
    private final String deviceName;
    private final int gidIndex;

    /**
     * @param listing    which single measurements of a latency test to print.
     * @param isGigabits whether bandwidth is in Gbit/s instead of MiB/s.
     * @param deviceName shown in the heading.
     * @param gidIndex   shown in the heading.
     */
    public PerftestPrinter(PrintWriter out, OutputStyle style, SampleListing listing, boolean isGigabits, String deviceName, int gidIndex) {
        this.out = out;
        this.style = style;
        this.listing = listing;
        this.isGigabits = isGigabits;
        this.deviceName = deviceName;
        this.gidIndex = gidIndex;
    }

    public boolean isGigabits() {
        return isGigabits;
    }

    public boolean isFull() {
        return style == OutputStyle.FULL;
    }

    private void print(String format, Object... values) {
        out.print(values.length == 0 ? format : String.format(Locale.ROOT, format, values));
        out.flush();
    }

    /** The banner of a server that waits for its client. */
    public void waiting() {
        if (isFull()) {
            print("\n" + BANNER + "\n* Waiting for client to connect... *\n" + BANNER + "\n");
        }
    }

    /** A line for a warning, as the original prints them. */
    public void remark(String text) {
        print(text + "\n");
    }

    public void line() {
        if (isFull()) {
            print(LINE + "\n");
        }
    }

    /** The heading: the parameters of the test. */
    public void heading(PerftestPlan plan, boolean isManaged, boolean isControlManaged) {
        if (!isFull()) {
            return;
        }
        PerftestQueues queues = plan.queues();
        StringBuilder text = new StringBuilder(1024);
        text.append(LINE).append("\n                    ").append(title(plan)).append('\n');
        text.append(" Dual-port       : OFF\t\tDevice         : ").append(deviceName).append('\n');
        text.append(String.format(Locale.ROOT, " Number of qps   : %d\t\tTransport type : IB\n", queues.queuePairs()));
        text.append(" Connection type : ").append(plan.path().transport()).append("\t\tUsing SRQ      : ")
            .append(onOff(queues.sharedReceives())).append('\n');
        text.append(" PCIe relax order: ON\n ibv_wr* API     : OFF\n");
        if (plan.isClient() || plan.isBidirectional()) {
            field(text, "TX depth", queues.sendDepth());
        }
        if (queues.postList() > 1) {
            field(text, "Post List", queues.postList());
        }
        if (plan.verb() == PerftestVerb.SEND && (plan.isServer() || plan.isBidirectional())) {
            field(text, "RX depth", queues.receiveDepth());
        }
        if (!plan.kind().isLatency()) {
            field(text, "CQ Moderation", queues.completionEvery());
        }
        field(text, "Mtu", plan.path().pathMtu().bytes() + "[B]");
        field(text, "Link type", "Ethernet");
        field(text, "GID index", gidIndex);
        if (plan.verb().isReadOrAtomic()) {
            field(text, "Outstand reads", plan.path().outstandingReads());
        } else {
            field(text, "Max inline data", queues.inlineBytes() + "[B]");
        }
        text.append(" rdma_cm QPs\t : ").append(onOff(isManaged)).append('\n');
        field(text, "Data ex. method", isControlManaged ? "rdma_cm" : "Ethernet");
        text.append(LINE).append('\n');
        print(text.toString());
    }

    /** The banner of a server that waits for the connections of connection management. */
    public void waitingForManagedConnection() {
        if (isFull()) {
            print(" Waiting for client rdma_cm QP to connect\n Please run the same command with the IB/RoCE interface IP\n" + LINE + "\n");
        }
    }

    private static String title(PerftestPlan plan) {
        if (plan.kind().isLatency()) {
            return plan.verbTitle() + " Latency Test";
        }
        return plan.verbTitle() + (plan.isBidirectional() ? " Bidirectional" : "") + (plan.queues().postList() > 1 ? " Post List" : "")
            + " BW Test";
    }

    private static void field(StringBuilder text, String name, Object value) {
        text.append(String.format(Locale.ROOT, " %-16s: %s\n", name, value));
    }

    private static String onOff(boolean on) {
        return on ? "ON" : "OFF";
    }

    /**
     * The addresses of one side's queue pairs.
     *
     * @param withMemory whether to show key and address for WRITE and READ: the original does, unless its control connection is made by
     *                   connection management.
     */
    public void addresses(String side, PerftestPlan plan, List<KeyRecord> records, boolean withMemory) {
        if (!isFull()) {
            return;
        }
        for (KeyRecord record : records) {
            StringBuilder text = new StringBuilder(160);
            text.append(' ').append(side).append(" address: LID 0000 QPN ").append(hex(record.qpn(), 6)).append(" PSN ")
                .append(hex(record.psn(), 6));
            if (withMemory && plan.verb() == PerftestVerb.READ) {
                text.append(" OUT ").append(hex(record.outReads(), 4));
            }
            if (withMemory && (plan.verb() == PerftestVerb.READ || plan.verb() == PerftestVerb.WRITE)) {
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

    /** The names of the columns. */
    public void bandwidthColumns() {
        if (isFull()) {
            String unit = isGigabits ? "Gb/sec" : "MB/sec";
            print(LINE + "\n #bytes     #iterations    BW peak[" + unit + "]    BW average[" + unit + "]   MsgRate[Mpps]\n");
        }
    }

    /** The values of a bandwidth test. */
    public void bandwidth(BandwidthReport report) {
        switch (style) {
            case FULL -> print(isGigabits ? " %-7d    %d           %-7.6f            %-7.6f            %-7.6f\n"
                : " %-7d    %-10d       %-7.2f            %-7.2f\t\t   %-7.6f\n", report.sizeBytes(), report.iterations(),
                report.peak(), report.average(), report.megaMessages());
            case BANDWIDTH -> print("%f\n", report.average());
            case MESSAGE_RATE -> print("%f\n", report.megaMessages());
            case LATENCY -> {
                // A bandwidth test has no latency.
            }
        }
    }

    /** Both directions, each by itself. */
    public void bothDirections(BandwidthReport own, BandwidthReport remote) {
        line();
        print("\n Local results: \n");
        bandwidthColumns();
        bandwidth(own);
        line();
        print("\n Remote results: \n");
        bandwidthColumns();
        bandwidth(remote);
    }

    /** The names of the columns. */
    public void latencyColumns(boolean isTimed) {
        if (isFull()) {
            print(LINE + "\n" + (isTimed ? " #bytes        #iterations       t_avg[usec]    tps average\n"
                : " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                    + "   99% percentile[usec]   99.9% percentile[usec] \n"));
        }
    }

    /** The values of a latency test, after the single measurements if they were requested. */
    public void latency(LatencyReport report, LatencySamples samples) {
        if (listing != SampleListing.NONE) {
            list(samples);
        }
        if (isFull()) {
            print(" %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f\n",
                report.sizeBytes(), report.iterations(), report.leastUs(), report.mostUs(), report.typicalUs(), report.averageUs(),
                report.deviationUs(), report.percentile99Us(), report.percentile999Us());
        } else if (style == OutputStyle.LATENCY) {
            print("%f\n", report.averageUs());
        }
    }

    private void list(LatencySamples samples) {
        boolean isSorted = listing == SampleListing.SORTED;
        double[] values = isSorted ? samples.sortedUs() : samples.unsortedUs();
        StringBuilder text = new StringBuilder("#, usec\n");
        for (int i = 0; i < values.length - (isSorted ? 2 : 0); i++) {
            text.append(i + 1).append(", ").append(sixDigits(values[i])).append('\n');
        }
        print(text.toString());
        latencyColumns(false);
    }

    // As C's %g for numbers of this size: six digits, no trailing zeros.
    private static String sixDigits(double value) {
        return new BigDecimal(value).round(new MathContext(6)).stripTrailingZeros().toPlainString();
    }

    /** The values of a timed latency test. */
    public void timedLatency(int sizeBytes, long iterations, double averageUs, double perSecond) {
        if (isFull()) {
            print(" %-7d       %d            %-7.2f        %-7.2f\n", sizeBytes, iterations, averageUs, perSecond);
        } else if (style == OutputStyle.LATENCY) {
            print("%f\n", averageUs);
        }
    }
}
