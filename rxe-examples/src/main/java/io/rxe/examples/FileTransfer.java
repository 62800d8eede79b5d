package io.rxe.examples;

import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * Moves a file by RDMA WRITE with immediate: the data goes straight to its place in the receiver's memory. The immediate holds the length;
 * it consumes a receive request and produces a completion there. The receiver returns the slot with an empty SEND.
 *
 * <pre>
 *   sender      WRITE slot 0, WRITE slot 1, ...                          at most SLOTS ahead
 *   receiver          slot 0 -> file, SEND "one more slot is free" ...
 * </pre>
 *
 * <pre>
 *   FileTransfer 10.0.0.1 FILE              receives into FILE
 *   FileTransfer 10.0.0.2 FILE 10.0.0.1     sends FILE
 * </pre>
 */
public final class FileTransfer {
    private static final int TCP_PORT = 18602;
    private static final int SLOTS = 16;
    private static final int SLOT_BYTES = 1 << 16;

    private FileTransfer() {
    }

    /** Runs one side; see above. */
    public static void main(String[] arguments) throws IOException {
        Usage.require(arguments, 2, "FileTransfer LOCAL-ADDRESS FILE [RECEIVER-ADDRESS]");
        RxeNicOptions options = RxeNicOptions.defaults(arguments[0]);
        Path file = Path.of(arguments[1]);
        long beganNs = System.nanoTime();
        long bytes;
        if (arguments.length == 2) {
            try (ServerSocket server = new ServerSocket(TCP_PORT); Socket control = server.accept()) {
                bytes = receive(options, control, file);
            }
        } else {
            try (Socket control = new Socket(arguments[2], TCP_PORT)) {
                bytes = send(options, control, file);
            }
        }
        System.out.printf(Locale.ROOT, "%,d bytes, %.1f MB/s%n", bytes, bytes * 1e3 / (System.nanoTime() - beganNs));
    }

    /** Sends a file and returns its length in bytes. */
    public static long send(RxeNicOptions options, Socket control, Path file) throws IOException {
        try (Connected peer = Connected.open(options, SLOTS * SLOT_BYTES, control);
             FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            ReceiveRequest freed = new ReceiveRequest().clearElements();
            for (int i = 0; i < SLOTS; i++) {
                peer.post(freed);
            }
            peer.synchronize(control);
            long total = 0;
            long sent = 0;
            long free = SLOTS;
            int length = 0;
            while (length >= 0) {
                while (free == 0) {
                    // Our own WRITEs complete too; a slot is free again only when the peer returns it.
                    if (peer.next().operation() == Operation.RECEIVE) {
                        peer.post(freed);
                        free++;
                    }
                }
                int slot = (int) (sent % SLOTS) * SLOT_BYTES;
                length = in.read(peer.memory().duplicate().position(slot).limit(slot + SLOT_BYTES));
                int bytes = Math.max(0, length);
                peer.post(new WorkRequest().writeWithImmediate(peer.peerAddress(slot), peer.peerKey(), bytes)
                    .add(peer.region(), slot, bytes));
                sent++;
                free--;
                total += bytes;
            }
            peer.synchronize(control);
            return total;
        }
    }

    /** Receives a file and returns its length in bytes. */
    public static long receive(RxeNicOptions options, Socket control, Path file) throws IOException {
        try (Connected peer = Connected.open(options, SLOTS * SLOT_BYTES, control);
             FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                 StandardOpenOption.TRUNCATE_EXISTING)) {
            ReceiveRequest arrival = new ReceiveRequest().clearElements();
            WorkRequest slotIsFree = new WorkRequest().send().clearElements();
            for (int i = 0; i < SLOTS; i++) {
                peer.post(arrival);
            }
            peer.synchronize(control);
            long total = 0;
            long received = 0;
            while (true) {
                WorkCompletion done = peer.next();
                if (!done.hasImmediate()) {
                    continue;
                }
                int bytes = done.immediate();
                if (bytes == 0) {
                    peer.synchronize(control);
                    return total;
                }
                int slot = (int) (received++ % SLOTS) * SLOT_BYTES;
                ByteBuffer data = peer.memory().duplicate().position(slot).limit(slot + bytes);
                while (data.hasRemaining()) {
                    total += out.write(data);
                }
                peer.post(arrival);
                peer.post(slotIsFree);
            }
        }
    }
}
