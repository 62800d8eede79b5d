package io.rxe.examples;

import io.rxe.connect.ConnectOptions;
import io.rxe.connect.PostStatus;
import io.rxe.connect.RemoteMemory;
import io.rxe.connect.RxeClient;
import io.rxe.connect.RxeConnection;
import io.rxe.connect.RxeServer;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;

/**
 * Sends a file from the page cache of one host to that of another, with RDMA WRITE between two mapped files: no copy in either program.
 *
 * <pre>
 *   SendFile 10.0.0.1 FILE                 receives into FILE
 *   SendFile 10.0.0.2 FILE 10.0.0.1        sends FILE, of less than 2 GiB
 * </pre>
 */
public final class SendFile {
    private static final int PORT = 7473;
    private static final int BLOCK_BYTES = 1 << 20;

    private SendFile() {
    }

    /** Receives one file; completes with its length when the sender says that all is there. Close the server then. */
    public static CompletableFuture<Long> receive(RxeNic nic, int port, Path file, CompletableFuture<RxeServer> server) {
        CompletableFuture<Long> received = new CompletableFuture<>();
        server.complete(RxeServer.listen(nic, port, connection -> {
            long length = ByteBuffer.wrap(connection.peerData()).getLong();
            ByteBuffer target = map(file, length, FileChannel.MapMode.READ_WRITE);
            MemoryRegion region = connection.register(target, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
            connection.answer(ConnectOptions.defaults().withPrivateData(RemoteMemory.of(region).toBytes()))
                .onMessage((from, done) -> received.complete(length))
                .onClosed(end -> {
                    region.close();
                    received.completeExceptionally(new IOException("the file is incomplete: " + end));
                });
        }));
        return received;
    }

    /** Sends a file and returns its length. */
    public static long send(RxeNic nic, String host, int port, Path file) throws Exception {
        try (RxeClient client = new RxeClient(nic); FileChannel in = FileChannel.open(file)) {
            long length = in.size();
            byte[] announced = ByteBuffer.allocate(Long.BYTES).putLong(length).array();
            RxeConnection connection = client.connect(host, port, ConnectOptions.defaults().withPrivateData(announced), set -> { })
                .connected().get();
            RemoteMemory target = RemoteMemory.of(connection.peerData());
            try (MemoryRegion source = connection.register(map(file, length, FileChannel.MapMode.READ_ONLY), 0)) {
                CompletableFuture<Long> last = CompletableFuture.completedFuture(0L);
                for (long at = 0; at < length; at += BLOCK_BYTES) {
                    last = write(connection, source, at, (int) Math.min(BLOCK_BYTES, length - at), target);
                }
                // Operations complete in their order, and so do messages behind them.
                last.get();
                connection.send(ByteBuffer.allocate(0)).orThrow();
                connection.close();
                connection.closed().get();
            }
            return length;
        }
    }

    private static CompletableFuture<Long> write(RxeConnection connection, MemoryRegion source, long at, int bytes, RemoteMemory target)
        throws IOException {
        CompletableFuture<Long> done = new CompletableFuture<>();
        PostStatus status;
        do {
            status = connection.oneSided().write(source, at, bytes, target, at, (id, written, error) -> {
                if (error == null) {
                    done.complete(written);
                } else {
                    done.completeExceptionally(new IOException(error));
                }
            }, at);
            Thread.onSpinWait();
        } while (status == PostStatus.FULL);
        status.orThrow();
        return done;
    }

    /** The memory of a file; a target is made as long as it. Nothing of 0 bytes can be registered, so an empty file has one byte. */
    private static ByteBuffer map(Path file, long length, FileChannel.MapMode mode) {
        boolean isTarget = mode == FileChannel.MapMode.READ_WRITE;
        try (FileChannel channel = isTarget ? FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ, StandardOpenOption.WRITE) : FileChannel.open(file)) {
            return length == 0 ? ByteBuffer.allocateDirect(1) : channel.map(mode, 0, length);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot map " + file, e);
        }
    }

    /** Receives or sends; see above. */
    public static void main(String[] arguments) throws Exception {
        Usage.require(arguments, 2, "SendFile LOCAL-ADDRESS FILE [RECEIVER-ADDRESS]");
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(arguments[0]))) {
            CompletableFuture<RxeServer> server = new CompletableFuture<>();
            long bytes = arguments.length == 2 ? receive(nic, PORT, Path.of(arguments[1]), server).get()
                : send(nic, arguments[2], PORT, Path.of(arguments[1]));
            System.out.println(bytes + " bytes");
        }
    }
}
