package io.rxe.tools.flow;

import io.rxe.wire.Gid;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.List;
import java.util.TreeSet;

/**
 * What the checkers of Lumina (SIGCOMM 2023, github.com/lumina-test/lumina) demand of the capture of one transfer: go-back-N at its sender
 * and its receiver, of SENDs and WRITEs and of READs. A capture has what this end sent, and of the peer what was not lost. A receiver that
 * keeps what arrives behind a gap, which Lumina does not know, is held to the same rules about what it lacks.
 */
final class LuminaRules {
    private final List<FlowPacket> packets;
    private final Ends ends;
    private final boolean keeps;
    private final TreeSet<Long> kept = new TreeSet<>();
    /** Since the PSN that the transfer began with; -1 for none. */
    private long sent = -1;
    private long acked = -1;
    private long received = -1;
    private long nak = -1;
    private long lost = -1;
    private long asked = -1;
    private long askedEnd = -1;
    private int naks;
    private int timeouts;

    /**
     * The two queue pairs, of which the sender has the data: for READs the responder.
     *
     * @param packets with data, without what was sent again.
     */
    record Ends(Gid sender, int senderQpn, Gid receiver, int receiverQpn, int firstPsn, int mtu, int packets) {
        private boolean isToReceiver(FlowPacket packet) {
            return packet.qpn() == receiverQpn && packet.destination().equals(receiver);
        }

        private boolean isToSender(FlowPacket packet) {
            return packet.qpn() == senderQpn && packet.destination().equals(sender);
        }
    }

    /**
     * What a check found.
     *
     * @param refusal  what is wrong, with its frame; null for nothing.
     * @param naks     that caused a retransmission, or were sent.
     * @param timeouts retransmissions without one.
     */
    record Verdict(String refusal, int naks, int timeouts) {
    }

    private LuminaRules(List<FlowPacket> packets, Ends ends, boolean keeps) {
        this.packets = packets;
        this.ends = ends;
        this.keeps = keeps;
    }

    /** One step of a check; returns what is wrong, or null. */
    private interface Step {
        String on(FlowPacket packet, long psn, boolean toReceiver);
    }

    private Verdict check(Step step, boolean isOfReads) {
        for (FlowPacket packet : packets) {
            boolean toReceiver = ends.isToReceiver(packet);
            if (packet.opcode() != null && packet.invalidReason() == null && !packet.opcode().isNotification()
                && (toReceiver || ends.isToSender(packet))) {
                String wrong = step.on(packet, Psn.subtract(packet.psn(), ends.firstPsn()), toReceiver);
                if (wrong != null) {
                    return new Verdict("frame " + packet.name() + ": " + wrong, naks, timeouts);
                }
            }
        }
        long last = ends.packets() - 1;
        boolean isWhole = isOfReads ? askedEnd == last && (sent == last || received == last)
            : acked == last && (sent == last || received == last);
        return new Verdict(isWhole && nak < 0 && lost < 0 ? null : "it ends at " + Math.max(sent, received) + ", acknowledged " + acked
            + ", of " + last, naks, timeouts);
    }

    /** A sender goes on in order, or back: to what a NAK names, and without one after a timeout. */
    static Verdict sender(List<FlowPacket> packets, Ends ends) {
        LuminaRules rules = new LuminaRules(packets, ends, false);
        return rules.check(rules::onSent, false);
    }

    private String onSent(FlowPacket packet, long psn, boolean toReceiver) {
        if (!toReceiver) {
            return packet.isRequest() ? "the sender receives data" : packet.isRnrNak() ? null : onAnswer(packet, psn);
        }
        if (!packet.isRequest() || packet.opcode().isReadRequest()) {
            return "the sender sends no data";
        }
        if (psn != sent + 1 && psn == nak) {
            nak = -1;
            naks++;
        } else if (psn != sent + 1 && nak >= 0) {
            return "PSN " + psn + " is neither next nor what the NAK names, " + nak;
        } else if (psn != sent + 1) {
            timeouts++;
        }
        sent = psn;
        return null;
    }

    private String onAnswer(FlowPacket packet, long psn) {
        if (packet.syndrome() == Syndrome.PSN_SEQUENCE_ERROR) {
            String wrong = nak >= 0 ? "a second NAK while " + nak + " is missing" : null;
            nak = psn;
            return wrong;
        }
        String wrong = psn < acked ? "ACK of " + psn + " behind that of " + acked : null;
        acked = psn;
        return wrong;
    }

    /**
     * A receiver acknowledges in order, and tells each gap once, by its first packet.
     *
     * @param keeps whether it keeps what arrives behind a gap.
     */
    static Verdict receiver(List<FlowPacket> packets, Ends ends, boolean keeps) {
        LuminaRules rules = new LuminaRules(packets, ends, keeps);
        return rules.check(rules::onReceived, false);
    }

    private String onReceived(FlowPacket packet, long psn, boolean toReceiver) {
        if (toReceiver) {
            arrived(psn);
            nak = lost == nak ? nak : -1;
            return null;
        }
        if (packet.isRequest()) {
            return "the receiver sends data";
        }
        if (packet.isRnrNak()) {
            return null;
        }
        if (packet.syndrome() == Syndrome.PSN_SEQUENCE_ERROR) {
            naks++;
            if (psn != lost) {
                return "the NAK names " + psn + ", and " + lost + " is missing";
            }
        }
        return onAnswer(packet, psn);
    }

    private void arrived(long psn) {
        if (psn == received + 1) {
            received = psn;
            while (kept.remove(received + 1)) {
                received++;
            }
            lost = kept.isEmpty() ? psn == lost || keeps ? -1 : lost : received + 1;
        } else if (psn > received + 1) {
            lost = lost < 0 ? received + 1 : lost;
            if (keeps) {
                kept.add(psn);
            }
        }
    }

    /** A responder answers in order from where the latest request begins. */
    static Verdict readSender(List<FlowPacket> packets, Ends ends) {
        LuminaRules rules = new LuminaRules(packets, ends, false);
        return rules.check(rules::onReadSent, true);
    }

    private String onReadSent(FlowPacket packet, long psn, boolean toReceiver) {
        if (!toReceiver) {
            return ask(packet, psn);
        }
        if (!packet.opcode().isReadResponse()) {
            return "the sender sends no answer";
        }
        if (psn != sent + 1 && psn != asked) {
            return "the answer " + psn + " is neither next nor the first that was asked for, " + asked;
        }
        sent = psn;
        return null;
    }

    private String ask(FlowPacket packet, long psn) {
        asked = psn;
        askedEnd = psn + Math.max(1, (packet.requestBytes() + ends.mtu() - 1) / ends.mtu()) - 1;
        return packet.opcode().isReadRequest() ? null : "another request than a READ";
    }

    /**
     * A requester asks again for the first that is missing and all behind it, or for what is missing alone, and gets nothing twice.
     *
     * @param keeps whether it keeps what arrives behind a gap.
     */
    static Verdict readReceiver(List<FlowPacket> packets, Ends ends, boolean keeps) {
        LuminaRules rules = new LuminaRules(packets, ends, keeps);
        return rules.check(rules::onReadReceived, true);
    }

    private String onReadReceived(FlowPacket packet, long psn, boolean toReceiver) {
        if (toReceiver) {
            String wrong = !packet.opcode().isReadResponse() ? "the receiver gets no answer"
                : psn <= received || kept.contains(psn) ? "the answer " + psn + " arrives twice" : null;
            arrived(psn);
            return wrong;
        }
        long before = askedEnd;
        String wrong = ask(packet, psn);
        boolean isAgain = keeps ? askedEnd <= before : askedEnd == before;
        askedEnd = keeps ? Math.max(askedEnd, before) : askedEnd;
        if (!isAgain) {
            return wrong;
        }
        naks += lost < 0 ? 0 : 1;
        timeouts += lost < 0 ? 1 : 0;
        return psn == received + 1 ? wrong : "asks again for " + psn + ", and " + (received + 1) + " is missing";
    }
}
