package io.rxe.bench.connect;

import io.rxe.connect.ConnectOptions;
import io.rxe.connect.MessageWriter;
import io.rxe.connect.OneSided;
import io.rxe.connect.OneSidedCallback;
import io.rxe.connect.PostStatus;
import io.rxe.connect.RemoteMemory;
import io.rxe.connect.RxeClient;
import io.rxe.connect.RxeConnection;
import io.rxe.connect.RxeServer;
import io.rxe.net.RxeNic;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** With {@link io.rxe.connect}. */
final class ConnectContender implements Contender {
    private static final int PORT = 7480;
    private static final int REMOTE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE
        | AccessFlags.REMOTE_ATOMIC;

    private final AtomicInteger done = new AtomicInteger();
    private final OneSidedCallback onDone = this::onDone;
    private final RxeServer server;
    private final RxeClient client;
    private final RxeConnection connection;
    private final MemoryRegion region;
    private final RemoteMemory remote;
    /** As with the verbs, what was there is sent again: producing data is not measured. */
    private final MessageWriter put64 = put -> put.position(64);
    private final MessageWriter put4K = put -> put.position(4096);
    private final MessageWriter put64K = put -> put.position(65_536);
    private final ByteBuffer message = ByteBuffer.allocateDirect(Work.MAX_BYTES);
    private volatile boolean answers;
    private volatile String failure;

    ConnectContender(RxeNic here, RxeNic there, int receives) throws Exception {
        ConnectOptions options = ConnectOptions.defaults().withMessageBytes(Work.MAX_BYTES).withDepths(Work.DEPTH, receives)
            .withOneSidedDepth(Work.DEPTH);
        server = RxeServer.listen(here, PORT, options, set -> set.onMessage(this::atServer).answer(options.withPrivateData(RemoteMemory.of(
            set.register(ByteBuffer.allocateDirect(Work.MAX_BYTES), REMOTE)).toBytes())));
        client = new RxeClient(there);
        connection = client.connect(here.localInterface().address().getHostAddress(), PORT, options, set -> set
            .onMessage((from, answer) -> done.incrementAndGet()).onClosed(end -> failure = end.toString())).connected().get();
        remote = RemoteMemory.of(connection.peerData());
        region = connection.register(ByteBuffer.allocateDirect(Work.MAX_BYTES), AccessFlags.LOCAL_WRITE);
    }

    private void atServer(RxeConnection from, ByteBuffer arrived) {
        if (answers) {
            from.sendInPlace(put64);
        } else {
            done.incrementAndGet();
        }
    }

    private void onDone(long id, long value, String error) {
        if (error != null) {
            failure = error;
        }
        done.incrementAndGet();
    }

    @Override
    public void run(Work work, int times) throws IOException {
        answers = work == Work.ROUND_TRIP;
        done.set(0);
        for (int posted = 0; posted < times; ) {
            if (answers && done.get() < posted) {
                waiting();
            } else if (post(work) == PostStatus.POSTED) {
                posted++;
            } else {
                waiting();
            }
        }
        while (done.get() < times) {
            waiting();
        }
    }

    private void waiting() throws IOException {
        if (failure != null) {
            throw new IOException(failure);
        }
        // The engines may need the processor: it is not measured how three threads share two.
        Thread.yield();
    }

    private PostStatus post(Work work) {
        OneSided oneSided = connection.oneSided();
        return switch (work) {
            case MESSAGE_4K -> connection.sendInPlace(put4K);
            case MESSAGE_64K -> connection.sendInPlace(put64K);
            case MESSAGE_64, ROUND_TRIP -> connection.sendInPlace(put64);
            case COPIED_64, COPIED_4K, COPIED_64K -> connection.send(message.position(0).limit(work.bytes()));
            case READ_64, READ_64K -> oneSided.read(remote, 0, region, 0, work.bytes(), onDone, 0);
            case WRITE_64, WRITE_64K -> oneSided.write(region, 0, work.bytes(), remote, 0, onDone, 0);
            case FETCH_ADD -> oneSided.fetchAdd(remote, 0, 1, onDone, 0);
        };
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
