package io.rxe.bench.micro;

import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import java.util.concurrent.TimeUnit;
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
 * Cost of one request packet in the whole core: post, requester, ICRC, check, responder, copy, acknowledgement, completer, completion.
 * Everything but the socket. Each invocation sends {@value #PACKETS} packets and waits until they are acknowledged.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CoreBenchmark {
    static final int PACKETS = 64;
    private static final int SMALL_BYTES = 64;

    /** Path MTU, and so the payload of each packet of a long message. */
    @Param({"1024", "4096"})
    public int mtuBytes;

    private JoinedNics nics;
    private WorkRequest longWrite;
    private WorkRequest longRead;
    private WorkRequest smallSend;
    private ReceiveRequest receive;

    /** Connects two NICs. */
    @Setup
    public void connect() {
        nics = new JoinedNics(PathMtu.ofBytes(mtuBytes));
        long address = nics.right.region.address();
        int key = nics.right.region.rKey();
        longWrite = new WorkRequest().write(address, key).add(nics.left.region, 0, PACKETS * mtuBytes);
        longRead = new WorkRequest().read(address, key).add(nics.left.region, 0, PACKETS * mtuBytes);
        smallSend = new WorkRequest().send().add(nics.left.region, 0, SMALL_BYTES);
        receive = new ReceiveRequest().add(nics.right.region, 0, SMALL_BYTES);
    }

    /** Packets of full length, one message. */
    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public int write() {
        nics.left.queuePair.postSend(longWrite);
        return finish(1, 0);
    }

    /** READ responses of full length, one message. */
    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public int read() {
        nics.left.queuePair.postSend(longRead);
        return finish(1, 0);
    }

    /** Messages of 64 bytes, posted with one doorbell. */
    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public int smallSends() {
        for (int i = 0; i < PACKETS; i++) {
            nics.right.queuePair.postReceive(receive);
            nics.left.queuePair.postSendDeferred(smallSend);
        }
        nics.left.queuePair.ringDoorbell();
        return finish(PACKETS, PACKETS);
    }

    private int finish(int sends, int receives) {
        int frames = nics.run();
        if (nics.left.takeCompletions() != sends || nics.right.takeCompletions() != receives) {
            throw new IllegalStateException("not every request completed");
        }
        return frames;
    }
}
