package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.rxe.counters.Drops;
import io.rxe.counters.NicCounter;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The data path end to end without a socket: every operation moves its data and allocates nothing. */
class NicPairTest {
    private static final int HALF = 1 << 20;

    private final Random random = new Random(7);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1023, 1024, 1025, 65536, 1 << 20})
    @DisplayName("P3 R15 K1 to K9 every operation moves its data, across the wrap of the PSN")
    void everyOperationMovesItsData(int size) {
        NicPair nics = new NicPair().guarded();
        NicPair.End a = nics.left;
        NicPair.End b = nics.right;
        for (int i = 0; i < HALF; i++) {
            a.memory.put(i, (byte) random.nextInt());
        }
        assertTrue(b.pair.postReceive(new ReceiveRequest().id(9).add(b.region, 0, HALF)));
        a.post(new WorkRequest().id(1).sendWithImmediate(77).add(a.region, 0, size));
        nics.run();
        assertEquals(CompletionStatus.SUCCESS, a.take(1).status());
        WorkCompletion received = b.take(9);
        assertEquals(CompletionStatus.SUCCESS, received.status(), received::toString);
        assertEquals(size, received.byteLength());
        assertEquals(77, received.immediate());
        assertEquals(a.memory.slice(0, size), b.memory.slice(0, size));
        a.post(new WorkRequest().id(2).write(b.region.address() + HALF, b.region.rKey()).add(a.region, 0, size));
        a.post(new WorkRequest().id(3).read(b.region.address() + HALF, b.region.rKey()).add(a.region, HALF, size));
        nics.run();
        assertEquals(CompletionStatus.SUCCESS, a.take(2).status());
        assertEquals(CompletionStatus.SUCCESS, a.take(3).status());
        assertEquals(a.memory.slice(0, size), a.memory.slice(HALF, size));
        assertEquals(0, nics.leftNic.counter(NicCounter.RETRANSMITTED_PKTS));
        assertEquals(0, Drops.of(nics.rightNic.engine(0).counters()));
        // An ACK may arrive after the response to a READ that acknowledged the same requests.
        assertEquals(nics.leftNic.counter(DropReason.DUPLICATE_RESPONSE), Drops.of(nics.leftNic.engine(0).counters()));
    }

    @Test
    @DisplayName("R18 a sink with little room serves all queue pairs round robin")
    void aFullSinkServesAllRoundRobin() {
        NicPair nics = new NicPair();
        NicPair.End a = nics.end(nics.leftNic, null);
        NicPair.End b = nics.end(nics.rightNic, null);
        nics.connect(a, b);
        nics.toRight.limit(1);
        for (NicPair.End end : List.of(nics.left, a)) {
            end.memory.put(0, (byte) 1);
            NicPair.End peer = end == a ? b : nics.right;
            end.post(new WorkRequest().id(1).write(peer.region.address(), peer.region.rKey()).add(end.region, 0, HALF));
        }
        nics.steps(20);
        assertEquals(1, nics.right.memory.get(0));
        assertEquals(1, b.memory.get(0), "the second queue pair was never served");
    }

    @Test
    @DisplayName("a queue pair without a timeslice in a bounded poll is first in the next poll")
    void noQueuePairIsPassedOver() {
        NicPair nics = new NicPair();
        List<NicPair.End> senders = List.of(nics.left, nics.end(nics.leftNic, null), nics.end(nics.leftNic, null));
        List<NicPair.End> receivers = List.of(nics.right, nics.end(nics.rightNic, null), nics.end(nics.rightNic, null));
        for (int i = 1; i < senders.size(); i++) {
            nics.connect(senders.get(i), receivers.get(i));
        }
        writeAll(senders, receivers, 0);
        nics.run();
        // The windows are open now: two of the three queue pairs exhaust the work bound of a poll.
        writeAll(senders, receivers, 1);
        nics.steps(2);
        for (NicPair.End receiver : receivers) {
            assertEquals(1, receiver.memory.get(0), "a queue pair had no timeslice in two polls");
        }
    }

    private static void writeAll(List<NicPair.End> senders, List<NicPair.End> receivers, int value) {
        for (int i = 0; i < senders.size(); i++) {
            NicPair.End sender = senders.get(i);
            NicPair.End receiver = receivers.get(i);
            sender.memory.put(0, (byte) value);
            sender.post(new WorkRequest().id(1).write(receiver.region.address(), receiver.region.rKey()).add(sender.region, 0, HALF));
        }
    }

    /** Posts, runs both engines and polls; reuses its requests. */
    private static final class Exchange {
        private static final int BATCH = 8;

        private final NicPair nics = new NicPair();
        private final WorkRequest send = new WorkRequest().send().add(nics.left.region, 0, 3000);
        private final WorkRequest write = new WorkRequest().write(nics.right.region.address(), nics.right.region.rKey())
            .add(nics.left.region, 0, 5000);
        private final WorkRequest read = new WorkRequest().read(nics.right.region.address(), nics.right.region.rKey())
            .add(nics.left.region, 8192, 5000);
        private final WorkRequest add = new WorkRequest().fetchAndAdd(nics.right.region.address(), nics.right.region.rKey(), 1)
            .add(nics.left.region, 0, 8);
        private final WorkRequest atomicWrite = new WorkRequest().atomicWrite(nics.right.region.address(), nics.right.region.rKey())
            .add(nics.left.region, 0, 8);
        private final WorkRequest flush = new WorkRequest().flush(nics.right.region.address(), nics.right.region.rKey(), 4096,
            FlushType.GLOBAL, FlushLevel.RANGE);
        private final ReceiveRequest receive = new ReceiveRequest().add(nics.right.region, 65536, 4096);
        private final WorkCompletion[] completions = new WorkCompletion[64];

        Exchange() {
            for (int i = 0; i < completions.length; i++) {
                completions[i] = new WorkCompletion();
            }
        }

        int round() {
            for (int i = 0; i < BATCH; i++) {
                nics.right.pair.postReceive(receive);
                nics.left.pair.postSend(send);
                nics.left.pair.postSend(write);
                nics.left.pair.postSend(read);
                nics.left.pair.postSend(add);
                nics.left.pair.postSend(atomicWrite);
                nics.left.pair.postSend(flush);
            }
            nics.run();
            int done = nics.left.queue.poll(completions);
            for (int i = 0; i < done; i++) {
                done = completions[i].isSuccess() ? done : -1;
            }
            return done + nics.right.queue.poll(completions);
        }
    }

    @Test
    @DisplayName("in the steady state SEND, WRITE, READ, atomics, ATOMIC_WRITE and FLUSH allocate nothing, from posting to polling")
    void theDataPathAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Exchange exchange = new Exchange();
        for (int i = 0; i < 3000; i++) {
            assertEquals(7 * Exchange.BATCH, exchange.round());
        }
        long id = Thread.currentThread().getId();
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 10; attempt++) {
            long before = threads.getThreadAllocatedBytes(id);
            for (int i = 0; i < 200; i++) {
                exchange.round();
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
        }
        long packets = 200L * Exchange.BATCH * 24;
        long bytes = least;
        assertTrue(bytes < packets / 100, () -> bytes + " bytes were allocated for " + packets + " packets");
    }
}
