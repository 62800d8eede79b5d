package io.rxe.sim;

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
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * One side of a connection: a queue pair and the application that owns it. At random times the application posts requests and receives,
 * polls its completion queues, and checks every completion against what was posted.
 */
final class Application {
    /** Interval at which an application that does nothing is asked again. */
    private static final long IDLE_STEP_NS = 1_000_000;

    final Connection connection;
    final NicNode node;
    final ApplicationSettings settings;
    final ApplicationMemory memory;
    final TargetMemoryModel targetModel;
    private final SeededRandom random;
    private final CompletionQueue sendCompletions;
    private final CompletionQueue receiveCompletions;
    private final WorkRequest workRequest = new WorkRequest();
    private RequestFactory factory;
    Application peer;
    QueuePair queuePair;
    ProtocolMonitor monitor;
    WindowOwner windows;
    PathOwner paths;
    long nextStepNs;
    private final ArrayDeque<Request> outstanding = new ArrayDeque<>();
    private final ArrayDeque<WorkCompletion> fetched = new ArrayDeque<>();
    /** Failed or flushed requests, oldest first. The responder may have executed some of them. */
    private final ArrayDeque<Request> failedRequests = new ArrayDeque<>();
    private long posted;
    private int unsignaledRun;
    private int idleSteps;
    private CompletionStatus failure;
    private boolean movedToError;
    private boolean gone;
    private boolean postsReceives = true;
    private boolean polls = true;
    private final ReceiveSide receives;
    /** Answers the requests of the peer in place of the NIC; or null. */
    private RxeResponder responder;
    private long messagesSent;

    Application(Connection connection, NicNode node, ApplicationSettings settings, ApplicationMemory memory, SeededRandom random,
             CompletionQueue sendCompletions, CompletionQueue receiveCompletions) {
        this.connection = connection;
        this.node = node;
        this.settings = settings;
        this.memory = memory;
        this.random = random;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
        this.receives = new ReceiveSide(this, random);
        this.targetModel = new TargetMemoryModel(memory.memory, memory.targetStart, memory.targetBytes);
    }

    /** Creates the queue pair, or reuses the one that was reset, and moves it to INIT. */
    void open() {
        if (queuePair == null) {
            queuePair = node.domain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, sendCompletions, receiveCompletions)
                .withRequests(settings.sendDepth, settings.receiveDepth)
                .withElements(settings.maxSendElements, settings.maxReceiveElements).withInline(settings.maxInline)
                .withSignalAll(settings.signalAll));
        }
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC
            | AccessFlags.FLUSH_GLOBAL | AccessFlags.FLUSH_PERSISTENT));
    }

    /** Moves the queue pair to RTS. The peer's queue pair must exist. */
    void connect() {
        if (factory == null) {
            factory = new RequestFactory(this, random.fork());
        }
        queuePair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.node.gid()), settings.mtu,
            peer.queuePair.number(), peer.settings.startPsn).maxDestRdAtomic(settings.maxDestRdAtomic)
            .minRnrTimer(settings.minRnrTimer));
        monitor = new ProtocolMonitor(connection.name + (connection.left == this ? ".left" : ".right"), settings, settings.startPsn,
            peer.settings.maxDestRdAtomic, node.windowBytes(), peer.receives::postedByIncarnation);
        queuePair.modify(paths == null ? settings.toReadyToSend() : paths.armed(settings.toReadyToSend()));
    }

    /** Discards everything in flight after the queue pair was reset or destroyed. */
    void forget() {
        for (Request request : outstanding) {
            if (request.counter != null) {
                request.counter.lost();
            }
        }
        failedRequests.addAll(outstanding);
        peer.targetModel.checkPrefix(failedRequests, settings.mtu.bytes());
        failedRequests.clear();
        outstanding.clear();
        fetched.clear();
        receives.discard();
        receives.restart();
        failure = null;
        movedToError = false;
        unsignaledRun = 0;
        messagesSent = 0;
        if (windows != null) {
            windows.restart();
        }
    }

    /** Closes its windows, and has none from now on. */
    void closeWindows() {
        if (windows != null) {
            windows.close();
            windows = null;
        }
    }

    /** From now on rdma_rxe answers the requests of the peer. Only before the first request. */
    void answerAsRxe() {
        responder = new RxeResponder(this);
        node.addResponder(queuePair.number(), responder);
        settings.total = 0;
        memory.disposable.clear();
        closeWindows();
    }

    /** What answers requests in place of the NIC, or null. */
    RxeResponder responder() {
        return responder;
    }

    /** Closes or resets the queue pair in the middle of traffic, and never uses it again. */
    void leave(boolean reset) {
        fetch();
        process();
        if (reset) {
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        } else {
            queuePair.close();
        }
        gone = true;
        for (Request request : outstanding) {
            if (request.counter != null) {
                request.counter.lost();
            }
        }
        failedRequests.addAll(outstanding);
        outstanding.clear();
        receives.discard();
    }

    /** Whether it has closed or reset its queue pair for good. */
    boolean isGone() {
        return gone;
    }

    /** Whether it posts receives from now on. */
    void postReceives(boolean enabled) {
        postsReceives = enabled;
    }

    /** Whether it polls and posts from now on. */
    void poll(boolean enabled) {
        polls = enabled;
    }

    CompletionStatus failure() {
        return failure;
    }

    boolean isAlive() {
        return failure == null && !movedToError && !gone;
    }

    /** Whether every request it will post has completed. */
    boolean isFinished() {
        return outstanding.isEmpty() && (posted >= settings.total || !isAlive() || connection.isBroken());
    }

    ArrayDeque<Request> outstanding() {
        return outstanding;
    }

    ArrayDeque<MemoryRegion> disposable() {
        return memory.disposable;
    }

    /** Called after each step of the NIC, to record the moment in which the queue pair fails. */
    void watch() {
        if (queuePair != null && !gone && queuePair.state() == QueuePairState.ERROR) {
            monitor.freeze();
        }
        monitor.credits().checkNotAwaited(queuePair);
    }

    /** One iteration of the application: poll, check, post. */
    void step(long nowNs, boolean healed) {
        if (gone || !polls) {
            nextStepNs = nowNs + IDLE_STEP_NS;
            return;
        }
        long before = posted + receives.posted() + outstanding.size() + receives.outstanding();
        fetch();
        process();
        if (connection.isBroken()) {
            completeUnsignaled();
        } else if (isAlive()) {
            if (postsReceives && (healed || !random.chance(settings.skipReceiveProbability))) {
                receives.post();
            }
            postSends();
        }
        // An idle application polls less often.
        boolean idle = before == posted + receives.posted() + outstanding.size() + receives.outstanding();
        idleSteps = idle ? Math.min(idleSteps + 1, 40) : 0;
        nextStepNs = nowNs + (!healed && random.chance(settings.sleepProbability) ? random.between(1_000_000L, 5_000_000L)
            : random.between(settings.stepNs / 4, settings.stepNs) * (1L + idleSteps * idleSteps / 8));
    }

    /** Completes the unsignaled requests at the end of the queue: no later signaled request will do it. */
    private void completeUnsignaled() {
        if (queuePair.outstandingSends() != 0 || failure != null) {
            return;
        }
        for (Request request = outstanding.poll(); request != null; request = outstanding.poll()) {
            if (request.signaled || settings.signalAll) {
                throw fail(request + " left the send queue without a completion");
            }
            succeed(request);
        }
    }

    private void postSends() {
        int budget = random.between(1, 8);
        boolean doorbellRung = true;
        while (posted < settings.total && outstanding.size() < settings.sendDepth && budget-- > 0) {
            boolean mustSignal = unsignaledRun + 1 >= Math.max(1, settings.sendDepth / 2) || posted + 1 == settings.total;
            if (windows != null && posted != settings.errorAt && postWindow(mustSignal)) {
                continue;
            }
            Request request = factory.draw(posted, settings.localSlotBytes());
            if (request.takesReceive()) {
                request.messageNumber = ++messagesSent;
            }
            request.signaled = mustSignal || random.chance(settings.signalProbability);
            unsignaledRun = request.signaled ? 0 : unsignaledRun + 1;
            factory.fill(workRequest, request);
            doorbellRung = random.chance(0.5);
            boolean done = doorbellRung ? queuePair.postSend(workRequest) : queuePair.postSendDeferred(workRequest);
            factory.overwriteInline();
            if (!done) {
                throw fail("the send queue is full with " + outstanding.size() + " of " + settings.sendDepth + " requests outstanding");
            }
            posted++;
            outstanding.add(request);
            monitor.posted(request);
            peer.targetModel.posted(request);
            if (request.takesReceive()) {
                peer.receives.incoming.add(request);
            }
        }
        if (!doorbellRung) {
            queuePair.ringDoorbell();
        }
    }

    private boolean postWindow(boolean mustSignal) {
        Request change = windows.post(queuePair, posted, mustSignal || random.chance(settings.signalProbability));
        if (change == null) {
            return false;
        }
        unsignaledRun = change.signaled ? 0 : unsignaledRun + 1;
        posted++;
        outstanding.add(change);
        return true;
    }

    /** Polls the completion queues. A shared queue also returns completions of other queue pairs of this NIC. */
    void fetch() {
        fetch(sendCompletions);
        if (receiveCompletions != sendCompletions) {
            fetch(receiveCompletions);
        }
        if (responder != null) {
            for (WorkCompletion completion = responder.completions.poll(); completion != null; completion = responder.completions.poll()) {
                fetched.add(completion);
                receives.messagesFetched += completion.isSuccess() ? 1 : 0;
            }
        }
    }

    private void fetch(CompletionQueue queue) {
        if (queue.isOverrun()) {
            throw fail("a completion queue overran");
        }
        WorkCompletion completion = new WorkCompletion();
        while (queue.poll(completion)) {
            Application owner = connection.simulation.applicationOf(node, completion.queuePairNumber());
            if (owner == null || owner.gone) {
                throw fail("completion of a closed queue pair: " + completion);
            }
            owner.fetched.add(completion);
            connection.simulation.mix(completion.workRequestId() * 31 + completion.status().ordinal());
            if (ReceiveSide.isReceive(completion) && completion.isSuccess()) {
                owner.receives.messagesFetched++;
            }
            completion = new WorkCompletion();
        }
    }

    /** Checks the completions that were polled. */
    void process() {
        while (!fetched.isEmpty()) {
            WorkCompletion completion = fetched.poll();
            if (ReceiveSide.isReceive(completion)) {
                receives.onCompletion(completion);
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
                throw fail("unsignaled " + request + " generated a completion (rule Q14)");
            }
            if (completion.operation() != request.operation || completion.byteLength() != request.targetBytes()) {
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
                throw fail(request + " completed with " + status + " after a failure (rule Q12)");
            }
            return;
        }
        failure = status;
        connection.onFailure(this);
        boolean allowed = switch (status) {
            case RETRY_EXC_ERR -> {
                boolean peerAnswers = peer.queuePair.state() == QueuePairState.RTS && !peer.gone && !connection.mayIgnoreRequests(peer);
                monitor.retries().checkExhausted(request, peerAnswers);
                yield true;
            }
            case RNR_RETRY_EXC_ERR -> {
                monitor.retries().checkRnrExhausted(request);
                yield true;
            }
            case WR_FLUSH_ERR -> movedToError || peer.hasInjectedError() || settings.invalidReceiveFrom >= 0
                || monitor.keepAlive().isExhausted();
            case REM_OP_ERR -> peer.settings.invalidReceiveFrom >= 0 && request.operation.isSend() && request.length > 0
                && request.messageNumber > peer.settings.invalidReceiveFrom;
            default -> request.error.status == status;
        };
        if (!allowed && !connection.isExplained(this, request, status)) {
            throw fail(request + " failed with " + completion);
        }
    }

    private boolean hasInjectedError() {
        return settings.errorAt >= 0;
    }

    private void succeed(Request request) {
        if (request.error != InjectedError.NONE) {
            throw fail(request + " completed with success");
        }
        if (request.operation.isLocal()) {
            if (windows != null) {
                windows.completed(request);
            }
            return;
        }
        if (request.window != null) {
            request.window.uses--;
        }
        monitor.checkAnswered(request);
        if (request.takesReceive() && peer.polls) {
            peer.fetch();
            if (peer.receives.messagesFetched < request.messageNumber) {
                throw fail(request + " completed before it was delivered: " + peer.receives.messagesFetched + " of "
                    + request.messageNumber);
            }
        }
        checkLocal(request);
        if (!request.operation.bringsData()) {
            peer.targetModel.completed(request, outstanding);
        }
    }

    private void checkLocal(Request request) {
        if (request.inline) {
            return;
        }
        ByteBuffer bytes = memory.memory;
        int touched = request.layout.firstTouched(bytes, request.localSlot, settings.localSlotBytes(), request.targetBytes());
        if (touched >= 0) {
            throw fail(request + " changed byte " + touched + " of its slot, which belongs to no scatter/gather element");
        }
        byte[] there = request.layout.gather(bytes, request.localSlot, request.targetBytes());
        if (request.operation == Operation.RDMA_READ) {
            peer.targetModel.checkRead(request, there, outstanding);
        } else if (request.operation.isAtomic()) {
            long original = ByteBuffer.wrap(there).order(ByteOrder.nativeOrder()).getLong();
            if (request.counter != null) {
                request.counter.completed(this, request.operand, original);
            } else if (original != peer.targetModel.original(request)) {
                throw fail(request + " returned " + original + " instead of " + peer.targetModel.original(request)
                    + ": it was executed twice or out of order");
            } else {
                peer.targetModel.completed(request, outstanding);
            }
        } else if (!Arrays.equals(there, request.data)) {
            throw fail(request + " was changed in the memory of its sender");
        }
    }

    /** The application moves the queue pair to ERROR. */
    void moveToError() {
        if (gone) {
            return;
        }
        movedToError = true;
        if (responder != null) {
            responder.flush();
        }
        queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
    }

    /** At the end of the run: everything posted has completed, memory is right, both queues are empty. */
    void checkEnd(boolean healthy) {
        if (!outstanding.isEmpty() || !gone && queuePair.outstandingSends() != 0) {
            throw fail(outstanding.size() + " requests never completed; the send queue holds " + queuePair.outstandingSends());
        }
        if (receives.outstanding() != 0) {
            throw fail(receives.outstanding() + " receives were not flushed in " + queuePair.state());
        }
        memory.checkGuards();
        memory.checkDeregistered();
        if (!healthy) {
            peer.targetModel.checkPrefix(failedRequests, settings.mtu.bytes());
            return;
        }
        peer.targetModel.checkFinal();
        if (!peer.receives.incoming.isEmpty()) {
            throw fail(peer.receives.incoming.size() + " messages were never delivered, although their sends completed");
        }
    }

    SimulationFailure fail(String what) {
        return new SimulationFailure(connection.name + (connection.left == this ? ".left: " : ".right: ") + what);
    }
}
