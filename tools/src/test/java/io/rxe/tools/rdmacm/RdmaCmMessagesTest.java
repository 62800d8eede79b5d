package io.rxe.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RdmaCmMessagesTest {
    private static final long NS = 3_500_000_000L;

    @Test
    void aServerThatDoesNotReplyIsReportedWithTimeAndRemedy() {
        String text = RdmaCmMessages.stillConnecting("10.0.0.2 port 7174", NS, 4792, false);
        assertEquals("note: no reply from 10.0.0.2 port 7174 for 3.5 s, still trying; is the host up, does it have an RDMA device with"
            + " this address, does a firewall drop UDP port 4792?", text);
    }

    /** A kernel that still holds the connection of a killed run drops the request of the next run as a duplicate. */
    @Test
    void withASeedTheNoteNamesReusedNumbers() {
        assertTrue(RdmaCmMessages.stillConnecting("10.0.0.2 port 7174", NS, 4791,
            true).contains("the queue pair and communication IDs are those of"
            + " the last run: a peer that still holds its connection"));
        assertFalse(RdmaCmMessages.stillConnecting("10.0.0.2 port 7174", NS, 4791, false).contains("seed"));
    }

    @Test
    void aStallNamesPeerTimeAndRemedy() {
        assertEquals("nothing arrived from 10.0.0.2 for 3.5 s while waiting for its message: is it still running, does every link between"
            + " carry packets of our path MTU, does a firewall drop UDP port 4791? A larger --stall-timeout waits longer",
            RdmaCmMessages.stalled("10.0.0.2", "its message", NS, 4791));
    }
}
