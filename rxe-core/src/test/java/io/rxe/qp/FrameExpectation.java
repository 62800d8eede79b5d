package io.rxe.qp;

import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Expects the next frame that our side sends. Compares only the fields that are set; {@link Trace} checks the rest of every frame. */
final class FrameExpectation {
    private record Field(String name, Object value, Function<SentFrame, Object> reader) {
    }

    private final Opcode opcode;
    private final int psn;
    private final List<Field> fields = new ArrayList<>();

    private FrameExpectation(Opcode opcode, int psn) {
        this.opcode = opcode;
        this.psn = psn & Psn.MASK;
    }

    static FrameExpectation frame(Opcode opcode, int psn) {
        return new FrameExpectation(opcode, psn);
    }

    static FrameExpectation ack(int psn) {
        return frame(Opcode.RC_ACKNOWLEDGE, psn).positive();
    }

    static FrameExpectation nak(int psn, int syndrome) {
        return frame(Opcode.RC_ACKNOWLEDGE, psn).syndrome(syndrome);
    }

    static FrameExpectation sequenceNak(int psn) {
        return nak(psn, Syndrome.PSN_SEQUENCE_ERROR);
    }

    static FrameExpectation rnr(int psn, int timerCode) {
        return nak(psn, Syndrome.rnr(timerCode));
    }

    static FrameExpectation readFirst(int psn) {
        return frame(Opcode.RC_RDMA_READ_RESPONSE_FIRST, psn).positive();
    }

    static FrameExpectation readMiddle(int psn) {
        return frame(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, psn);
    }

    static FrameExpectation readLast(int psn) {
        return frame(Opcode.RC_RDMA_READ_RESPONSE_LAST, psn).positive();
    }

    static FrameExpectation readOnly(int psn) {
        return frame(Opcode.RC_RDMA_READ_RESPONSE_ONLY, psn).positive();
    }

    static FrameExpectation atomicAck(int psn, long original) {
        return frame(Opcode.RC_ATOMIC_ACKNOWLEDGE, psn).positive()
            .field("original", original, SentFrame::originalValue);
    }

    static FrameExpectation sendOnly(int psn) {
        return frame(Opcode.RC_SEND_ONLY, psn);
    }

    static FrameExpectation sendFirst(int psn) {
        return frame(Opcode.RC_SEND_FIRST, psn);
    }

    static FrameExpectation sendMiddle(int psn) {
        return frame(Opcode.RC_SEND_MIDDLE, psn);
    }

    static FrameExpectation sendLast(int psn) {
        return frame(Opcode.RC_SEND_LAST, psn);
    }

    static FrameExpectation writeOnly(int psn) {
        return frame(Opcode.RC_RDMA_WRITE_ONLY, psn);
    }

    static FrameExpectation writeFirst(int psn) {
        return frame(Opcode.RC_RDMA_WRITE_FIRST, psn);
    }

    static FrameExpectation writeMiddle(int psn) {
        return frame(Opcode.RC_RDMA_WRITE_MIDDLE, psn);
    }

    static FrameExpectation writeLast(int psn) {
        return frame(Opcode.RC_RDMA_WRITE_LAST, psn);
    }

    /** A READ request for this many bytes. */
    static FrameExpectation readRequest(int psn, long length) {
        return frame(Opcode.RC_RDMA_READ_REQUEST, psn).dmaLength(length);
    }

    static FrameExpectation fetchAdd(int psn) {
        return frame(Opcode.RC_FETCH_ADD, psn);
    }

    FrameExpectation field(String name, Object value, Function<SentFrame, Object> reader) {
        fields.add(new Field(name, value, reader));
        return this;
    }

    FrameExpectation syndrome(int value) {
        return field("syndrome", value, SentFrame::syndrome);
    }

    /** A positive AETH, whatever its credits. */
    private FrameExpectation positive() {
        return field("positive", true, frame -> Syndrome.isAck(frame.syndrome()));
    }

    /** A positive AETH with credits for this many messages. */
    FrameExpectation credits(int messages) {
        return syndrome(Syndrome.ackWithCredits(messages));
    }

    FrameExpectation msn(int value) {
        return field("msn", value, SentFrame::msn);
    }

    FrameExpectation payload(int length) {
        return field("payload", length, SentFrame::payloadLength);
    }

    FrameExpectation bytes(byte[] expected) {
        return field("bytes", Arrays.hashCode(expected), frame -> Arrays.hashCode(frame.payload())).payload(expected.length);
    }

    FrameExpectation ackReq() {
        return field("ackReq", true, SentFrame::isAckRequested);
    }

    FrameExpectation noAckReq() {
        return field("ackReq", false, SentFrame::isAckRequested);
    }

    /** With the mark or without it. */
    FrameExpectation marked(boolean on) {
        return field("marked", on, SentFrame::isMarked);
    }

    /** With a host delay, see FiveBitCode. */
    FrameExpectation hostDelay(int code) {
        return field("hostDelay", code, SentFrame::hostDelay);
    }

    /** With a rate of READ responses, see FiveBitCode. */
    FrameExpectation requestWait(int code) {
        return field("requestWait", code, SentFrame::requestWait);
    }

    FrameExpectation readRate(int code) {
        return field("readRate", code, SentFrame::readRate);
    }

    /** Sent several times, and says so. */
    FrameExpectation repeated() {
        return field("repeated", true, SentFrame::isRepeated);
    }

    /** With a gap report of these gaps and end, as {@link SentFrame#report} writes them, whatever its room; empty for none. */
    FrameExpectation report(String gapsAndEnd, int duplicates) {
        String expected = gapsAndEnd + " duplicates " + duplicates;
        return field("report", expected, frame -> frame.report().replaceFirst(" room .*", "")).marked(true);
    }

    FrameExpectation room(int packets) {
        return field("room", packets, frame -> Integer.parseInt(frame.report().replaceFirst(".* room ", "")));
    }

    FrameExpectation noReport() {
        return field("report", "", SentFrame::report);
    }

    /** On the path to the peer's first port, with this MigReq bit. */
    FrameExpectation onFirstPath(boolean migReq) {
        return onPath(Trace.OUR_GID, Trace.PEER_GID, migReq);
    }

    /** On the path between the second ports, with this MigReq bit. */
    FrameExpectation onSecondPath(boolean migReq) {
        return onPath(Trace.OUR_OTHER_GID, Trace.PEER_OTHER_GID, migReq);
    }

    private FrameExpectation onPath(Gid source, Gid destination, boolean migReq) {
        return field("source", source, frame -> frame.flow().source())
            .field("destination", destination, frame -> frame.flow().destination())
            .field("migReq", migReq, SentFrame::isMigrationRequest);
    }

    FrameExpectation solicited(boolean on) {
        return field("solicited", on, SentFrame::isSolicited);
    }

    FrameExpectation at(long address) {
        return field("address", address, SentFrame::address);
    }

    FrameExpectation key(int value) {
        return field("key", value, SentFrame::key);
    }

    FrameExpectation dmaLength(long value) {
        return field("dmaLength", value, SentFrame::dmaLength);
    }

    FrameExpectation immediate(int value) {
        return field("immediate", value, SentFrame::immediate);
    }

    /** How a frame differs, or null. */
    String mismatch(SentFrame sent) {
        if (sent.opcode() != opcode || sent.psn() != psn) {
            return "expected " + this + " but sent " + sent;
        }
        for (Field field : fields) {
            Object actual = field.reader().apply(sent);
            if (!field.value().equals(actual)) {
                return "expected " + this + " but " + field.name() + " is " + text(actual) + " in " + sent;
            }
        }
        return null;
    }

    private static String text(Object value) {
        return value instanceof Number number ? "0x" + Long.toHexString(number.longValue()) : String.valueOf(value);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(opcode + " " + Psn.toString(psn));
        for (Field field : fields) {
            text.append(' ').append(field.name()).append(' ').append(text(field.value()));
        }
        return text.toString();
    }
}
