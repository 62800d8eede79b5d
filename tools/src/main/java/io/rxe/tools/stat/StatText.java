package io.rxe.tools.stat;

import io.rxe.counters.CounterLayout;
import io.rxe.counters.CountersView.QueuePairRow;
import io.rxe.tools.stat.ProcessSnapshot.DeviceCounter;
import io.rxe.tools.stat.ProcessSnapshot.DeviceSnapshot;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A process's counters as text of 80 columns: devices, then queue pairs; with rates if there is an earlier sample. */
final class StatText {
    private static final int COLUMNS = 80;
    private static final int PEER_COLUMNS = 24;
    private static final double NS_PER_SECOND = 1e9;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final String[] STATES = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERROR"};
    private static final int XRC_INITIATOR = 3;
    /** In the order of QueuePairType: initiators and targets of XRC last. */
    private static final String[] TRANSPORTS = {"RC", "UC", "UD", "XINI", "XTGT"};
    /** Not listed as events: shown on lines of their own, or harmless. */
    private static final Set<String> ORDINARY = Set.of("sent_pkts", "rcvd_pkts", "sent_bytes", "rcvd_bytes", "rdma_sends", "rdma_recvs",
        "icrc_full", "icrc_inferred", "ack_deferred");
    private static final List<String> SOCKET_EVENTS = List.of("dropped_frames", "send_busy", "receive_errors", "segmentation_refused",
        "uncut_datagrams", "forwarded_frames", "forward_overflow", "engine_stalls");

    private final StringBuilder text = new StringBuilder(2048);
    private final boolean withClosed;
    private final int limit;

    /**
     * @param withClosed whether closed queue pairs of a running process are shown too.
     * @param limit      queue pairs shown of each device, busiest first.
     */
    StatText(boolean withClosed, int limit) {
        this.withClosed = withClosed;
        this.limit = limit;
    }

    /** @param before an earlier sample of the same process, or null. */
    static String of(ProcessSnapshot now, ProcessSnapshot before, boolean withClosed, int limit) {
        StatText stat = new StatText(withClosed || !now.running(), limit);
        stat.text.append(title(now));
        for (DeviceSnapshot device : now.devices()) {
            if (stat.withClosed || !device.closed()) {
                stat.device(device, earlier(before, device), before == null ? 0 : (now.takenNs() - before.takenNs()) / NS_PER_SECOND);
            }
        }
        return stat.text.toString();
    }

    /** The first line of a process. */
    static String title(ProcessSnapshot process) {
        String when = process.running() ? "running since " + time(process.startMs())
            : process.endMs() == 0 ? "ended without close, started " + time(process.startMs()) : "ended " + time(process.endMs());
        return cut(String.format("%-7d %s  %s", process.processId(), when, process.command())) + "\n";
    }

    private static String time(long epochMs) {
        return TIME.format(Instant.ofEpochMilli(epochMs).atZone(ZoneId.systemDefault()));
    }

    private static String cut(String line) {
        return line.length() <= COLUMNS ? line : line.substring(0, COLUMNS - 3) + "...";
    }

    private static DeviceSnapshot earlier(ProcessSnapshot before, DeviceSnapshot device) {
        if (before == null) {
            return null;
        }
        return before.devices().stream().filter(one -> one.address().equals(device.address()) && one.udpPort() == device.udpPort())
            .findFirst().orElse(null);
    }

    private void device(DeviceSnapshot device, DeviceSnapshot before, double seconds) {
        line("  device %s UDP %d, %s%s", device.address().address(), device.udpPort(),
            device.engines() == 1 ? "1 engine" : device.engines() + " engines", device.closed() ? ", closed" : "");
        line("    %-10s %16s %12s %16s %14s", "", "packets", "bytes", "packets/s", "bytes/s");
        traffic("sent", "sent_pkts", "sent_bytes", device, before, seconds);
        traffic("received", "rcvd_pkts", "rcvd_bytes", device, before, seconds);
        batches(device);
        line("    icrc     full %,d, inferred %,d, bad %,d", nic(device, "icrc_full"), nic(device, "icrc_inferred"),
            device.get(CounterLayout.TYPE_DROP, "bad_icrc"));
        List<String> events = new ArrayList<>();
        List<String> drops = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        for (Map.Entry<DeviceCounter, Long> entry : device.counters().entrySet()) {
            String shown = entry.getKey().label() + " " + String.format("%,d", entry.getValue());
            if (entry.getValue() != 0 && entry.getKey().typeId() == CounterLayout.TYPE_DROP) {
                drops.add(shown);
            } else if (entry.getKey().typeId() == CounterLayout.TYPE_FAULT) {
                faults.add(String.format("%,d of %s", entry.getValue(), entry.getKey().label()));
            } else if (entry.getValue() != 0 && isEvent(entry.getKey())) {
                events.add(shown);
            }
        }
        list("events", events);
        list("drops", drops);
        faults.forEach(fault -> line("    faults   %s", fault));
        queuePairs(device, before, seconds);
    }

    private static boolean isEvent(DeviceCounter counter) {
        return counter.typeId() == CounterLayout.TYPE_NIC ? !ORDINARY.contains(counter.label())
            : SOCKET_EVENTS.contains(counter.label());
    }

    private static long nic(DeviceSnapshot device, String label) {
        return device.get(CounterLayout.TYPE_NIC, label);
    }

    private void traffic(String name, String packets, String bytes, DeviceSnapshot now, DeviceSnapshot before, double seconds) {
        boolean known = before != null && seconds > 0;
        line("    %-10s %,16d %12s %16s %14s", name, nic(now, packets), StatUnits.bytes(nic(now, bytes)),
            known ? StatUnits.rate((nic(now, packets) - nic(before, packets)) / seconds) : "-",
            known ? StatUnits.bytes((nic(now, bytes) - nic(before, bytes)) / seconds) : "-");
    }

    private void batches(DeviceSnapshot device) {
        int net = CounterLayout.TYPE_NET;
        line("    batches  sent %s frames a call, largest %d; received %s, largest %d",
            StatUnits.ratio(device.get(net, "sent_frames"), device.get(net, "send_calls")),
            largest(device, "largest_sent_batch", "send_calls"),
            StatUnits.ratio(device.get(net, "received_frames"), device.get(net, "receive_calls")),
            largest(device, "largest_received_batch", "receive_calls"));
    }

    /** The high-water marks hold only values above 1. */
    private static long largest(DeviceSnapshot device, String mark, String calls) {
        return Math.max(device.get(CounterLayout.TYPE_NET, mark), Math.min(1, device.get(CounterLayout.TYPE_NET, calls)));
    }

    /** A list wrapped into lines, the first of which begins with a name. */
    private void list(String name, List<String> words) {
        String line = "    " + String.format("%-8s", name);
        for (String word : words) {
            if (line.length() + " ,".length() + word.length() > COLUMNS) {
                text.append(line).append('\n');
                line = " ".repeat(12);
            }
            line += " " + word + (word.equals(words.get(words.size() - 1)) ? "" : ",");
        }
        if (!words.isEmpty()) {
            text.append(line).append('\n');
        }
    }

    private void queuePairs(DeviceSnapshot device, DeviceSnapshot before, double seconds) {
        List<QueuePairLine> lines = new ArrayList<>();
        int closed = 0;
        for (QueuePairRow row : device.queuePairs()) {
            if (row.open() || withClosed) {
                lines.add(new QueuePairLine(row, earlier(before, row), seconds));
            } else {
                closed++;
            }
        }
        if (!lines.isEmpty()) {
            line("  %-6s %-4s %-5s %-24s %5s %4s %7s %7s %7s", "QPN", "TYPE", "STATE", "PEER", "OUT", "TRY", "RTT", "TX/s", "RX/s");
        }
        lines.sort(Comparator.comparingDouble((QueuePairLine one) -> -one.activity()));
        lines.stream().limit(limit).forEach(this::queuePair);
        List<String> hidden = new ArrayList<>();
        if (lines.size() > limit) {
            hidden.add(lines.size() - limit + " more queue pairs (--all)");
        }
        if (closed > 0) {
            hidden.add(closed + " closed ones (--closed)");
        }
        if (!hidden.isEmpty()) {
            line("  and %s", String.join(", ", hidden));
        }
    }

    private static QueuePairRow earlier(DeviceSnapshot before, QueuePairRow row) {
        if (before == null) {
            return null;
        }
        return before.queuePairs().stream().filter(one -> one.number() == row.number() && one.uses() == row.uses()).findFirst()
            .orElse(null);
    }

    private record QueuePairLine(QueuePairRow row, QueuePairRow before, double seconds) {
        private boolean isRateKnown() {
            return before != null && seconds > 0;
        }

        private String rate(String counter) {
            return isRateKnown() ? StatUnits.rate((row.get(counter) - before.get(counter)) / seconds) : "-";
        }

        private double activity() {
            long packets = row.get("sent_pkts") + row.get("rcvd_pkts");
            return isRateKnown() ? packets - before.get("sent_pkts") - before.get("rcvd_pkts") + packets * 1e-15 : packets;
        }
    }

    private void queuePair(QueuePairLine one) {
        QueuePairRow row = one.row();
        int transport = row.transport();
        String peer = row.peer() == null ? "-" : row.peer().address() + " " + hex(row.peerNumber());
        boolean fits = peer.length() <= PEER_COLUMNS;
        line("  %s %-4s %-5s %-24s %5d %4s %7s %7s %7s", hex(row.number()),
            transport < TRANSPORTS.length ? TRANSPORTS[transport] : "?", row.open() ? state(row.get("state")) : "gone",
            fits ? peer : "below",
            row.get("outstanding"),
            transport == 0 || transport == XRC_INITIATOR ? row.get("retries_left") + "/" + row.get("rnr_retries_left") : "-",
            row.get("round_trip_ns") == 0 ? "-" : StatUnits.time(row.get("round_trip_ns")), one.rate("sent_pkts"), one.rate("rcvd_pkts"));
        if (!fits) {
            line("         peer %s", peer);
        }
        line("         psn next %s acked %s expected %s  window %d  held %d", hex(row.get("next_psn")), hex(row.get("acked_psn")),
            hex(row.get("expected_psn")), row.get("window"), row.get("reorder_held"));
        line("         sent %s  received %s  queued %d, most %d send %d receive", StatUnits.bytes(row.get("sent_bytes")),
            StatUnits.bytes(row.get("rcvd_bytes")), row.get("sends_queued"), row.get("send_queue_high_water"),
            row.get("receive_queue_high_water"));
        if (row.get("window_bytes") > 0) {
            path(row);
        }
        List<String> events = new ArrayList<>();
        row.cells().forEach((name, value) -> {
            if (value != 0 && isEvent(name)) {
                events.add(name + " " + String.format("%,d", value));
            }
        });
        list("", events);
    }

    private void path(QueuePairRow row) {
        line("         path window %s  rate %s  RTT at least %s", StatUnits.bytes(row.get("window_bytes")),
            row.get("rate_bits_per_second") == 0 ? "unpaced" : StatUnits.rate(row.get("rate_bits_per_second")) + "bit/s",
            row.get("round_trip_min_ns") == 0 ? "-" : StatUnits.time(row.get("round_trip_min_ns")));
    }

    /** Cells that do not describe the state of a queue pair are counters; the ordinary ones are shown elsewhere. */
    private static boolean isEvent(String cell) {
        return !ORDINARY.contains(cell) && !StatUnits.isState(cell);
    }

    private static String state(long code) {
        return code >= 0 && code < STATES.length ? STATES[(int) code] : Long.toString(code);
    }

    private static String hex(long number) {
        return String.format("%06x", number);
    }

    private void line(String format, Object... values) {
        text.append(cut(String.format(format, values).stripTrailing())).append('\n');
    }
}
