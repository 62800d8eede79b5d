package io.rxe.net.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.Direction;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Counts the frames of a NIC's capture by the rules alone: what each frame must have added to the counters. Of the NIC it knows only
 * which of its queue pairs is connected to which of the peer's.
 */
final class CapturedTraffic {
    private static final int IP_OFFSET = 14;
    private static final int BTH_OFFSET = 42;
    /** Reasons found before the queue pair's checks; with any other reason the packet counts as received. */
    private static final Set<String> DROPPED_BEFORE_THE_QUEUE_PAIR = Set.of("datagram_too_short", "datagram_too_long",
        "length_not_multiple_of_four",
        "unknown_opcode", "unsupported_transport_version", "headers_truncated", "bad_padding",
        "reserved_queue_pair", "unknown_queue_pair", "wrong_transport", "queue_pair_not_ready", "wrong_partition_key",
        "wrong_source_address", "wrong_destination_address", "bad_icrc", "queue_pair_error_state");

    private final Map<String, Long> counts = new TreeMap<>();
    private final Map<Integer, Side> sides = new HashMap<>();
    private final int mtu;

    /** One queue pair of the NIC. */
    private static final class Side {
        private final int ownNumber;
        private long nextSeq = 1 << 24;
        private long expectedSeq = 1 << 24;
        /** Requests behind a gap, each with the number of PSNs it covers. */
        private final Map<Long, Long> kept = new HashMap<>();

        Side(int ownNumber, int startPsn) {
            this.ownNumber = ownNumber;
            nextSeq += startPsn;
            expectedSeq += startPsn;
        }
    }

    CapturedTraffic(int mtu) {
        this.mtu = mtu;
    }

    /** A queue pair of the NIC and its peer; both start at the same PSN. */
    void connection(int ownNumber, int peerNumber, int startPsn) {
        Side side = new Side(ownNumber, startPsn);
        sides.put(ownNumber, side);
        sides.put(peerNumber, side);
    }

    /** A counter; 0 if no frame was counted under it. */
    long count(String name) {
        return counts.getOrDefault(name, 0L);
    }

    /** A counter of one queue pair. */
    long count(String name, int ownNumber) {
        return count(name + " " + ownNumber);
    }

    /** Names of all drops seen. */
    Set<String> drops() {
        Set<String> names = new HashSet<>();
        counts.keySet().stream().filter(name -> name.startsWith("drop ")).forEach(name -> names.add(name.substring(5)));
        return names;
    }

    private void add(String name, long amount, Side side) {
        counts.merge(name, amount, Long::sum);
        if (side != null) {
            counts.merge(name + " " + side.ownNumber, amount, Long::sum);
        }
    }

    void read(Path file) throws IOException {
        try (CaptureReader reader = new CaptureReader(Files.newInputStream(file))) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                UnsafeBuffer bytes = new UnsafeBuffer(record.bytes());
                if (record.direction() == Direction.OUTBOUND) {
                    sent(bytes, record.bytes().length - BTH_OFFSET);
                } else {
                    received(record, bytes, record.bytes().length - BTH_OFFSET);
                }
            }
        }
    }

    private long span(UnsafeBuffer bytes, Opcode opcode) {
        if (!opcode.isReadRequest()) {
            return 1;
        }
        long length = Reth.dmaLength(bytes, BTH_OFFSET + opcode.rethOffset());
        return Math.max(1, (length + mtu - 1) / mtu);
    }

    /** Rule G7: sent several times, which is neither a retransmission nor a duplicate. */
    private static boolean isRepeated(UnsafeBuffer bytes, Opcode opcode) {
        return opcode.isReadRequest() && Bth.isRepeated(bytes, BTH_OFFSET);
    }

    private void sent(UnsafeBuffer bytes, int lengthBytes) {
        Opcode opcode = Opcode.of(Bth.opcode(bytes, BTH_OFFSET));
        Side side = sides.get(Bth.destinationQpn(bytes, BTH_OFFSET));
        assertNotNull(side, "every frame sent goes to a known peer");
        int end = BTH_OFFSET + lengthBytes - Icrc.LENGTH;
        assertEquals(Icrc.read(bytes, end), Icrc.reference(bytes, IP_OFFSET, end - IP_OFFSET), "every frame sent has a valid ICRC");
        add("sent_pkts", 1, side);
        add("sent_bytes", lengthBytes, side);
        if (opcode.isRequest()) {
            long seq = side.nextSeq + Psn.subtract(Bth.psn(bytes, BTH_OFFSET), (int) side.nextSeq & Psn.MASK);
            if (seq < side.nextSeq) {
                add("retransmitted_pkts", isRepeated(bytes, opcode) ? 0 : 1, side);
            } else {
                assertEquals(side.nextSeq, seq, "requests leave in order");
                side.nextSeq += span(bytes, opcode);
            }
        } else if (opcode.isAck()) {
            int syndrome = Aeth.syndrome(bytes, BTH_OFFSET + opcode.aethOffset());
            add("send_seq_err", syndrome == Syndrome.PSN_SEQUENCE_ERROR ? 1 : 0, side);
            add("send_rnr_err", Syndrome.isRnr(syndrome) ? 1 : 0, side);
        }
    }

    private void received(CaptureRecord record, UnsafeBuffer bytes, int lengthBytes) {
        String drop = null;
        if (record.comment() != null) {
            assertEquals("dropped", record.comment().split(": ")[0], record.comment());
            drop = record.comment().split(": ")[1];
            add("drop " + drop, 1, null);
        }
        int end = BTH_OFFSET + lengthBytes - Icrc.LENGTH;
        boolean good = Icrc.read(bytes, end) == Icrc.reference(bytes, IP_OFFSET, end - IP_OFFSET);
        if (!good) {
            assertNotNull(drop, "a frame with a wrong ICRC is dropped");
        }
        if (drop != null && DROPPED_BEFORE_THE_QUEUE_PAIR.contains(drop)) {
            return;
        }
        Side side = sides.get(Bth.destinationQpn(bytes, BTH_OFFSET));
        assertNotNull(side, "a frame that is not dropped is for a queue pair");
        add("rcvd_pkts", 1, side);
        add("rcvd_bytes", lengthBytes, side);
        add("dropped_pkts", drop == null ? 0 : 1, side);
        Opcode opcode = Opcode.of(Bth.opcode(bytes, BTH_OFFSET));
        if (opcode.isRequest()) {
            request(side, Bth.psn(bytes, BTH_OFFSET), span(bytes, opcode), isRepeated(bytes, opcode) ? 0 : 1);
        } else if (opcode.isAck() && drop == null) {
            int syndrome = Aeth.syndrome(bytes, BTH_OFFSET + opcode.aethOffset());
            add("rcvd_seq_err", syndrome == Syndrome.PSN_SEQUENCE_ERROR ? 1 : 0, side);
            add("rcvd_rnr_err", Syndrome.isRnr(syndrome) ? 1 : 0, side);
        }
    }

    /** Rules R1, R3: in order, a duplicate, or behind a gap and kept. */
    private void request(Side side, int psn, long span, int duplicates) {
        long seq = side.expectedSeq + Psn.subtract(psn, (int) side.expectedSeq & Psn.MASK);
        if (seq < side.expectedSeq) {
            add("duplicate_request", duplicates, side);
        } else if (seq > side.expectedSeq) {
            add("out_of_seq_request", 1, side);
            boolean isNew = side.kept.put(seq, span) == null;
            add(isNew ? "reorder_buffered" : "duplicate_request", isNew ? 1 : duplicates, side);
        } else {
            for (Long next = span; next != null; next = side.kept.remove(side.expectedSeq)) {
                side.expectedSeq += next;
            }
        }
    }
}
