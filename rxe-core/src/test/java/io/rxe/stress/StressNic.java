package io.rxe.stress;

import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.TestConfig;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.port.PacketSink;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A NIC with a UC queue pair, whose engine runs on the thread that made it and whose packets are only counted. */
final class StressNic implements PacketSink, EngineThread {
    static final Gid OWN = Gid.parse("10.0.0.1");
    static final Gid PEER = Gid.parse("10.0.0.2");
    static final int PSN = 0x100;
    private static final int BYTES = 4096;

    final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
    final ProtectionDomain domain;
    final CompletionQueue queue;
    final QueuePair pair;
    final Engine engine;
    private final UnsafeBuffer frame = new UnsafeBuffer(new byte[HeaderValidator.MAX_LENGTH]);
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final WorkCompletion completion = new WorkCompletion();
    private final WorkRequest request;
    private final Thread thread = Thread.currentThread();
    private long nowNs = 1_000_000;
    private int sent;

    /** @param channel of the completion queue, or null. */
    StressNic(CompletionChannel channel) {
        Random random = new Random(5);
        Nic nic = new Nic(TestConfig.of(OWN, 4791, PathMtu.MTU_4096, 1), random::nextInt, List.of(this), MulticastPort.NONE, null);
        engine = nic.engine(0);
        domain = nic.allocateProtectionDomain();
        queue = nic.createCompletionQueue(64, channel);
        pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.UC, queue, queue).withRequests(16, 16));
        pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE));
        pair.modify(QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(PEER)).pathMtu(PathMtu.MTU_1024)
            .destinationQpn(0x777).receivePsn(PSN));
        pair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(PSN));
        MemoryRegion source = register();
        request = new WorkRequest().id(1).send().signaled(true).add(source, 0, 8);
        poll();
        sent = 0;
    }

    MemoryRegion register() {
        return domain.register(memory, AccessFlags.ALL);
    }

    /** Any thread: posts a SEND of one packet. */
    boolean postSend() {
        return pair.postSend(request);
    }

    /** Engine. */
    int poll() {
        nowNs += 10;
        return engine.poll(nowNs, this);
    }

    /** Engine: a datagram arrives. */
    void receive(UnsafeBuffer datagram, int lengthBytes, Flow flow) {
        nowNs += 10;
        engine.onPacket(datagram, 0, lengthBytes, flow, nowNs);
    }

    /** Engine: runs a command if one waits. */
    void runCommand() {
        Runnable command = commands.poll();
        if (command != null) {
            command.run();
        }
    }

    /** Application: takes one completion. */
    boolean takeCompletion() {
        return queue.poll(completion);
    }

    /** Packets sent since this was last called. */
    int takeSent() {
        int taken = sent;
        sent = 0;
        return taken;
    }

    @Override
    public int claim(Flow flow, int lengthBytes) {
        return 0;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return frame;
    }

    @Override
    public void commit() {
        sent++;
    }

    @Override
    public void call(Runnable command) {
        if (isCurrent()) {
            command.run();
            return;
        }
        FutureTask<Void> task = new FutureTask<>(command, null);
        commands.add(task);
        RaceRun.await(task::isDone);
    }

    @Override
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void wake() {
        // The race polls the engine itself.
    }

    @Override
    public void report(String where, Throwable fault) {
        throw new AssertionError(where, fault);
    }
}
