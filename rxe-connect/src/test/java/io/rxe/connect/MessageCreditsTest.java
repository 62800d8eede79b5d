package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Credits: no message arrives before its receive is posted, and none waits for ever")
class MessageCreditsTest {
    /** One side of a connection in a model: messages are on the wire until the other side takes them. */
    private static final class Side {
        /** A message without immediate data. */
        static final int NOTHING = -1;
        final MessageCredits credits;
        final ArrayDeque<Integer> wire = new ArrayDeque<>();
        final int receives;
        int arrivedAndNotPosted;
        int sent;
        int received;
        int creditMessages;

        Side(int depth) {
            credits = new MessageCredits(depth);
            receives = depth + MessageCredits.EXTRA_RECEIVES;
        }

        boolean send(Side peer) {
            if (!credits.tryTake()) {
                return false;
            }
            sent++;
            long announcement = credits.announce(credits.announced());
            deliver(peer, announcement == MessageCredits.NOTHING ? NOTHING : MessageCredits.inMessage(announcement));
            return true;
        }

        void announce(Side peer) {
            long announcement = credits.announceCredits(credits.announced());
            if (announcement != MessageCredits.NOTHING) {
                creditMessages++;
                deliver(peer, MessageCredits.inCreditMessage(announcement));
            }
        }

        /** It takes a receive as soon as it is on the wire, which is the worst case. */
        private void deliver(Side peer, int immediate) {
            peer.arrivedAndNotPosted++;
            assertTrue(peer.arrivedAndNotPosted <= peer.receives,
                () -> peer.arrivedAndNotPosted + " messages for " + peer.receives + " receives: an RNR NAK");
            wire.add(immediate);
        }

        void take(Side peer) {
            int immediate = peer.wire.remove();
            arrivedAndNotPosted--;
            if (immediate != NOTHING) {
                credits.onAnnouncement(immediate);
            }
            if (immediate == NOTHING || !MessageCredits.isCreditMessage(immediate)) {
                received++;
                assertTrue(credits.onMessage());
                credits.onReceivePosted();
            }
        }
    }

    @ParameterizedTest(name = "receives {0} and {1}")
    @CsvSource({"1,1", "1,2", "2,2", "3,1", "3,3", "5,4", "7,64", "64,64", "8192,3"})
    void noReceiveIsMissingInAnyOrder(int left, int right) {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Side a = new Side(left);
            Side b = new Side(right);
            a.credits.onGreeting(right);
            b.credits.onGreeting(left);
            int bias = random.nextInt(1, 10);
            for (int step = 0; step < 2000; step++) {
                boolean first = random.nextInt(10) < bias;
                Side side = first ? a : b;
                Side peer = first ? b : a;
                if (random.nextBoolean()) {
                    side.send(peer);
                } else if (!peer.wire.isEmpty()) {
                    side.take(peer);
                    side.announce(peer);
                }
            }
            drain(a, b);
            assertEquals(a.sent, b.received);
            assertEquals(b.sent, a.received);
            assertTrue(a.send(b) && b.send(a), "after all has arrived both sides may send");
        }
    }

    private static void drain(Side a, Side b) {
        while (!a.wire.isEmpty() || !b.wire.isEmpty()) {
            if (!a.wire.isEmpty()) {
                b.take(a);
                b.announce(a);
            }
            if (!b.wire.isEmpty()) {
                a.take(b);
                a.announce(b);
            }
        }
    }

    @Test
    @DisplayName("one side only sends: the other answers with one credit message for half of its receives")
    void oneSideOnlySends() {
        Side a = new Side(64);
        Side b = new Side(64);
        a.credits.onGreeting(64);
        b.credits.onGreeting(64);
        for (int message = 0; message < 6400; message++) {
            assertTrue(a.send(b));
            b.take(a);
            b.announce(a);
            while (!b.wire.isEmpty()) {
                a.take(b);
                a.announce(b);
            }
        }
        assertEquals(200, b.creditMessages);
        assertEquals(0, a.creditMessages);
    }

    @Test
    @DisplayName("both sides send: each announces with every 16th message for 64 receives, and no credit message is needed")
    void announcementsTravelInMessages() {
        Side a = new Side(64);
        Side b = new Side(64);
        a.credits.onGreeting(64);
        b.credits.onGreeting(64);
        int announcements = 0;
        for (int message = 0; message < 6400; message++) {
            assertTrue(a.send(b));
            b.take(a);
            b.announce(a);
            assertTrue(b.send(a));
            announcements += b.wire.peek() == Side.NOTHING ? 0 : 1;
            a.take(b);
            a.announce(b);
        }
        assertEquals(400, announcements);
        assertEquals(0, a.creditMessages + b.creditMessages);
    }

    @Test
    @DisplayName("a message that no receive was announced for is noticed")
    void oneMessageTooMany() {
        MessageCredits credits = new MessageCredits(2);
        assertTrue(credits.onMessage());
        assertTrue(credits.onMessage());
        assertFalse(credits.onMessage());
    }

    @Test
    @DisplayName("an announcement that was not sent is due again, unless a later one was made")
    void withdrawn() {
        MessageCredits credits = new MessageCredits(4);
        assertEquals(MessageCredits.NOTHING, credits.announce(4), "nothing was posted");
        credits.onReceivePosted();
        assertEquals(5, credits.announce(4));
        assertEquals(MessageCredits.NOTHING, credits.announce(4), "another thread announced it");
        assertEquals(MessageCredits.NOTHING, credits.announce(5));
        credits.withdraw(5, 4);
        assertEquals(4, credits.announced());
        assertEquals(5, credits.announce(4));
        credits.onReceivePosted();
        assertEquals(6, credits.announce(5));
        credits.withdraw(5, 4);
        assertEquals(6, credits.announced());
    }

    @Test
    void theNumbersWrap() {
        MessageCredits credits = new MessageCredits(1);
        credits.onGreeting(8);
        int limit = 8;
        for (long total = 0; total < 0x2_0000_0010L; total += 0x2000_0000L) {
            limit = limit + 0x2000_0000 & 0x7FFF_FFFF;
            credits.onAnnouncement(limit);
            assertTrue(credits.isAvailable());
        }
        credits.onAnnouncement(limit - 5 & 0x7FFF_FFFF);
        assertTrue(credits.tryTake(), "a number that was overtaken takes nothing away");
    }

    @Test
    void withoutCreditsNothingIsSent() {
        MessageCredits credits = new MessageCredits(4);
        assertFalse(credits.tryTake());
        credits.onGreeting(1);
        assertTrue(credits.tryTake());
        assertFalse(credits.tryTake());
        credits.giveBack();
        assertTrue(credits.tryTake());
    }
}
