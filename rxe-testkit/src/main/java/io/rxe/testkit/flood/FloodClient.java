package io.rxe.testkit.flood;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Connector;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The honest peer. Keeps 16 messages of the transfer outstanding, connects again when the connection is lost, and beside that opens ten
 * connections a second, each of which counts as good when the server's greeting has arrived.
 *
 * <pre>
 *   data QPN PEER_QPN             connected for the transfer
 *   lost TEXT                     the transfer's connection has failed
 *   connect NS ok US              a connection begun at NS was greeted after US microseconds
 *   connect NS failed TEXT        or was not, within a second
 * </pre>
 *
 * <p>The lines "payload frames" and "payload plain" on standard input choose what the messages hold; see {@link FloodMessage}.
 */
final class FloodClient {
    private static final int OUTSTANDING = 16;
    private static final int COMPLETIONS = 1024;
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long CONNECT_EVERY_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long CONNECT_LIMIT_NS = TimeUnit.SECONDS.toNanos(1);

    private final RxeNic nic;
    private final Gid server;
    private final PrintWriter out;
    private final CmEventChannel events = new CmEventChannel();
    private final Connector connector;
    private final ProtectionDomain domain;
    private final FloodMessage message = new FloodMessage();
    private final Map<CmConnection, Attempt> attempts = new HashMap<>();
    private final MemoryRegion greeting;
    private final CompletionQueue greetings;
    /** Queue pairs whose greeting has arrived. */
    private final Set<Integer> greeted = ConcurrentHashMap.newKeySet();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(OUTSTANDING * FloodMessage.BYTES);
    private final MemoryRegion region;
    private final boolean[] isFrameLike = new boolean[OUTSTANDING];
    private long seed;
    private CmConnection data;
    private QueuePair sender;
    private volatile boolean wantsFrameLike;
    private volatile String loss;

    FloodClient(RxeNic nic, Gid server, PrintWriter out) {
        this.nic = nic;
        this.server = server;
        this.out = out;
        connector = nic.connections().connector(events);
        domain = nic.device().allocateProtectionDomain();
        region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        greeting = domain.register(ByteBuffer.allocateDirect(FloodServer.GREETING_BYTES), AccessFlags.LOCAL_WRITE);
        greetings = Completions.handledBy(nic.device(), COMPLETIONS, done -> {
            if (done.isSuccess()) {
                greeted.add(done.queuePairNumber());
            }
        });
        for (int slot = 0; slot < OUTSTANDING; slot++) {
            message.write(memory, slot * FloodMessage.BYTES, false, slot);
        }
    }

    /** A connection that waits for its greeting. */
    private record Attempt(QueuePair queuePair, long beganNs) {
    }

    /** Begins; returns what takes the lines of standard input. */
    Consumer<String> begin() {
        FloodCommand.start("flood-client", this::run);
        return line -> wantsFrameLike = "payload frames".equals(line);
    }

    private Void run() throws InterruptedException {
        long nextConnectNs = System.nanoTime();
        while (true) {
            if (data == null) {
                beginTransfer();
            }
            CmEvent event = events.await(STEP_NS);
            while (event != null) {
                handle(event);
                event = events.poll();
            }
            String lost = loss;
            if (lost != null) {
                endTransfer(lost);
            }
            long nowNs = System.nanoTime();
            if (nowNs >= nextConnectNs) {
                nextConnectNs = nowNs + CONNECT_EVERY_NS;
                beginAttempt(nowNs);
            }
            endAttempts(nowNs);
        }
    }

    private void beginTransfer() {
        CompletionQueue completions = Completions.handledBy(nic.device(), 2 * OUTSTANDING, this::onSent);
        sender = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions).withRequests(OUTSTANDING, 1));
        ConnectionService.prepare(sender);
        data = connect(sender, FloodServer.DATA_PORT);
        if (data == null) {
            sender.close();
        }
    }

    private CmConnection connect(QueuePair queuePair, int port) {
        try {
            return connector.connect(queuePair, server, port, new ConnectParameters().timeoutNs(CONNECT_LIMIT_NS));
        } catch (IllegalStateException e) {
            FloodCommand.print(out, "connect " + System.nanoTime() + " failed " + e.getMessage());
            return null;
        }
    }

    private void endTransfer(String why) {
        FloodCommand.print(out, "lost " + why);
        loss = null;
        data.close();
        sender.close();
        data = null;
    }

    private void handle(CmEvent event) {
        CmConnection connection = event.connection();
        boolean isEnd = event.type() != CmEvent.Type.ESTABLISHED && event.type() != CmEvent.Type.TIMEWAIT_EXIT;
        if (connection == data) {
            if (event.type() == CmEvent.Type.ESTABLISHED) {
                FloodCommand.print(out, "data " + sender.number() + " " + connection.terms().remoteQpn());
                for (int slot = 0; slot < OUTSTANDING; slot++) {
                    post(slot);
                }
            } else if (isEnd) {
                endTransfer(event.type() + " " + event.explanation());
            }
        } else if (isEnd) {
            Attempt attempt = attempts.remove(connection);
            if (attempt != null) {
                end(connection, attempt, "failed " + event.type() + " " + event.explanation());
            }
        }
    }

    /** Engine, or before the first message leaves: posts the next message of a slot. */
    private void post(int slot) {
        int offset = slot * FloodMessage.BYTES;
        if (isFrameLike[slot] == wantsFrameLike) {
            message.vary(memory, offset, ++seed);
        } else {
            isFrameLike[slot] = wantsFrameLike;
            message.write(memory, offset, wantsFrameLike, ++seed);
        }
        sender.postSend(new WorkRequest().id(slot).send().add(region, offset, FloodMessage.BYTES));
    }

    /** Engine. */
    private void onSent(WorkCompletion done) {
        if (done.isSuccess()) {
            post((int) done.workRequestId());
        } else if (loss == null) {
            loss = done.status() + " " + done.explanation();
        }
    }

    private void beginAttempt(long nowNs) {
        QueuePair queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, greetings, greetings).withRequests(1, 1));
        greeted.remove(queuePair.number());
        ConnectionService.prepare(queuePair);
        queuePair.postReceive(new ReceiveRequest().add(greeting, 0, FloodServer.GREETING_BYTES));
        CmConnection connection = connect(queuePair, FloodServer.GREETING_PORT);
        if (connection == null) {
            queuePair.close();
        } else {
            attempts.put(connection, new Attempt(queuePair, nowNs));
        }
    }

    private void endAttempts(long nowNs) {
        for (Map.Entry<CmConnection, Attempt> entry : List.copyOf(attempts.entrySet())) {
            Attempt attempt = entry.getValue();
            long elapsedNs = nowNs - attempt.beganNs;
            boolean isGood = greeted.remove(attempt.queuePair.number());
            if (isGood || elapsedNs > CONNECT_LIMIT_NS) {
                attempts.remove(entry.getKey());
                end(entry.getKey(), attempt, isGood ? "ok " + TimeUnit.NANOSECONDS.toMicros(elapsedNs)
                    : "failed no greeting within a second");
            }
        }
    }

    private void end(CmConnection connection, Attempt attempt, String result) {
        FloodCommand.print(out, "connect " + attempt.beganNs + " " + result);
        connection.disconnect();
        connection.close();
        attempt.queuePair.close();
    }
}
