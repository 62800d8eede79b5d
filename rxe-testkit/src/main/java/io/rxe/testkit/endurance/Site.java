package io.rxe.testkit.endurance;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Connector;
import io.rxe.cm.PortSpace;
import io.rxe.net.RxeNic;
import io.rxe.testkit.endurance.Tally.Count;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One NIC: keeps a number of connections with other sites, accepts theirs, sends on connections at random, verifies what arrives, and
 * ends connections to begin others. Its own thread does all of it.
 */
final class Site {
    /** TCP port every site listens on. */
    static final int PORT = 7471;

    private static final int RECEIVES = 2;
    /** A send and the receives. */
    private static final int BUFFERS = 1 + RECEIVES;
    private static final int EVENTS = 65_536;
    private static final int LENGTH_STEP_BYTES = 64;
    /** Taken in one step. */
    private static final int MOST_EVENTS = 16;
    private static final int MOST_CONNECTING = 16;
    /** Requests that were accepted and not confirmed. The oldest is given up for the next: it may be of a forged address. */
    private static final int MOST_HALF_OPEN = 128;
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Connections that are given a message in each step. */
    private static final int SENDS_PER_STEP = 4;
    /** Share of the steps in which a connection is ended. */
    private static final double ENDS_PER_STEP = 0.02;
    private static final long CONNECT_LIMIT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long CLOSE_LIMIT_NS = TimeUnit.SECONDS.toNanos(120);

    /** One end of a connection, with its place in the memory. */
    private static final class End {
        private final CmConnection connection;
        private final QueuePair queuePair;
        private final int place;
        /** This side began the connection. */
        private final boolean isActive;
        private boolean open;
        private boolean sending;
        private long sent;
        private long received;

        End(CmConnection connection, QueuePair queuePair, int place, boolean isActive) {
            this.connection = connection;
            this.queuePair = queuePair;
            this.place = place;
            this.isActive = isActive;
        }
    }

    private final RxeNic nic;
    private final List<Gid> peers;
    private final int connections;
    private final Tally tally;
    private final Random random = new Random();
    private final Message message = new Message();
    private final ConnectionService service;
    private final CmEventChannel events = new CmEventChannel(EVENTS);
    private final Connector connector;
    private final ProtectionDomain domain;
    private final ByteBuffer memory;
    private final MemoryRegion region;
    private final CompletionQueue completions;
    private final WorkCompletion done = new WorkCompletion();
    private final ArrayDeque<Integer> freePlaces = new ArrayDeque<>();
    private final Map<CmConnection, End> ends = new HashMap<>();
    private final Map<Integer, End> byNumber = new HashMap<>();
    private final List<End> open = new ArrayList<>();
    private final Set<End> halfOpen = new LinkedHashSet<>();
    private final Thread thread;
    private int active;
    private int connecting;
    private volatile int queuePairs;
    private volatile boolean stopped;

    /**
     * Begins.
     *
     * @param peers       sites to connect to; without any, it only accepts.
     * @param connections to keep with them.
     * @param places      most queue pairs at once.
     */
    Site(RxeNic nic, List<Gid> peers, int connections, int places, Tally tally) {
        this.nic = nic;
        this.peers = peers;
        this.connections = connections;
        this.tally = tally;
        service = nic.connections();
        connector = service.connector(events);
        domain = nic.device().allocateProtectionDomain();
        memory = ByteBuffer.allocateDirect(places * BUFFERS * Message.MOST_BYTES);
        region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        completions = nic.device().createCompletionQueue(2 * places * BUFFERS);
        for (int place = 0; place < places; place++) {
            freePlaces.add(place);
        }
        service.listen(events, PortSpace.TCP, PORT);
        thread = new Thread(this::run, "endurance-site-" + nic.device().gid());
        thread.setDaemon(true);
        thread.start();
    }

    Gid gid() {
        return nic.device().gid();
    }

    /** Queue pairs now. Any thread. */
    int queuePairs() {
        return queuePairs;
    }

    /** Ends all connections, in order, and closes the NIC. */
    void close() throws InterruptedException {
        stopped = true;
        thread.join(TimeUnit.NANOSECONDS.toMillis(CLOSE_LIMIT_NS));
        if (thread.isAlive()) {
            tally.defect("the thread of " + gid() + " does not end: " + List.of(thread.getStackTrace()));
        }
        nic.close();
    }

    private void run() {
        try {
            while (!stopped) {
                step();
            }
            List.copyOf(ends.values()).forEach(this::end);
        } catch (RuntimeException | Error e) {
            tally.defect(gid() + ": " + e + " at " + List.of(e.getStackTrace()));
            throw e;
        }
    }

    private void step() {
        long endNs = System.nanoTime() + STEP_NS;
        // A flood of requests must not keep the connections from their data.
        CmEvent event = events.poll();
        for (int i = 1; event != null; i++) {
            handle(event);
            event = i < MOST_EVENTS ? events.poll() : null;
        }
        while (completions.poll(done)) {
            complete();
        }
        while (!peers.isEmpty() && active < connections && connecting < MOST_CONNECTING && connect()) {
            connecting++;
        }
        for (int i = 0; i < SENDS_PER_STEP && !open.isEmpty(); i++) {
            send(open.get(random.nextInt(open.size())));
        }
        if (!open.isEmpty() && random.nextDouble() < ENDS_PER_STEP) {
            endAny();
        }
        queuePairs = ends.size();
        long restNs = endNs - System.nanoTime();
        if (restNs > 0) {
            LockSupport.parkNanos(restNs);
        }
    }

    private boolean connect() {
        Integer place = freePlaces.poll();
        if (place == null) {
            return false;
        }
        QueuePair queuePair = queuePair(place);
        Gid peer = peers.get(random.nextInt(peers.size()));
        CmConnection connection = connector.connect(queuePair, peer, PORT, new ConnectParameters().timeoutNs(CONNECT_LIMIT_NS));
        add(new End(connection, queuePair, place, true));
        active++;
        return true;
    }

    /** A queue pair whose receives are posted. */
    private QueuePair queuePair(int place) {
        QueuePair queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions)
            .withRequests(1, RECEIVES));
        ConnectionService.prepare(queuePair);
        for (int i = 0; i < RECEIVES; i++) {
            postReceive(queuePair, receiveOffset(place, i), i);
        }
        return queuePair;
    }

    private void postReceive(QueuePair queuePair, int offset, long index) {
        queuePair.postReceive(new ReceiveRequest().id(index).add(region, offset, Message.MOST_BYTES));
    }

    private static int sendOffset(int place) {
        return place * BUFFERS * Message.MOST_BYTES;
    }

    private static int receiveOffset(int place, long index) {
        return (int) (place * BUFFERS + 1 + index) * Message.MOST_BYTES;
    }

    private void add(End end) {
        ends.put(end.connection, end);
        byNumber.put(end.queuePair.number(), end);
    }

    private void handle(CmEvent event) {
        End end = ends.get(event.connection());
        switch (event.type()) {
            case CONNECT_REQUEST -> accept(event.connection());
            case ESTABLISHED -> {
                if (end != null) {
                    establish(end);
                }
            }
            case DISCONNECTED -> finish(end, Count.DISCONNECTED);
            case REJECTED, UNREACHABLE -> finish(end, end == null || end.isActive ? Count.REFUSED : Count.FAILED);
            case CONNECT_ERROR -> {
                tally.defect(event.explanation());
                finish(end, Count.FAILED);
            }
            case CONNECT_RESPONSE, ALTERNATE_PATH, TIMEWAIT_EXIT -> { }
        }
    }

    private void accept(CmConnection connection) {
        if (halfOpen.size() >= MOST_HALF_OPEN) {
            finish(halfOpen.iterator().next(), Count.FAILED);
        }
        Integer place = freePlaces.poll();
        if (place == null) {
            connection.reject(new byte[0]);
            return;
        }
        End end = new End(connection, queuePair(place), place, false);
        add(end);
        halfOpen.add(end);
        connection.accept(end.queuePair, new ConnectParameters());
    }

    private void establish(End end) {
        if (end.isActive) {
            connecting--;
        }
        halfOpen.remove(end);
        end.open = true;
        open.add(end);
        tally.add(Count.CONNECTED, 1);
    }

    private void send(End end) {
        if (end.sending) {
            return;
        }
        int offset = sendOffset(end.place);
        // Most messages are short, as in most applications. Lengths come in steps: each length of a packet has an ICRC table that is kept,
        // and random ones would take an hour to come up all.
        int most = random.nextInt(4) == 0 ? Message.MOST_BYTES : 512;
        int length = Message.LEAST_BYTES + LENGTH_STEP_BYTES * random.nextInt((most - Message.LEAST_BYTES) / LENGTH_STEP_BYTES + 1);
        message.write(memory, offset, length, end.sent++, random.nextInt());
        end.sending = end.queuePair.postSend(new WorkRequest().send().add(region, offset, length));
        if (!end.sending) {
            tally.defect("no room for a send although none is outstanding");
        }
    }

    private void complete() {
        End end = byNumber.get(done.queuePairNumber());
        if (end == null) {
            return;
        }
        if (done.isSuccess()) {
            if (done.operation() == Operation.RECEIVE) {
                receive(end);
            } else {
                end.sending = false;
            }
            return;
        }
        // A peer that was killed does not answer. Nothing else may fail a queue pair, whatever the network loses.
        if (done.status() == CompletionStatus.RETRY_EXC_ERR) {
            finish(end, Count.LOST);
        } else if (done.status() != CompletionStatus.WR_FLUSH_ERR) {
            tally.defect(done.status() + ": " + done.explanation());
            finish(end, Count.FAILED);
        }
    }

    private void receive(End end) {
        int offset = receiveOffset(end.place, done.workRequestId());
        String wrong = message.check(memory, offset, done.byteLength(), end.received++);
        if (wrong != null) {
            tally.defect(end.connection + ": " + wrong);
        }
        tally.add(Count.MESSAGES, 1);
        tally.add(Count.BYTES, done.byteLength());
        postReceive(end.queuePair, offset, done.workRequestId());
    }

    private void endAny() {
        End end = open.get(random.nextInt(open.size()));
        if (end.isActive) {
            finish(end, Count.DISCONNECTED);
        }
    }

    private void finish(End end, Count why) {
        if (end != null && ends.containsKey(end.connection)) {
            tally.add(why, 1);
            end(end);
        }
    }

    private void end(End end) {
        ends.remove(end.connection);
        byNumber.remove(end.queuePair.number());
        halfOpen.remove(end);
        if (end.open) {
            open.remove(end);
        } else if (end.isActive) {
            connecting--;
        }
        if (end.isActive) {
            active--;
        }
        end.connection.disconnect();
        end.connection.close();
        end.queuePair.close();
        freePlaces.add(end.place);
    }
}
