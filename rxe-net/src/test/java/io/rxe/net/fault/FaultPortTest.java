package io.rxe.net.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.PortLayer;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults in simulated time over a port in memory. */
class FaultPortTest {
    private static final int FRAMES = 20_000;
    private static final int FRAME_BYTES = 20;
    private static final Flow OUT = new Flow(Gid.parse("127.0.0.1"), Gid.parse("127.0.0.2"), 4791, 4791);
    private static final Flow IN = new Flow(Gid.parse("127.0.0.2"), Gid.parse("127.0.0.1"), 4791, 4791);

    private final MemoryPort socket = new MemoryPort(IN);
    private final NetCounters counters = new NetCounters(null, null);
    private final List<byte[]> received = new ArrayList<>();
    private long nowNs = 1_000;
    private FaultPort port;

    private FaultPort open(String words, long seed) throws Exception {
        port = new FaultPort(socket, FaultSpec.parse(words), counters, new SplittableRandom(seed), () -> nowNs);
        port.start(null, (buffer, offset, lengthBytes, flow) -> {
            assertEquals(IN, flow);
            byte[] copy = new byte[lengthBytes];
            buffer.getBytes(offset, copy);
            received.add(copy);
        }, () -> { });
        return port;
    }

    private static byte[] frame(int number) {
        byte[] bytes = new byte[FRAME_BYTES];
        new UnsafeBuffer(bytes).putInt(0, number);
        return bytes;
    }

    private static int number(byte[] frame) {
        return new UnsafeBuffer(frame).getInt(0);
    }

    private static List<Integer> numbers(List<byte[]> frames) {
        return frames.stream().map(FaultPortTest::number).toList();
    }

    private SendStatus send(int number) {
        return port.send(OUT, new UnsafeBuffer(frame(number)), 0, FRAME_BYTES, FRAME_BYTES);
    }

    private void sendAll(int frames) {
        for (int number = 0; number < frames; number++) {
            assertEquals(SendStatus.SENT, send(number));
        }
    }

    private void receiveAll(int frames) {
        for (int number = 0; number < frames; number++) {
            socket.arriving.add(frame(number));
        }
        port.receive(Integer.MAX_VALUE);
    }

    private void assertShare(double expected, long count) {
        // Five standard deviations; the seed is fixed.
        assertEquals(expected * FRAMES, count, 5 * Math.sqrt(FRAMES * expected * (1 - expected)));
    }

    @Test
    void lossTakesItsShareInBothDirections() throws Exception {
        open("loss 3%", 1);
        sendAll(FRAMES);
        assertShare(0.03, counters.get(NetCounter.FAULT_LOST));
        assertEquals(FRAMES, socket.sent.size() + counters.get(NetCounter.FAULT_LOST));
        long lostOut = counters.get(NetCounter.FAULT_LOST);
        receiveAll(FRAMES);
        assertShare(0.03, counters.get(NetCounter.FAULT_LOST) - lostOut);
        assertEquals(FRAMES, received.size() + counters.get(NetCounter.FAULT_LOST) - lostOut);
        assertEquals(Long.MAX_VALUE, port.nextDeadlineNs());
    }

    @Test
    void burstsLoseTheShareOfTheModelInRuns() throws Exception {
        open("loss gemodel 1% 25%", 2);
        sendAll(FRAMES);
        // Bad for 1/(1+25) of the time, four packets long on average.
        long lost = counters.get(NetCounter.FAULT_LOST);
        assertEquals(FRAMES / 26.0, lost, FRAMES / 26.0 * 0.3);
        int runs = 0;
        List<Integer> arrived = numbers(socket.sent);
        for (int at = 1; at < arrived.size(); at++) {
            runs += arrived.get(at) - arrived.get(at - 1) > 1 ? 1 : 0;
        }
        assertEquals(4.0, (double) lost / runs, 1);
    }

    @Test
    void aDuplicateFollowsItsOriginal() throws Exception {
        open("duplicate 100%", 1);
        sendAll(3);
        assertEquals(List.of(0, 0, 1, 1, 2, 2), numbers(socket.sent));
        receiveAll(2);
        assertEquals(List.of(0, 0, 1, 1), numbers(received));
        assertEquals(5, counters.get(NetCounter.FAULT_DUPLICATED));
    }

    @Test
    void aFrameBothLostAndDuplicatedArrivesOnce() throws Exception {
        open("duplicate 100% loss 100%", 1);
        sendAll(3);
        assertEquals(List.of(0, 1, 2), numbers(socket.sent));
    }

    @Test
    void corruptionFlipsOneBitAndDoesNotChangeTheSendersBuffer() throws Exception {
        open("corrupt 100%", 1);
        UnsafeBuffer buffer = new UnsafeBuffer(frame(7));
        boolean[] positions = new boolean[8 * FRAME_BYTES];
        for (int iteration = 0; iteration < FRAMES; iteration++) {
            port.send(OUT, buffer, 0, FRAME_BYTES, FRAME_BYTES);
            UnsafeBuffer arrived = new UnsafeBuffer(socket.sent.get(iteration));
            int flipped = 0;
            for (int bit = 0; bit < 8 * FRAME_BYTES; bit++) {
                if (((arrived.getByte(bit >> 3) ^ buffer.getByte(bit >> 3)) >> (bit & 7) & 1) == 1) {
                    flipped++;
                    positions[bit] = true;
                }
            }
            assertEquals(1, flipped);
        }
        assertArrayEquals(frame(7), buffer.byteArray());
        for (boolean position : positions) {
            assertTrue(position, "every bit is flipped some time");
        }
        assertEquals(FRAMES, counters.get(NetCounter.FAULT_CORRUPTED));
    }

    @Test
    void anEmptyDatagramCannotBeCorrupted() throws Exception {
        open("corrupt 100%", 1);
        socket.arriving.add(new byte[0]);
        port.receive(Integer.MAX_VALUE);
        assertEquals(0, received.get(0).length);
        assertEquals(0, counters.get(NetCounter.FAULT_CORRUPTED));
    }

    @Test
    void aDelayHoldsFramesUntilTheyAreDue() throws Exception {
        open("delay 1ms", 1);
        send(1);
        nowNs += 400_000;
        socket.arriving.add(frame(2));
        port.receive(Integer.MAX_VALUE);
        assertEquals(1_001_000, port.nextDeadlineNs());
        nowNs = 1_000_999;
        assertEquals(0, port.receive(Integer.MAX_VALUE));
        assertEquals(List.of(), numbers(socket.sent));
        nowNs = 1_001_000;
        assertEquals(1, port.receive(Integer.MAX_VALUE));
        assertEquals(List.of(1), numbers(socket.sent));
        assertEquals(1_401_000, port.nextDeadlineNs());
        nowNs = 1_401_000;
        assertEquals(1, port.receive(Integer.MAX_VALUE));
        assertEquals(List.of(2), numbers(received));
        assertEquals(Long.MAX_VALUE, port.nextDeadlineNs());
        assertEquals(2, counters.get(NetCounter.FAULT_DELAYED));
    }

    @Test
    void jitterStaysInItsRangeAndLetsFramesOvertake() throws Exception {
        open("delay 1ms 200us limit 16384", 1);
        sendAll(1000);
        nowNs += 799_999;
        assertEquals(0, port.receive(1));
        nowNs += 200_001;
        int half = port.receive(1);
        assertTrue(half > 400 && half < 600, half + " left in the first half");
        nowNs += 200_000;
        assertEquals(1000 - half, port.receive(1));
        List<Integer> order = numbers(socket.sent);
        List<Integer> sorted = new ArrayList<>(order);
        sorted.sort(null);
        assertFalse(order.equals(sorted), "some overtook others");
        assertEquals(1000, sorted.stream().distinct().count());
    }

    @Test
    void aCorrelatedDrawChangesSlowly() {
        Chance chance = new Chance(new Probability(1, 0.99), new SplittableRandom(1));
        double last = chance.draw();
        for (int iteration = 0; iteration < FRAMES; iteration++) {
            double next = chance.draw();
            assertEquals(last, next, 0.01);
            last = next;
        }
    }

    @Test
    void reorderedFramesLeaveAtOnceAndTheOthersLater() throws Exception {
        open("reorder 25% delay 1ms limit 16384", 3);
        sendAll(10_000);
        int early = socket.sent.size();
        assertEquals(2_500, early, 250);
        assertEquals(early, counters.get(NetCounter.FAULT_REORDERED));
        nowNs += 1_000_000;
        port.receive(1);
        assertEquals(10_000, socket.sent.size());
        List<Integer> late = numbers(socket.sent.subList(early, 10_000));
        assertEquals(late.stream().sorted().toList(), late, "delayed frames keep their order");
    }

    @Test
    void aGapReordersEveryNthFrame() throws Exception {
        open("delay 1ms gap 4", 1);
        sendAll(12);
        assertEquals(List.of(3, 7, 11), numbers(socket.sent));
    }

    @Test
    void aRateSpacesFramesByTheirLengthOnTheWire() throws Exception {
        open("rate 8mbit", 1);
        sendAll(3);
        // 14 bytes of Ethernet, 28 of IP and UDP, 20 of frame, at one byte a microsecond.
        for (int frame = 1; frame <= 3; frame++) {
            assertEquals(1_000 + frame * 62_000, port.nextDeadlineNs());
            nowNs = port.nextDeadlineNs();
            assertEquals(1, port.receive(1));
        }
        nowNs += 1_000_000;
        send(4);
        assertEquals(nowNs + 62_000, port.nextDeadlineNs(), "an idle line accumulates no credit");
    }

    @Test
    void whatDoesNotEnterTheQueueTakesNoTimeOfTheLine() throws Exception {
        open("rate 8mbit limit 10", 1);
        // 62 bytes on the wire take 62 us: twice as many are sent as the line carries.
        for (int number = 0; number < 1000; number++) {
            send(number);
            nowNs += 31_000;
            port.receive(1);
        }
        assertEquals(500, socket.sent.size(), 1);
        assertEquals(1000 - 500 - 10, counters.get(NetCounter.FAULT_OVERFLOW), 2);
    }

    @Test
    void moreThanTheLimitIsDroppedAndCounted() throws Exception {
        open("delay 1ms limit 5", 1);
        sendAll(8);
        nowNs += 1_000_000;
        assertEquals(5, port.receive(1));
        assertEquals(List.of(0, 1, 2, 3, 4), numbers(socket.sent));
        assertEquals(3, counters.get(NetCounter.FAULT_OVERFLOW));
        sendAll(5);
        nowNs += 1_000_000;
        assertEquals(5, port.receive(1), "held frames are reused");
    }

    @Test
    void aFullSocketKeepsTheOrderAndDrawsOnce() throws Exception {
        open("duplicate 1%", 1);
        socket.results.add(SendStatus.BUSY);
        socket.results.add(SendStatus.BUSY);
        sendAll(3);
        assertEquals(List.of(0, 1, 2), numbers(socket.sent));
        socket.results.addAll(List.of(SendStatus.BUSY, SendStatus.BUSY, SendStatus.BUSY, SendStatus.BUSY));
        send(3);
        send(4);
        assertEquals(List.of(0, 1, 2), numbers(socket.sent));
        assertEquals(Long.MAX_VALUE, port.nextDeadlineNs(), "the socket reports when it has room");
        port.receive(1);
        port.receive(1);
        assertEquals(List.of(0, 1, 2, 3, 4), numbers(socket.sent));
    }

    @Test
    void aFailedSendIsReportedOrCounted() throws Exception {
        open("delay 1ms reorder 50%", 1);
        for (int iteration = 0; iteration < 20; iteration++) {
            socket.results.add(SendStatus.FAILED);
        }
        int failedAtOnce = 0;
        for (int iteration = 0; iteration < 20; iteration++) {
            failedAtOnce += send(iteration) == SendStatus.FAILED ? 1 : 0;
        }
        nowNs += 1_000_000;
        port.receive(1);
        assertTrue(failedAtOnce > 0);
        assertEquals(20, failedAtOnce + counters.get(NetCounter.DROPPED_FRAMES));
    }

    @Test
    void closingThePortSendsTheDelayedFrames() throws Exception {
        open("delay 1s", 1);
        sendAll(3);
        port.close();
        port.close();
        assertEquals(List.of(0, 1, 2), numbers(socket.sent));
        assertTrue(socket.closed);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 99})
    void theSameSeedMakesTheSameFaults(long seed) throws Exception {
        String words = "loss 5% duplicate 5% reorder 10% 25% corrupt 5% delay 1ms 300us";
        List<byte[]> first = run(words, seed);
        List<byte[]> second = run(words, seed);
        assertEquals(first.size(), second.size());
        for (int at = 0; at < first.size(); at++) {
            assertArrayEquals(first.get(at), second.get(at));
        }
        List<byte[]> other = run(words, seed + 1000);
        assertFalse(first.size() == other.size() && Arrays.deepEquals(first.toArray(), other.toArray()));
    }

    private List<byte[]> run(String words, long seed) throws Exception {
        socket.sent.clear();
        nowNs = 0;
        open(words, seed);
        for (int frame = 0; frame < 500; frame++) {
            send(frame);
            nowNs += 10_000;
            port.receive(1);
        }
        nowNs += 10_000_000;
        port.receive(1);
        return List.copyOf(socket.sent);
    }

    @Test
    void eachPortOfALayerHasItsOwnStreamDeterminedByTheSeed() {
        List<List<Integer>> first = twoPorts();
        assertEquals(first, twoPorts());
        assertFalse(first.get(0).equals(first.get(1)));
    }

    private static List<List<Integer>> twoPorts() {
        List<List<Integer>> arrived = new ArrayList<>();
        PortLayer layer = FaultSpec.parse("loss 50%").layer(5);
        for (int port = 0; port < 2; port++) {
            MemoryPort memory = new MemoryPort(IN);
            UdpPort faulty = layer.around(memory, new NetCounters(null, null));
            for (int number = 0; number < 64; number++) {
                faulty.send(OUT, new UnsafeBuffer(frame(number)), 0, FRAME_BYTES, FRAME_BYTES);
            }
            arrived.add(numbers(memory.sent));
        }
        return arrived;
    }

    @Test
    void batchesAreNotAccepted() throws Exception {
        open("loss 1%", 1);
        assertTrue(socket.canSegment());
        assertFalse(port.canSegment());
    }

    @Test
    void aDatagramLongerThanAnyFrameIsHeldToo() throws Exception {
        open("delay 1ms", 1);
        socket.arriving.add(new byte[60_000]);
        port.receive(1);
        nowNs += 1_000_000;
        port.receive(1);
        assertEquals(60_000, received.get(0).length);
    }
}
