package io.rxe.testkit.flood;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.PortSpace;
import io.rxe.cm.exchange.CmDropReason;
import io.rxe.net.RxeNic;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The target. Receives the transfer on one port and compares every byte; on another port it greets whoever connects with a message of
 * 4096 bytes, as a server that speaks first. Answers SIDR and, if asked to, receives a multicast group.
 *
 * <pre>
 *   sample NS BYTES           every 20 ms: bytes of messages that arrived whole and right, so far
 *   data QPN                  a client has connected for the transfer
 *   wrong OFFSET              a message had a wrong byte
 *   group-failed STATUS       the queue pair of the multicast group is in ERROR
 *   refused TEXT              a connection was rejected because no queue pair could be made
 *   cm NAME COUNT, cm-end     answer to the line "counters"
 * </pre>
 *
 * <p>Times are System.nanoTime, the monotonic clock of the machine, which the script reads as well. Receives are posted again on the
 * engine's thread, before the ACK leaves, so that the transfer never waits for a receive.
 */
final class FloodServer {
    /** TCP port of the transfer. */
    static final int DATA_PORT = 7471;
    /** TCP port of connections that are greeted. */
    static final int GREETING_PORT = 7472;
    /** UDP port of the datagram service. */
    static final int DATAGRAM_PORT = 7473;
    static final int GREETING_BYTES = 4096;

    private static final int RECEIVES = 64;
    private static final int DATAGRAM_BYTES = 1024 + 40;
    private static final int COMPLETIONS = 8192;
    private static final int EVENTS = 65_536;
    private static final long SAMPLE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final RxeNic nic;
    private final Gid group;
    private final PrintWriter out;
    private final ConnectionService connections;
    private final CmEventChannel events = new CmEventChannel(EVENTS);
    private final ProtectionDomain domain;
    private final FloodMessage message = new FloodMessage();
    private final Map<CmConnection, QueuePair> greeted = new HashMap<>();
    private final MemoryRegion greeting;
    private final CompletionQueue greetings;
    private QueuePair datagrams;
    private volatile long rightBytes;

    FloodServer(RxeNic nic, Gid group, PrintWriter out) {
        this.nic = nic;
        this.group = group;
        this.out = out;
        connections = nic.connections();
        domain = nic.device().allocateProtectionDomain();
        greeting = domain.register(ByteBuffer.allocateDirect(GREETING_BYTES), AccessFlags.LOCAL_WRITE);
        greetings = Completions.handledBy(nic.device(), COMPLETIONS, done -> { });
    }

    /** Begins to serve; returns what takes the lines of standard input. */
    Consumer<String> begin() {
        openDatagrams();
        connections.listen(events, PortSpace.TCP, DATA_PORT);
        connections.listen(events, PortSpace.TCP, GREETING_PORT);
        connections.listen(events, PortSpace.UDP, DATAGRAM_PORT);
        FloodCommand.print(out, "listening");
        FloodCommand.start("flood-sampler", this::sample);
        FloodCommand.start("flood-server", this::serve);
        return line -> printCounters();
    }

    private Void sample() throws InterruptedException {
        while (true) {
            FloodCommand.print(out, "sample " + System.nanoTime() + " " + rightBytes);
            TimeUnit.NANOSECONDS.sleep(SAMPLE_NS);
        }
    }

    private Void serve() throws InterruptedException {
        while (true) {
            CmEvent event = events.await(Long.MAX_VALUE);
            if (event != null) {
                handle(event);
            }
        }
    }

    private void printCounters() {
        for (CmDropReason reason : CmDropReason.values()) {
            FloodCommand.print(out, "cm " + reason.label() + " " + connections.counters().get(reason));
        }
        FloodCommand.print(out, "cm-end");
    }

    private void openDatagrams() {
        MemoryRegion region = domain.register(ByteBuffer.allocateDirect(RECEIVES * DATAGRAM_BYTES), AccessFlags.LOCAL_WRITE);
        CompletionQueue completions = Completions.handledBy(nic.device(), 2 * RECEIVES, done -> {
            if (done.isSuccess()) {
                postDatagramReceive(region, done.workRequestId());
            } else {
                FloodCommand.print(out, "group-failed " + done.status());
            }
        });
        datagrams = domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, completions, completions));
        ConnectionService.prepare(datagrams);
        for (int slot = 0; slot < RECEIVES; slot++) {
            postDatagramReceive(region, slot);
        }
        if (group != null) {
            datagrams.attachMulticast(group);
        }
    }

    private void postDatagramReceive(MemoryRegion region, long slot) {
        datagrams.postReceive(new ReceiveRequest().id(slot).add(region, slot * DATAGRAM_BYTES, DATAGRAM_BYTES));
    }

    private void handle(CmEvent event) {
        switch (event.type()) {
            case CONNECT_REQUEST -> accept(event);
            case ESTABLISHED -> greet(event.connection());
            case DISCONNECTED, REJECTED, UNREACHABLE, CONNECT_ERROR -> forget(event.connection());
            case CONNECT_RESPONSE, ALTERNATE_PATH, TIMEWAIT_EXIT -> { }
        }
    }

    private void accept(CmEvent event) {
        CmConnection connection = event.connection();
        int port = event.listener().port();
        try {
            if (port == DATAGRAM_PORT) {
                connection.accept(datagrams, new ConnectParameters());
            } else {
                QueuePair queuePair = port == DATA_PORT ? new Receiver().queuePair : queuePair(greetings, 1);
                greeted.put(connection, queuePair);
                connection.accept(queuePair, new ConnectParameters());
                if (port == DATA_PORT) {
                    FloodCommand.print(out, "data " + queuePair.number());
                }
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            FloodCommand.print(out, "refused " + e.getMessage());
            forget(connection);
        }
    }

    private QueuePair queuePair(CompletionQueue completions, int receives) {
        QueuePair queuePair = domain.createQueuePair(
            QueuePairConfig.of(QueuePairType.RC, completions, completions).withRequests(1, receives));
        ConnectionService.prepare(queuePair);
        return queuePair;
    }

    private void greet(CmConnection connection) {
        QueuePair queuePair = connection.queuePair();
        if (queuePair != null && connection.type() == QueuePairType.RC && greeted.containsKey(connection)) {
            queuePair.postSend(new WorkRequest().send().signaled(false).add(greeting, 0, GREETING_BYTES));
        }
    }

    private void forget(CmConnection connection) {
        QueuePair queuePair = greeted.remove(connection);
        connection.close();
        if (queuePair != null) {
            queuePair.close();
        }
    }

    /** The end of a client's transfer. */
    private final class Receiver {
        private final ByteBuffer memory = ByteBuffer.allocateDirect(RECEIVES * FloodMessage.BYTES);
        private final MemoryRegion region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        private final QueuePair queuePair;

        Receiver() {
            queuePair = queuePair(Completions.handledBy(nic.device(), 2 * RECEIVES, this::received), RECEIVES);
            for (int slot = 0; slot < RECEIVES; slot++) {
                post(slot);
            }
        }

        private void post(long slot) {
            queuePair.postReceive(new ReceiveRequest().id(slot).add(region, slot * FloodMessage.BYTES, FloodMessage.BYTES));
        }

        /** Engine: compares a message and posts its buffer again. */
        private void received(WorkCompletion done) {
            if (done.isSuccess()) {
                int offset = (int) done.workRequestId() * FloodMessage.BYTES;
                int wrong = done.byteLength() == FloodMessage.BYTES ? message.firstWrongByte(memory, offset) : (int) done.byteLength();
                if (wrong >= 0) {
                    FloodCommand.print(out, "wrong " + wrong);
                } else {
                    rightBytes += FloodMessage.BYTES;
                }
                post(done.workRequestId());
            }
        }
    }
}
