package io.rxe.bench.micro;

import io.rxe.port.Flow;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One side alone, with frames of its peer built here: the requester with an ACK for each batch, the responder with requests in order.
 * Each invocation is {@value #PACKETS} packets; sealing the frames of the other side is part of it (see {@link IcrcBenchmark}).
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StepBenchmark {
    static final int PACKETS = 64;
    private static final int ACK_BYTES = Bth.LENGTH + Aeth.LENGTH + Icrc.LENGTH;
    private static final int ACK_UNLIMITED = 0x1F;

    /** Payload of each packet; each is a WRITE of its own. */
    @Param({"64", "4096"})
    public int payloadBytes;

    private final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
    private final Icrc icrc = new Icrc();
    private JoinedNics nics;
    private Flow toLeft;
    private Flow toRight;
    private WorkRequest write;
    private int sentPsn = JoinedNics.FIRST_PSN;
    private int requestPsn = JoinedNics.FIRST_PSN;

    /** Connects two NICs; only one is used by each benchmark. */
    @Setup
    public void connect() {
        nics = new JoinedNics(PathMtu.MTU_4096);
        toLeft = new Flow(nics.right.gid, nics.left.gid, AddressVector.ROCE_PORT, AddressVector.ROCE_PORT);
        toRight = new Flow(nics.left.gid, nics.right.gid, AddressVector.ROCE_PORT, AddressVector.ROCE_PORT);
        write = new WorkRequest().write(nics.right.region.address(), nics.right.region.rKey())
            .add(nics.left.region, 0, payloadBytes).signaled(false);
    }

    /** Post, segment, copy, seal; one ACK for all that fit in the window. */
    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public int requester() {
        for (int i = 0; i < PACKETS; i++) {
            if (!nics.left.queuePair.postSendDeferred(write)) {
                throw new IllegalStateException("the send queue is full");
            }
        }
        nics.left.queuePair.ringDoorbell();
        int sent = 0;
        for (int polls = 0; sent < PACKETS; polls++) {
            long nowNs = nics.tick();
            nics.left.nic.engine(0).poll(nowNs, nics.toRight);
            int batch = nics.toRight.discard();
            if (batch == 0 || polls > PACKETS) {
                throw new IllegalStateException("the requester stopped after " + sent + " packets");
            }
            // At first the window may be smaller than the posted requests.
            sent += batch;
            sentPsn = sentPsn + batch & 0xFF_FFFF;
            Bth.write(frame, 0, Opcode.RC_ACKNOWLEDGE, false, 0, nics.left.queuePair.number(), false, sentPsn - 1 & 0xFF_FFFF);
            Aeth.write(frame, Bth.LENGTH, ACK_UNLIMITED, 0);
            nics.left.nic.engine(0).onPacket(frame, 0, seal(ACK_BYTES, toLeft), toLeft, nowNs);
        }
        return sent;
    }

    /** Check, recover the identification, copy; the acknowledgement is sent once for all of them. */
    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public int responder() {
        int length = Bth.LENGTH + Reth.LENGTH + payloadBytes + Icrc.LENGTH;
        long nowNs = nics.tick();
        for (int i = 0; i < PACKETS; i++) {
            Bth.write(frame, 0, Opcode.RC_RDMA_WRITE_ONLY, false, 0, nics.right.queuePair.number(), i == PACKETS - 1, requestPsn);
            Reth.write(frame, Bth.LENGTH, nics.right.region.address(), nics.right.region.rKey(), payloadBytes);
            nics.right.nic.engine(0).onPacket(frame, 0, seal(length, toRight), toRight, nowNs);
            requestPsn = requestPsn + 1 & 0xFF_FFFF;
        }
        nics.right.nic.engine(0).poll(nowNs, nics.toLeft);
        int acks = nics.toLeft.discard();
        if (acks == 0) {
            throw new IllegalStateException("nothing was acknowledged");
        }
        return acks;
    }

    private int seal(int length, Flow flow) {
        Icrc.write(frame, length - Icrc.LENGTH, icrc.compute(frame, 0, length - Icrc.LENGTH, flow.icrcSeed(), true, 0));
        return length;
    }
}
