package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a listener is notified of a message: before or after the message is acknowledged. */
class NotificationOrderTest {
    private static final int ROUNDS = 20;

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
        NicPair pair = new NicPair();
        client = pair.end(pair.leftNic, null);
        server = pair.end(pair.rightNic, kind.apply(queue -> answer()));
        pair.connect(client, server);
        server.queue.requestNotification(false);
        WorkCompletion first = new WorkCompletion();
        WorkCompletion second = new WorkCompletion();
        for (int round = 0; round < ROUNDS; round++) {
            assertTrue(client.pair.postReceive(receive(client, round)));
            assertTrue(server.pair.postReceive(receive(server, round)));
            client.post(send(client, round));
            pair.run();
            assertTrue(client.queue.poll(first) && client.queue.poll(second));
            assertEquals(round, first.workRequestId());
            assertEquals(round, second.workRequestId());
        }
        return List.of(first.operation(), second.operation());
    }

    @Test
    @DisplayName("an answer follows the acknowledgement where the listener is notified after acknowledging")
    void answerFollowsTheAcknowledgement() {
        assertEquals(List.of(Operation.SEND, Operation.RECEIVE), clientSees(CompletionChannel::callingAfterAcknowledging));
    }

    @Test
    @DisplayName("an answer of a listener that posts itself leaves in the same batch, before the acknowledgement")
    void answerSavesABatch() {
        assertEquals(List.of(Operation.RECEIVE, Operation.SEND), clientSees(CompletionChannel::calling));
    }
}
