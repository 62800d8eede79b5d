package io.rxe.tools.pingpong;

import io.rxe.tools.side.SideLink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * How the two ends notice that the other one has ended: the side channel stays open during the exchange of messages, and each end says
 * {@link #BYE} there when it ends.
 *
 * <p>The original programs close the side channel when the addresses are exchanged, and read nothing from it. So its end without that
 * word counts only where it came a while after the exchange.
 */
final class PingPongFarewell {
    /** The last message of this program's side. */
    static final byte[] BYE = "bye\0".getBytes(StandardCharsets.US_ASCII);
    /** The originals close within this time; a program that is killed within it is noticed by the limit on idle time. */
    private static final long ORIGINAL_CLOSES_NS = 2_000_000_000L;
    /** Nothing arrived for so long before the peer's end counts: its last messages may still be retransmitted. */
    private static final long IDLE_NS = 2_000_000_000L;

    private final SideLink link;
    private final long beganNs = System.nanoTime();
    private long idleSinceNs;
    private boolean idle;

    /** @param link over which the addresses were exchanged. */
    PingPongFarewell(SideLink link) {
        this.link = link;
        // Asks for the time of an end that comes while nobody is idle.
        link.isEnded();
    }

    /** Something arrived. */
    void progress() {
        idle = false;
    }

    /** Nothing arrived; returns whether the peer has ended and nothing arrived for two seconds. */
    boolean isOver() {
        long nowNs = System.nanoTime();
        if (!idle) {
            idle = true;
            idleSinceNs = nowNs;
        }
        return nowNs - idleSinceNs >= IDLE_NS && link.isEnded() && (isBye() || link.endedNs() - beganNs > ORIGINAL_CLOSES_NS);
    }

    /** The side channel has ended, so this does not wait. */
    private boolean isBye() {
        try {
            return Arrays.equals(link.readExactly(BYE.length), BYE);
        } catch (IOException e) {
            return false;
        }
    }

    /** This end ends. */
    void say() {
        try {
            link.write(BYE);
        } catch (IOException e) {
            // The peer has closed the side channel, as the originals do.
            return;
        }
    }
}
