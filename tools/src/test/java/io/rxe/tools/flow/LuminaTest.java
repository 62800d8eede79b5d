package io.rxe.tools.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The captures are of perftest between an rxe at 10.99.0.1 and Linux 6.1 (tools/kernel-peer), 24 messages of 1024 bytes with an MTU of 256
 * (in write-kernel 12), taken at the rxe: {@code ib_write_bw}, {@code ib_read_bw -t 1 -o 1}; the kernel loses 4 % (in write-kernel 2 %) of
 * what it sends and of what it gets, by netem.
 */
@DisplayName("Lumina's rules of go-back-N, on captures of an rxe and a kernel with losses")
class LuminaTest {
    private static final int MTU = 256;
    private static final int PACKETS = 96;
    private static final int PACKETS_OF_KERNEL = 48;

    private static List<FlowPacket> packets(String name) throws IOException {
        List<FlowPacket> packets = new ArrayList<>();
        try (InputStream in = LuminaTest.class.getResourceAsStream("/golden/lumina/" + name + ".pcapng");
             CaptureReader reader = new CaptureReader(in)) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                RoceFrame frame = new RoceFrame();
                if (frame.decode(new UnsafeBuffer(record.bytes()), 0, record.bytes().length, record.linkType())) {
                    packets.add(FlowPacket.of(Integer.toString(packets.size() + 1), record, frame, frame.payloadOffset(),
                        frame.payloadLength(), null));
                }
            }
        }
        return packets;
    }

    private static FlowPacket first(List<FlowPacket> packets, Predicate<FlowPacket> wanted) {
        return packets.stream().filter(wanted).findFirst().orElseThrow();
    }

    /** The queue pairs: the requester has the data of WRITEs, the responder that of READs. */
    private static LuminaRules.Ends ends(List<FlowPacket> packets, boolean isRead) {
        return ends(packets, isRead, PACKETS);
    }

    private static LuminaRules.Ends ends(List<FlowPacket> packets, boolean isRead, int count) {
        FlowPacket request = first(packets, FlowPacket::isRequest);
        int requester = first(packets, packet -> !packet.isRequest()).qpn();
        return isRead
            ? new LuminaRules.Ends(request.destination(), request.qpn(), request.source(), requester, request.psn(), MTU, count)
            : new LuminaRules.Ends(request.source(), requester, request.destination(), request.qpn(), request.psn(), MTU, count);
    }

    @Test
    @DisplayName("an rxe that sends to a kernel goes on in order, or back to what the NAK names")
    void sender() throws IOException {
        List<FlowPacket> packets = packets("write-ours");
        LuminaRules.Verdict verdict = LuminaRules.sender(packets, ends(packets, false));
        assertNull(verdict.refusal());
        assertTrue(verdict.naks() > 0, verdict.toString());
    }

    @Test
    @DisplayName("an rxe that a kernel sends to acknowledges in order, and tells each gap once; as it keeps what follows, it tells the next"
        + " one before go-back-N could know of it")
    void receiver() throws IOException {
        List<FlowPacket> packets = packets("write-kernel");
        LuminaRules.Ends ends = ends(packets, false, PACKETS_OF_KERNEL);
        assertTrue(LuminaRules.receiver(packets, ends, false).refusal().contains("and -1 is missing"));
        LuminaRules.Verdict verdict = LuminaRules.receiver(packets, ends, true);
        assertNull(verdict.refusal());
        assertTrue(verdict.naks() > 0, verdict.toString());
    }

    @Test
    @DisplayName("an rxe that a kernel reads from answers in order from where the latest request begins")
    void responder() throws IOException {
        List<FlowPacket> packets = packets("read-kernel");
        assertNull(LuminaRules.readSender(packets, ends(packets, true)).refusal());
    }

    @Test
    @DisplayName("an rxe that reads from a kernel asks again for the first answer that is missing, and not, as in go-back-N, for all behind"
        + " it")
    void requester() throws IOException {
        List<FlowPacket> packets = packets("read-ours");
        LuminaRules.Ends ends = ends(packets, true);
        assertTrue(LuminaRules.readReceiver(packets, ends, false).refusal().contains("is missing"));
        assertNull(LuminaRules.readReceiver(packets, ends, true).refusal());
    }

    @Test
    @DisplayName("the rules refuse what goes neither on nor back")
    void aWrongSender() throws IOException {
        List<FlowPacket> packets = packets("write-ours");
        FlowPacket nak = first(packets, FlowPacket::isNak);
        int next = packets.indexOf(nak) + 1;
        // What the NAK named leaves only after what is behind it.
        while (packets.get(next).psn() != nak.psn() || !packets.get(next).isRequest()) {
            next++;
        }
        LuminaRules.Ends ends = ends(packets, false);
        packets.remove(next);
        assertTrue(LuminaRules.sender(packets, ends).refusal().contains("is neither next nor what the NAK names"));
        assertEquals(PACKETS, ends.packets());
    }
}
