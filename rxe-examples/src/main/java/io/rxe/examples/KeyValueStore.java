package io.rxe.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rxe.connect.ConnectOptions;
import io.rxe.connect.RemoteMemory;
import io.rxe.connect.RxeClient;
import io.rxe.connect.RxeConnection;
import io.rxe.connect.RxeServer;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32C;

/**
 * A key-value store: clients put by message, and get with RDMA READ, so that reading costs the store nothing.
 *
 * <pre>
 *   KeyValueStore 10.0.0.1                           the store
 *   KeyValueStore 10.0.0.2 10.0.0.1 KEY [VALUE]      puts a value, or gets it
 * </pre>
 */
public final class KeyValueStore implements AutoCloseable {
    private static final int PORT = 7472;
    private static final int KEYS = 1024;
    private static final int SLOT_BYTES = 256;
    private static final int HEADER_BYTES = 2 * Integer.BYTES;

    /** A slot for each key: CRC 4, length 4, value. */
    private final ByteBuffer table = ByteBuffer.allocateDirect(KEYS * SLOT_BYTES);
    private final RxeServer server;
    private RemoteMemory memory;

    /** Opens a store on a NIC. */
    public KeyValueStore(RxeNic nic, int port) {
        server = RxeServer.listen(nic, port, connection -> {
            if (memory == null) {
                memory = RemoteMemory.of(connection.register(table, AccessFlags.REMOTE_READ));
            }
            connection.answer(ConnectOptions.defaults().withPrivateData(memory.toBytes())).onMessage(this::put);
        });
    }

    /** On the engine's thread: a message is a key and a value; the empty answer says that it can be read. */
    private void put(RxeConnection from, ByteBuffer message) {
        int slot = Math.floorMod(message.getInt(), KEYS) * SLOT_BYTES;
        byte[] value = new byte[Math.min(message.remaining(), SLOT_BYTES - HEADER_BYTES)];
        message.get(value);
        table.putInt(slot + Integer.BYTES, value.length).put(slot + HEADER_BYTES, value).putInt(slot, crc(value));
        from.send(ByteBuffer.allocate(0));
    }

    private static int crc(byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(value);
        return (int) crc.getValue();
    }

    @Override
    public void close() {
        server.close();
    }

    /** One connection to a store. */
    public static final class Client {
        private final Queue<CompletableFuture<Void>> puts = new ConcurrentLinkedQueue<>();
        private final RxeConnection connection;

        /** Connects to the store of a host. */
        public Client(RxeClient client, String host, int port) throws IOException {
            connection = client.connect(host, port, set -> set.onMessage((from, answer) -> puts.remove().complete(null))
                .onClosed(end -> puts.forEach(put -> put.completeExceptionally(new IOException(end.toString())))));
            connection.connected().join();
        }

        /** Puts a value of at most 248 bytes of UTF-8; for one thread. Completes when it can be read. */
        public CompletableFuture<Void> put(int key, String value) throws IOException {
            CompletableFuture<Void> done = new CompletableFuture<>();
            puts.add(done);
            byte[] bytes = value.getBytes(UTF_8);
            connection.send(ByteBuffer.allocate(Integer.BYTES + bytes.length).putInt(key).put(bytes).flip()).orThrow();
            return done;
        }

        /** Gets a value; empty if none was put. */
        public CompletableFuture<String> get(int key) {
            RemoteMemory slots = RemoteMemory.of(connection.peerData());
            return connection.oneSided().read(slots, (long) Math.floorMod(key, KEYS) * SLOT_BYTES, SLOT_BYTES).toCompletableFuture()
                .thenCompose(slot -> {
                    int crc = slot.getInt();
                    byte[] value = new byte[Math.min(slot.getInt(), SLOT_BYTES - HEADER_BYTES)];
                    slot.get(value);
                    // The store may write while it is read: then again.
                    return value.length == 0 || crc == crc(value) ? CompletableFuture.completedFuture(new String(value, UTF_8)) : get(key);
                });
        }
    }

    /** Runs the store, or a client; see above. */
    public static void main(String[] arguments) throws Exception {
        Usage.require(arguments, arguments.length == 2 ? 3 : 1, "KeyValueStore LOCAL-ADDRESS [STORE-ADDRESS KEY [VALUE]]");
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(arguments[0]))) {
            if (arguments.length == 1) {
                new KeyValueStore(nic, PORT);
                Thread.sleep(Long.MAX_VALUE);
            }
            try (RxeClient client = new RxeClient(nic)) {
                Client store = new Client(client, arguments[1], PORT);
                int key = Integer.parseInt(arguments[2]);
                System.out.println(arguments.length > 3 ? store.put(key, arguments[3]).get() : store.get(key).get());
            }
        }
    }
}
