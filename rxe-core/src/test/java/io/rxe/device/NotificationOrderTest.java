package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a listener is notified of a message: before or after the message is acknowledged. */
class NotificationOrderTest {
    private static final int ROUNDS = 20;
    private static final int READS_IN_FLIGHT = 8;
    private static final int READ_BYTES = 1 << 20;
    private static final int MOST_READS = 200;
    private static final int STEPS_BEFORE_THE_SEND = 50;

    /** The orders that the rounds had. */
    private final Set<List<Operation>> orders = new HashSet<>();
    private NicPair.End client;
    private NicPair.End server;

    private static ReceiveRequest receive(NicPair.End end, long id) {
        return new ReceiveRequest().id(id).add(end.region, 0, 64);
    }

    private static WorkRequest send(NicPair.End end, long id) {
        return new WorkRequest().id(id).send().add(end.region, 64, 64);
    }

    private void answer() {
        WorkCompletion completion = new WorkCompletion();
        while (server.queue.poll(completion)) {
            if (completion.operation() == Operation.RECEIVE) {
                server.post(send(server, completion.workRequestId()));
            }
        }
        server.queue.requestNotification(false);
    }

    /** The order in which a client's completions come whose server answers each message in a listener. */
    private List<Operation> clientSees(Function<Consumer<CompletionQueue>, CompletionChannel> kind) {
        return clientSees(pair -> pair.end(pair.rightNic, kind.apply(queue -> answer())), pair -> { });
    }

    /** @param beforeRun what happens between the post of a message and its answer. */
    private List<Operation> clientSees(Function<NicPair, NicPair.End> newServer, Consumer<NicPair> beforeRun) {
        NicPair pair = new NicPair();
        client = pair.end(pair.leftNic, null);
        server = newServer.apply(pair);
        pair.connect(client, server);
        server.queue.requestNotification(false);
        WorkCompletion first = new WorkCompletion();
        WorkCompletion second = new WorkCompletion();
        for (int round = 0; round < ROUNDS; round++) {
            assertTrue(client.pair.postReceive(receive(client, round)));
            assertTrue(server.pair.postReceive(receive(server, round)));
            client.post(send(client, round));
            beforeRun.accept(pair);
            pair.run();
            assertTrue(client.queue.poll(first) && client.queue.poll(second));
            assertEquals(round, first.workRequestId());
            assertEquals(round, second.workRequestId());
            orders.add(List.of(first.operation(), second.operation()));
        }
        return List.of(first.operation(), second.operation());
    }

    @Test
    @DisplayName("an answer follows the acknowledgement where the listener is notified after acknowledging")
    void answerFollowsTheAcknowledgement() {
        assertEquals(List.of(Operation.SEND, Operation.RECEIVE), clientSees(CompletionChannel::callingAfterAcknowledging));
    }

    private NicPair.End serverThatAcknowledgesFirst(NicPair pair) {
        return pair.endThatAcknowledgesFirst(pair.rightNic, CompletionChannel.calling(queue -> answer()));
    }

    @Test
    @DisplayName("an answer of a listener that posts itself follows the acknowledgement where the queue pair acknowledges first")
    void answerOfAQueuePairThatAcknowledgesFirst() {
        clientSees(this::serverThatAcknowledgesFirst, pair -> { });
        assertEquals(Set.of(List.of(Operation.SEND, Operation.RECEIVE)), orders);
    }

    /** A sink that is full when the first packet of a poll claims room, and then has room again. */
    private static final class FullAtFirst extends ForwardingSink {
        private int claims;

        FullAtFirst(PacketSink next) {
            super(next);
        }

        @Override
        public int claim(Flow flow, int lengthBytes) {
            return claims++ == 0 ? FULL : super.claim(flow, lengthBytes);
        }
    }

    @Test
    @DisplayName("where the queue pair acknowledges first no answer passes an acknowledgement that found the sink full")
    void noAnswerPassesAnAcknowledgementThatFoundTheSinkFull() {
        clientSees(this::serverThatAcknowledgesFirst, pair -> {
            pair.leftNic.engine(0).poll(pair.nowNs(), pair.toRight);
            assertTrue(pair.toRight.deliver(pair.rightNic, pair.nowNs()) > 0);
            pair.rightNic.engine(0).poll(pair.nowNs(), new FullAtFirst(pair.toLeft));
        });
        assertEquals(Set.of(List.of(Operation.SEND, Operation.RECEIVE)), orders);
    }

    @Test
    @DisplayName("an answer of a listener that posts itself leaves in the same batch, before the acknowledgement")
    void answerSavesABatch() {
        assertEquals(List.of(Operation.RECEIVE, Operation.SEND), clientSees(CompletionChannel::calling));
    }

    @Test
    @DisplayName("requests do not wait for ever behind the READs of a peer where the queue pair acknowledges first")
    void aPeerThatAlwaysReadsStarvesNoRequest() {
        NicPair pair = new NicPair();
        client = pair.end(pair.leftNic, null);
        server = pair.endThatAcknowledgesFirst(pair.rightNic, null);
        pair.connect(client, server);
        assertTrue(client.pair.postReceive(receive(client, 0)));
        WorkCompletion completion = new WorkCompletion();
        int reads = 0;
        int inFlight = 0;
        for (int step = 0; !server.queue.poll(completion); step++) {
            if (step == STEPS_BEFORE_THE_SEND) {
                server.post(send(server, 1));
            }
            for (; inFlight < READS_IN_FLIGHT; inFlight++) {
                client.post(new WorkRequest().id(1).read(server.region.address(), server.region.rKey())
                    .add(client.region, 0, READ_BYTES));
            }
            pair.steps(1);
            while (client.queue.poll(completion)) {
                if (completion.operation() == Operation.RDMA_READ) {
                    inFlight--;
                    reads++;
                }
            }
            assertTrue(reads < MOST_READS, () -> MOST_READS + " READs were served before one SEND left");
        }
        assertEquals(Operation.SEND, completion.operation());
    }
}
