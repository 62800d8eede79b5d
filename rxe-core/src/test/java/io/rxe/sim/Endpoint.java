package io.rxe.sim;

import io.rxe.device.NicInspection;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * One side of a connection: a queue pair and the application behind it, which posts requests and receives when it happens to look, and
 * checks every completion against what was posted.
 */
final class Endpoint {
    /** Set in the ids of receives. */
    private static final long RECEIVE_ID = 1L << 62;

    private record Receive(long id, int slot, Pieces pieces) {
    }

    final Connection connection;
    final NicStation station;
    final EndpointSettings settings;
    final EndpointMemory memory;
    final TargetWindow window;
    private final Dice dice;
    private final CompletionQueue sendCompletions;
    private final CompletionQueue receiveCompletions;
    private final WorkRequest workRequest = new WorkRequest();
    private final ReceiveRequest receiveRequest = new ReceiveRequest();
    private RequestFactory factory;
    Endpoint peer;
    QueuePair queuePair;
    ExchangeMonitor monitor;
    long nextStepNs;

    private final ArrayDeque<Request> outstanding = new ArrayDeque<>();
    private final ArrayDeque<WorkCompletion> fetched = new ArrayDeque<>();
    /** Failed or flushed, oldest first: some of them may have been executed all the same. */
    private final ArrayDeque<Request> failedRequests = new ArrayDeque<>();
    private long posted;
    private int unsignaledRun;
    private int idleSteps;
    private CompletionStatus failure;
    private boolean movedToError;

    private final ArrayDeque<Receive> receives = new ArrayDeque<>();
    private final ArrayDeque<Request> incoming = new ArrayDeque<>();
    private long receivesPosted;
    private long messagesSent;
    private long messagesFetched;
    private long lifeReceives;

    Endpoint(Connection connection, NicStation station, EndpointSettings settings, EndpointMemory memory, Dice dice,
             CompletionQueue sendCompletions, CompletionQueue receiveCompletions) {
        this.connection = connection;
        this.station = station;
        this.settings = settings;
        this.memory = memory;
        this.dice = dice;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
        this.window = new TargetWindow(memory.memory, memory.windowStart, memory.windowBytes);
    }

    /** Makes the queue pair, or uses the one there is again. */
    void open() {
        if (queuePair == null) {
            queuePair = station.domain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, sendCompletions, receiveCompletions)
                .withRequests(settings.sendDepth, settings.receiveDepth)
                .withElements(settings.maxSendElements, settings.maxReceiveElements).withInline(settings.maxInline)
                .withSignalAll(settings.signalAll));
        }
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC));
    }

    /** Connects to the peer, whose queue pair exists as well. */
    void connect() {
        if (factory == null) {
            factory = new RequestFactory(this, dice.fork());
        }
        queuePair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.station.gid()), settings.mtu,
            peer.queuePair.number(), peer.settings.startPsn).maxDestRdAtomic(settings.maxDestRdAtomic)
            .minRnrTimer(settings.minRnrTimer));
        monitor = new ExchangeMonitor(connection.name + (connection.left == this ? ".left" : ".right"), settings, settings.startPsn,
            peer.settings.maxDestRdAtomic);
        queuePair.modify(QueuePairAttributes.toReadyToSend(settings.startPsn).timeout(settings.timeout)
            .retryCount(settings.retryCount).rnrRetry(settings.rnrRetry).maxRdAtomic(settings.maxRdAtomic));
    }

    /** Forgets everything in flight: the queue pair was reset or destroyed. */
    void forget() {
        for (Request request : outstanding) {
            if (request.counter != null) {
                request.counter.lost();
            }
        }
        failedRequests.addAll(outstanding);
        peer.window.checkPrefix(failedRequests, settings.mtu.bytes());
        failedRequests.clear();
        outstanding.clear();
        fetched.clear();
        receives.clear();
        peer.incoming.clear();
        failure = null;
        movedToError = false;
        unsignaledRun = 0;
        messagesSent = 0;
        peer.messagesFetched = 0;
        lifeReceives = 0;
    }

    CompletionStatus failure() {
        return failure;
    }

    boolean isAlive() {
        return failure == null && !movedToError;
    }

    /** Whether it has nothing more to wait for. */
    boolean isFinished() {
        return outstanding.isEmpty() && (posted >= settings.total || !isAlive() || connection.isBroken());
    }

    boolean isWaitingForReceives() {
        return !connection.isBroken() && !peer.isFinished();
    }

    ArrayDeque<Request> outstanding() {
        return outstanding;
    }

    ArrayDeque<MemoryRegion> disposable() {
        return memory.disposable;
    }

    /** The NIC has done something: notices the moment in which the queue pair fails. */
    void watch() {
        if (queuePair != null && queuePair.state() == QueuePairState.ERROR) {
            monitor.freeze();
        }
    }

    /** The application looks. */
    void step(long nowNs, boolean healed) {
        long before = posted + receivesPosted + outstanding.size() + receives.size();
        fetch();
        process();
        if (connection.isBroken()) {
            completeSilently();
        } else if (isAlive()) {
            if (healed || !dice.chance(settings.receiveLaziness)) {
                postReceives();
            }
            postSends();
        }
        // An application that finds nothing to do looks less often.
        boolean idle = before == posted + receivesPosted + outstanding.size() + receives.size();
        idleSteps = idle ? Math.min(idleSteps + 1, 40) : 0;
        nextStepNs = nowNs + (!healed && dice.chance(settings.sleepChance) ? dice.between(1_000_000L, 5_000_000L)
            : dice.between(settings.stepNs / 4, settings.stepNs) * (1L + idleSteps * idleSteps / 8));
    }

    /** Nothing more is posted, so nothing more will tell of unsignaled requests that have completed. */
    private void completeSilently() {
        if (queuePair.outstandingSends() != 0 || failure != null) {
            return;
        }
        for (Request request = outstanding.poll(); request != null; request = outstanding.poll()) {
            if (request.signaled || settings.signalAll) {
                throw fail(request + " is gone from the send queue without a completion");
            }
            succeed(request);
        }
    }

    private void postReceives() {
        int budget = dice.between(1, settings.receiveDepth);
        while (receives.size() < settings.receiveDepth && budget-- > 0) {
            int slot = memory.receiveStart + (int) (receivesPosted % settings.receiveDepth) * settings.receiveSlotBytes();
            Pieces pieces = Pieces.cut(dice, settings.maxMessage, settings.maxReceiveElements);
            clear(slot, settings.receiveSlotBytes());
            boolean bad = settings.badReceiveFrom >= 0 && lifeReceives >= settings.badReceiveFrom;
            receiveRequest.clear().id(RECEIVE_ID | receivesPosted);
            for (int i = 0; i < pieces.offsets.length; i++) {
                receiveRequest.add(memory.receives.address() + slot - memory.receiveStart + pieces.offsets[i], pieces.lengths[i],
                    bad ? ~memory.receives.lKey() : memory.receives.lKey());
            }
            if (!queuePair.postReceive(receiveRequest)) {
                throw fail("the receive queue is full with " + receives.size() + " of " + settings.receiveDepth + " receives posted");
            }
            receives.add(new Receive(RECEIVE_ID | receivesPosted, slot, pieces));
            receivesPosted++;
            lifeReceives++;
        }
    }

    private void postSends() {
        int budget = dice.between(1, 8);
        boolean rung = true;
        while (posted < settings.total && outstanding.size() < settings.sendDepth && budget-- > 0) {
            Request request = factory.draw(posted, settings.localSlotBytes());
            if (request.takesReceive()) {
                request.messageNumber = ++messagesSent;
            }
            boolean mustSignal = unsignaledRun + 1 >= Math.max(1, settings.sendDepth / 2) || posted + 1 == settings.total;
            request.signaled = mustSignal || dice.chance(settings.signalChance);
            unsignaledRun = request.signaled ? 0 : unsignaledRun + 1;
            factory.fill(workRequest, request);
            rung = dice.chance(0.5);
            boolean done = rung ? queuePair.postSend(workRequest) : queuePair.postSendQuietly(workRequest);
            factory.spoilInline();
            if (!done) {
                throw fail("the send queue is full with " + outstanding.size() + " of " + settings.sendDepth + " requests outstanding");
            }
            posted++;
            outstanding.add(request);
            monitor.posted(request);
            peer.window.posted(request);
            if (request.takesReceive()) {
                peer.incoming.add(request);
            }
        }
        if (!rung) {
            queuePair.ringDoorbell();
        }
    }

    private void clear(int slot, int bytes) {
        for (int i = 0; i < bytes; i += Long.BYTES) {
            memory.memory.putLong(slot + i, 0xa5a5a5a5a5a5a5a5L);
        }
    }

    /** Takes completions out of the NIC's queues; shared queues hand out those of other endpoints too. */
    void fetch() {
        fetch(sendCompletions);
        if (receiveCompletions != sendCompletions) {
            fetch(receiveCompletions);
        }
    }

    private void fetch(CompletionQueue queue) {
        if (queue.isOverrun()) {
            throw fail("a completion queue overran");
        }
        WorkCompletion completion = new WorkCompletion();
        while (queue.poll(completion)) {
            Endpoint owner = connection.simulation.endpointOf(station, completion.queuePairNumber());
            if (owner == null) {
                throw fail("completion of a queue pair that was closed: " + completion);
            }
            owner.fetched.add(completion);
            connection.simulation.mix(completion.workRequestId() * 31 + completion.status().ordinal());
            if ((completion.workRequestId() & RECEIVE_ID) != 0 && completion.isSuccess()) {
                owner.messagesFetched++;
            }
            completion = new WorkCompletion();
        }
    }

    /** Looks at what was fetched. */
    void process() {
        while (!fetched.isEmpty()) {
            WorkCompletion completion = fetched.poll();
            if ((completion.workRequestId() & RECEIVE_ID) != 0) {
                onReceive(completion);
            } else {
                onSend(completion);
            }
        }
    }

    private void onSend(WorkCompletion completion) {
        while (true) {
            Request request = outstanding.peek();
            if (request == null) {
                throw fail("completed a second time, or never posted: " + completion);
            }
            if (request.id == completion.workRequestId()) {
                break;
            }
            if (request.signaled || settings.signalAll || failure != null) {
                throw fail("completion " + completion + " although " + request + " comes first");
            }
            outstanding.poll();
            succeed(request);
        }
        Request request = outstanding.poll();
        if (completion.isSuccess()) {
            if (failure != null) {
                throw fail(request + " succeeded after the queue pair had failed");
            }
            if (!request.signaled && !settings.signalAll) {
                throw fail("unsignaled " + request + " made a completion (rule Q14)");
            }
            if (completion.operation() != request.operation || completion.byteLength() != request.windowBytes()) {
                throw fail(request + " completed as " + completion);
            }
            succeed(request);
        } else {
            failSend(request, completion);
        }
    }

    private void failSend(Request request, WorkCompletion completion) {
        CompletionStatus status = completion.status();
        if (request.counter != null) {
            request.counter.lost();
        }
        failedRequests.add(request);
        if (failure != null) {
            if (status != CompletionStatus.WR_FLUSH_ERR) {
                throw fail(request + " completed with " + status + " behind a failure (rule Q12)");
            }
            return;
        }
        failure = status;
        connection.onFailure(this);
        boolean allowed = switch (status) {
            case RETRY_EXC_ERR -> {
                monitor.checkRetriesExhausted(request, peer.queuePair.state() == QueuePairState.RTS);
                yield true;
            }
            case RNR_RETRY_EXC_ERR -> {
                monitor.checkRnrRetriesExhausted(request);
                yield true;
            }
            case WR_FLUSH_ERR -> movedToError || peer.isRogue() || settings.badReceiveFrom >= 0;
            case REM_OP_ERR -> peer.settings.badReceiveFrom >= 0 && request.operation.isSend() && request.length > 0
                && request.messageNumber > peer.settings.badReceiveFrom;
            default -> request.wrong.status == status;
        };
        if (!allowed) {
            throw fail(request + " failed with " + completion);
        }
    }

    private boolean isRogue() {
        return settings.wrongAt >= 0;
    }

    private void succeed(Request request) {
        if (request.wrong != Wrong.NONE) {
            throw fail(request + " completed with success");
        }
        monitor.checkAnswered(request);
        if (request.takesReceive()) {
            peer.fetch();
            if (peer.messagesFetched < request.messageNumber) {
                throw fail(request + " completed before it was delivered: " + peer.messagesFetched + " of " + request.messageNumber);
            }
        }
        checkLocal(request);
        if (!request.operation.isReadOrAtomic()) {
            peer.window.completed(request, outstanding);
        }
    }

    private void checkLocal(Request request) {
        if (request.inline) {
            return;
        }
        ByteBuffer bytes = memory.memory;
        int touched = request.pieces.firstTouched(bytes, request.localSlot, settings.localSlotBytes(), request.windowBytes());
        if (touched >= 0) {
            throw fail(request + " changed byte " + touched + " of its slot, which belongs to no piece");
        }
        byte[] there = request.pieces.gather(bytes, request.localSlot, request.windowBytes());
        if (request.operation == Operation.RDMA_READ) {
            peer.window.checkRead(request, there, outstanding);
        } else if (request.operation.isAtomic()) {
            long original = ByteBuffer.wrap(there).order(ByteOrder.nativeOrder()).getLong();
            if (request.counter != null) {
                request.counter.completed(this, request.operand, original);
            } else if (original != peer.window.original(request)) {
                throw fail(request + " brought back " + original + " instead of " + peer.window.original(request)
                    + ": it took effect twice, or out of order");
            } else {
                peer.window.completed(request, outstanding);
            }
        } else if (!Arrays.equals(there, request.data)) {
            throw fail(request + " was changed in the sender's own memory");
        }
    }

    private void onReceive(WorkCompletion completion) {
        Receive receive = receives.poll();
        if (receive == null || receive.id() != completion.workRequestId()) {
            throw fail("receive " + (completion.workRequestId() ^ RECEIVE_ID) + " completed, but " + receive + " comes first");
        }
        if (!completion.isSuccess()) {
            checkFailedReceive(completion);
            return;
        }
        Request message = incoming.poll();
        if (message == null) {
            throw fail("a message was delivered that nobody sent, or a second time: " + completion);
        }
        boolean isWrite = message.operation.isWrite();
        boolean fits = completion.byteLength() == message.length && completion.isSolicited() == message.solicited
            && completion.operation() == (isWrite ? Operation.RECEIVE_RDMA_WITH_IMMEDIATE : Operation.RECEIVE)
            && completion.hasImmediate() == (isWrite || message.operation == Operation.SEND_WITH_IMMEDIATE)
            && (!completion.hasImmediate() || completion.immediate() == message.immediate)
            && completion.hasInvalidatedKey() == (message.operation == Operation.SEND_WITH_INVALIDATE)
            && (!completion.hasInvalidatedKey() || completion.invalidatedKey() == message.invalidatedKey);
        if (!fits) {
            throw fail(message + " was delivered as " + completion);
        }
        int delivered = isWrite ? 0 : message.length;
        byte[] there = receive.pieces().gather(memory.memory, receive.slot(), delivered);
        if (!isWrite && !Arrays.equals(there, message.data)) {
            throw fail(message + " was delivered with wrong bytes");
        }
        int touched = receive.pieces().firstTouched(memory.memory, receive.slot(), settings.receiveSlotBytes(), delivered);
        if (touched >= 0) {
            throw fail(message + " touched byte " + touched + " of the receive slot, outside the message");
        }
        if (completion.hasInvalidatedKey() && NicInspection.hasKey(station.nic(), message.invalidatedKey)) {
            throw fail(message + " left its key valid");
        }
    }

    private void checkFailedReceive(WorkCompletion completion) {
        CompletionStatus status = completion.status();
        boolean allowed = status == CompletionStatus.WR_FLUSH_ERR && queuePair.state() == QueuePairState.ERROR
            || status == CompletionStatus.LOC_LEN_ERR && peer.settings.wrong == Wrong.SHORT_RECEIVE
            || (status == CompletionStatus.LOC_PROT_ERR || status == CompletionStatus.LOC_QP_OP_ERR) && settings.badReceiveFrom >= 0;
        if (!allowed) {
            throw fail("a receive failed: " + completion);
        }
    }

    /** The application gives the queue pair up. */
    void moveToError() {
        movedToError = true;
        queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
    }

    /** After the end: what was posted has completed, what arrived is right, nothing is left. */
    void checkEnd(boolean healthy) {
        if (!outstanding.isEmpty() || queuePair.outstandingSends() != 0) {
            throw fail(outstanding.size() + " requests never completed; the send queue holds " + queuePair.outstandingSends());
        }
        if (!receives.isEmpty()) {
            throw fail(receives.size() + " receives were not flushed in " + queuePair.state());
        }
        memory.checkGuards();
        if (!healthy) {
            peer.window.checkPrefix(failedRequests, settings.mtu.bytes());
            return;
        }
        peer.window.checkFinal();
        if (!peer.incoming.isEmpty()) {
            throw fail(peer.incoming.size() + " messages were never delivered, although their sends completed");
        }
    }

    SimulationFailure fail(String what) {
        return new SimulationFailure(connection.name + (connection.left == this ? ".left: " : ".right: ") + what);
    }
}
