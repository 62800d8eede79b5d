package io.rxe.bench.micro;

import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The ICRC of one frame: computed by the sender, and recovered together with the IP identification by the receiver. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class IcrcBenchmark {
    private static final int IDENTIFICATION = 13;

    /** Payload of the frame. */
    @Param({"0", "64", "1024", "4096"})
    public int payloadBytes;

    private final Icrc icrc = new Icrc();
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(8192);
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final CRC32 crc = new CRC32();
    private int covered;
    private int seed;

    /** A frame as a requester writes it, sealed. */
    @Setup
    public void seal() {
        covered = Bth.LENGTH + payloadBytes;
        seed = Icrc.seed(Gid.parse("10.0.0.1"), Gid.parse("10.0.0.2"), 50_000, 4791);
        for (int i = 0; i < payloadBytes; i++) {
            buffer.putByte(Bth.LENGTH + i, (byte) (i * 7));
        }
        Bth.write(buffer, 0, Opcode.RC_SEND_MIDDLE, false, 0, 0x1234, false, 77);
        Icrc.write(buffer, covered, icrc.compute(buffer, 0, covered, seed, true, IDENTIFICATION));
    }

    @Benchmark
    public int compute() {
        return icrc.compute(buffer, 0, covered, seed, true, IDENTIFICATION);
    }

    @Benchmark
    public int recover() {
        return icrc.recoverIpId(buffer, 0, covered + Icrc.LENGTH, seed);
    }

    /** The lower bound: the JDK's CRC over the same bytes. */
    @Benchmark
    public long plainCrc32() {
        crc.reset();
        bytes.limit(covered).position(0);
        crc.update(bytes);
        bytes.clear();
        return crc.getValue();
    }
}
