package io.rxe.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WordingsTest {
    private static final long NS = 3_500_000_000L;

    @Test
    void aServerThatHasNotAnsweredYetIsNamedWithTheTimeAndWhatToCheck() {
        String text = Wordings.stillAsking("10.0.0.2 port 7174", NS, 4792, false);
        assertEquals("note: no answer from 10.0.0.2 port 7174 for 3.5 s, still asking; is the host up, does it have an RDMA device with"
            + " this address, does a firewall drop UDP port 4792?", text);
    }

    /** A kernel that still holds the connection of a run that was killed drops the request of the next as a copy. */
    @Test
    void aSeedIsSuspectedOfReusingNumbersTooEarly() {
        assertTrue(Wordings.stillAsking("10.0.0.2 port 7174", NS, 4791, true).contains("the queue pair and communication IDs are those of"
            + " the last run: a peer that still holds its connection"));
        assertFalse(Wordings.stillAsking("10.0.0.2 port 7174", NS, 4791, false).contains("seed"));
    }

    @Test
    void aConnectedPeerThatFallsSilentIsNamedWithTheTimeAndWhatToCheck() {
        assertEquals("nothing came from 10.0.0.2 for 3.5 s while waiting for its message: is it still running, does every link between"
            + " carry packets of our path MTU, has a firewall closed UDP port 4791? --stall-timeout waits longer",
            Wordings.stalled("10.0.0.2", "its message", NS, 4791));
    }
}
