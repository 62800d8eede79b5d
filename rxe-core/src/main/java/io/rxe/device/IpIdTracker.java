package io.rxe.device;

import io.rxe.wire.Gid;
import io.rxe.wire.IcrcVerdict;
import java.util.HashMap;
import java.util.Map;

/**
 * Judges how far a recovered IPv4 identification can be believed. The ICRC yields it with 16 bits to spare; when it also continues the
 * sender's sequence, or begins a batch (0), the packet is verified to nearly 32.
 *
 * <p>Owned by the engine thread.
 */
final class IpIdTracker {
    /** The sender numbers packets to others in between: a step up to this is no surprise. */
    private static final int PLAUSIBLE_STEP = 64;
    private static final int MAX_SENDERS = 65536;

    private static final class Sender {
        private int lastId = -1;
    }

    private final Map<Gid, Sender> senders = new HashMap<>();
    private Gid lastGid;
    private Sender lastSender;

    /** Records the identification of a packet that passed and judges it. */
    IcrcVerdict judge(Gid source, int id) {
        Sender sender = find(source);
        int step = id - sender.lastId & 0xFFFF;
        boolean continues = sender.lastId >= 0 && step != 0 && step <= PLAUSIBLE_STEP;
        sender.lastId = id;
        return continues || id == 0 ? IcrcVerdict.FULL : IcrcVerdict.INFERRED;
    }

    private Sender find(Gid source) {
        if (source != lastGid) {
            if (senders.size() >= MAX_SENDERS) {
                senders.clear();
            }
            lastSender = senders.computeIfAbsent(source, gid -> new Sender());
            lastGid = source;
        }
        return lastSender;
    }
}
