package io.rxe.bench.connect;

import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.net.RxeNic;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** With the verbs that io.rxe.connect uses: completions on the engine's thread, a receive for each message in flight. */
final class VerbsContender implements Contender {
    private static final int PORT = 7481;
    private static final int BATCH = 32;
    /** As in io.rxe.connect: slots at a distance of a power of two would share a few sets of the cache. */
    private static final int SLOT_BYTES = Work.MAX_BYTES + 64;

    /** One end: it posts its receives anew, and counts. */
    private static final class Side {
        final MemoryRegion region;
        final QueuePair queuePair;
        final AtomicInteger received = new AtomicInteger();
        final AtomicInteger sent = new AtomicInteger();
        volatile boolean answers;
        volatile String failure;
        private final CompletionQueue completions;
        private final ReceiveRequest receive = new ReceiveRequest();
        private final WorkRequest answer = new WorkRequest();
        private final WorkCompletion[] batch = new WorkCompletion[BATCH];

        Side(RxeNic nic, int receives) {
            for (int i = 0; i < BATCH; i++) {
                batch[i] = new WorkCompletion();
            }
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            region = domain.register(ByteBuffer.allocateDirect((receives + Work.DEPTH) * SLOT_BYTES), AccessFlags.ALL);
            completions = nic.device().createCompletionQueue(4 * receives, CompletionChannel.calling(queue -> dispatch()));
            queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions)
                .withRequests(Work.DEPTH, receives));
            ConnectionService.prepare(queuePair);
            completions.requestNotification(false);
            for (int slot = 0; slot < receives; slot++) {
                post(slot);
            }
        }

        private void post(long slot) {
            queuePair.postReceive(receive.clear().id(slot).add(region, (slot + Work.DEPTH) * SLOT_BYTES, Work.MAX_BYTES));
        }

        private void dispatch() {
            boolean armed = false;
            while (true) {
                int count = completions.poll(batch);
                if (count == 0 && armed) {
                    return;
                }
                if (count == 0) {
                    completions.requestNotification(false);
                }
                armed = count == 0;
                for (int i = 0; i < count; i++) {
                    take(batch[i]);
                }
            }
        }

        private void take(WorkCompletion completion) {
            if (!completion.isSuccess()) {
                failure = completion.toString();
            } else if (completion.operation() == Operation.RECEIVE) {
                if (answers) {
                    queuePair.postSend(answer.send().add(region, 0, (int) completion.byteLength()));
                }
                post(completion.workRequestId());
                received.incrementAndGet();
            } else {
                sent.incrementAndGet();
            }
        }
    }

    private final Side server;
    private final Side client;
    private final WorkRequest request = new WorkRequest();

    VerbsContender(RxeNic here, RxeNic there, int receives) throws Exception {
        server = new Side(here, receives);
        client = new Side(there, receives);
        CmEventChannel serverEvents = new CmEventChannel();
        CmEventChannel clientEvents = new CmEventChannel();
        Listener listener = here.connections().listen(serverEvents, PortSpace.TCP, PORT);
        there.connections().connector(clientEvents).connect(client.queuePair, here.device().gid(), PORT, new ConnectParameters());
        serverEvents.await(Long.MAX_VALUE).connection().accept(server.queuePair, new ConnectParameters());
        listener.close();
        CmEvent event = clientEvents.await(Long.MAX_VALUE);
        if (event.type() != CmEvent.Type.ESTABLISHED) {
            throw new IOException(event.toString());
        }
    }

    @Override
    public void run(Work work, int times) throws IOException {
        boolean roundTrip = work == Work.ROUND_TRIP;
        server.answers = roundTrip;
        AtomicInteger done = roundTrip ? client.received : work.isMessage() ? server.received : client.sent;
        client.sent.set(0);
        client.received.set(0);
        server.received.set(0);
        for (int posted = 0; posted < times; ) {
            boolean mayPost = roundTrip ? done.get() >= posted : posted - client.sent.get() < Work.DEPTH;
            if (mayPost && client.queuePair.postSend(next(work, posted))) {
                posted++;
            } else {
                waiting();
            }
        }
        while (done.get() < times || client.sent.get() < times) {
            waiting();
        }
    }

    private void waiting() throws IOException {
        if (client.failure != null || server.failure != null) {
            throw new IOException(client.failure + ", " + server.failure);
        }
        // The engines may need the processor: it is not measured how three threads share two.
        Thread.yield();
    }

    private WorkRequest next(Work work, int number) {
        long address = server.region.address();
        int key = server.region.rKey();
        WorkRequest begun = switch (work) {
            case MESSAGE_64, MESSAGE_4K, MESSAGE_64K, COPIED_64, COPIED_4K, COPIED_64K, ROUND_TRIP -> request.send();
            case READ_64, READ_64K -> request.read(address, key);
            case WRITE_64, WRITE_64K -> request.write(address, key);
            case FETCH_ADD -> request.fetchAndAdd(address, key, 1);
        };
        // A message that is in flight must not change: each has its own memory.
        long offset = work.isMessage() ? (long) number % Work.DEPTH * SLOT_BYTES : 0;
        return begun.add(client.region, offset, work.bytes());
    }

    @Override
    public void close() {
        client.queuePair.close();
        server.queuePair.close();
    }
}
