package io.rxe.device;

import io.rxe.wire.Gid;
import java.util.HashMap;
import java.util.Map;

/**
 * Decides whether a recovered IPv4 identification is plausible. {@link io.rxe.wire.Icrc#recoverIpId} spends 16 of the ICRC's 32 bits on
 * recovering it and verifies the packet with the other 16. When the identification also continues the sender's sequence, or starts a
 * batch (0), the packet is verified to nearly 32 bits.
 *
 * <p>Owned by the engine thread.
 */
final class IpIdTracker {
    /** Largest plausible step: the sender also numbers packets to other hosts in between. */
    private static final int MAX_STEP = 64;
    /** The table is cleared when it is full, so spoofed source addresses cannot exhaust memory. */
    private static final int MAX_SENDERS = 65536;

    private static final class Sender {
        private int lastId = -1;
    }

    private final Map<Gid, Sender> senders = new HashMap<>();
    private Gid lastGid;
    private Sender lastSender;

    /** Records the identification of a packet, and returns whether it is plausible. */
    boolean isPlausible(Gid source, int id) {
        Sender sender = find(source);
        int step = id - sender.lastId & 0xFFFF;
        boolean continues = sender.lastId >= 0 && step != 0 && step <= MAX_STEP;
        sender.lastId = id;
        return continues || id == 0;
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
