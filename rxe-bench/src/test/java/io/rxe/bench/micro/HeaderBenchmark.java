package io.rxe.bench.micro;

import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Headers of one frame: written by the requester, checked and read by the receiver. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HeaderBenchmark {
    private static final int PAYLOAD_BYTES = 64;
    private static final int LENGTH = Bth.LENGTH + Reth.LENGTH + PAYLOAD_BYTES + Icrc.LENGTH;

    private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(256));
    private int psn;

    @Benchmark
    public UnsafeBuffer write() {
        psn = psn + 1 & 0xFF_FFFF;
        Bth.write(buffer, 0, Opcode.RC_RDMA_WRITE_ONLY, false, 0, 0x1234, true, psn);
        Reth.write(buffer, Bth.LENGTH, 0x7000_0000_0000L + psn, 0x0101, PAYLOAD_BYTES);
        return buffer;
    }

    @Benchmark
    public long writeCheckAndRead() {
        write();
        if (HeaderValidator.check(buffer, 0, LENGTH) != DropReason.NONE) {
            throw new IllegalStateException("the frame must be valid");
        }
        Opcode opcode = Opcode.of(buffer.getByte(0));
        return Bth.destinationQpn(buffer, 0) + Bth.psn(buffer, 0) + Reth.virtualAddress(buffer, opcode.rethOffset())
            + Reth.rKey(buffer, opcode.rethOffset()) + Reth.dmaLength(buffer, opcode.rethOffset());
    }
}
