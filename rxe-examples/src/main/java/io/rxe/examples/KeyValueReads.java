package io.rxe.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * A table that peers read with RDMA READ while the owner's code does nothing: one-sided communication.
 *
 * <pre>
 *   slot   CRC 4 | length 4 | key 8 | value, up to 48 bytes          the slot of a key: its hash, then the next free ones
 * </pre>
 *
 * <p>The owner may change a value at any time. A reader that reads during a change sees a wrong CRC and reads again.
 *
 * <pre>
 *   KeyValueReads 10.0.0.1                          owns the table
 *   KeyValueReads 10.0.0.2 10.0.0.1 KEY...          looks keys up in it
 * </pre>
 */
public final class KeyValueReads {
    private static final int TCP_PORT = 18601;
    private static final int SLOTS = 1024;
    private static final int SLOT_BYTES = 64;
    private static final int KEY_OFFSET = 8;
    private static final int VALUE_OFFSET = 16;
    private static final int MOST_TRIES = 1000;
    private static final int EXAMPLE_KEYS = 100;

    private KeyValueReads() {
    }

    /** Runs one side; see above. */
    public static void main(String[] arguments) throws IOException {
        Usage.require(arguments, 1, "KeyValueReads LOCAL-ADDRESS [OWNER-ADDRESS KEY...]");
        RxeNicOptions options = RxeNicOptions.defaults(arguments[0]);
        if (arguments.length == 1) {
            Map<Long, String> table = new LinkedHashMap<>();
            for (long key = 0; key < EXAMPLE_KEYS; key++) {
                table.put(key, "the value of " + key);
            }
            try (ServerSocket server = new ServerSocket(TCP_PORT); Socket control = server.accept()) {
                own(options, control, table, 0);
            }
        } else {
            try (Socket control = new Socket(arguments[1], TCP_PORT); Reader reader = new Reader(options, control)) {
                for (int i = 2; i < arguments.length; i++) {
                    System.out.println(arguments[i] + " = " + reader.get(Long.parseLong(arguments[i])));
                }
            }
        }
    }

    /**
     * Owns a table until the reader disconnects.
     *
     * @param changes how often every value is rewritten meanwhile.
     */
    public static void own(RxeNicOptions options, Socket control, Map<Long, String> table, int changes)
        throws IOException {
        try (Connected peer = Connected.open(options, SLOTS * SLOT_BYTES, control)) {
            table.forEach((key, value) -> put(peer.memory(), key, value));
            peer.synchronize(control);
            for (int change = 0; change < changes; change++) {
                table.forEach((key, value) -> put(peer.memory(), key, value));
            }
            peer.synchronize(control);
        }
    }

    /** Writes a value into the slot of its key. */
    static void put(ByteBuffer table, long key, String value) {
        byte[] bytes = value.getBytes(UTF_8);
        if (bytes.length > SLOT_BYTES - VALUE_OFFSET) {
            throw new IllegalArgumentException("value of " + bytes.length + " bytes > " + (SLOT_BYTES - VALUE_OFFSET)
                + ": make it shorter");
        }
        int slot = slot(key);
        while (table.getInt(slot + Integer.BYTES) != 0 && table.getLong(slot + KEY_OFFSET) != key) {
            slot = (slot + SLOT_BYTES) % (SLOTS * SLOT_BYTES);
        }
        ByteBuffer made = ByteBuffer.allocate(SLOT_BYTES).putInt(0).putInt(bytes.length).putLong(key).put(bytes);
        made.putInt(0, crc(made));
        table.put(slot, made.array());
    }

    private static int slot(long key) {
        return (int) ((key * 0x9E37_79B9_7F4A_7C15L >>> 40) % SLOTS) * SLOT_BYTES;
    }

    private static int crc(ByteBuffer slot) {
        CRC32C crc = new CRC32C();
        crc.update(slot.array(), Integer.BYTES, SLOT_BYTES - Integer.BYTES);
        return (int) crc.getValue();
    }

    /** Looks up keys in the table of a peer. */
    public static final class Reader implements AutoCloseable {
        private final Connected peer;
        private final Socket control;
        private long readAgain;

        /** Connects to the owner of a table. */
        public Reader(RxeNicOptions options, Socket control) throws IOException {
            this.control = control;
            this.peer = Connected.open(options, SLOT_BYTES, control);
            peer.synchronize(control);
        }

        // api.md: get begins
        /** The value of a key, or null. */
        public String get(long key) throws IOException {
            int slot = slot(key);
            int tries = 0;
            while (tries < MOST_TRIES) {
                peer.post(new WorkRequest().read(peer.peerAddress(slot), peer.peerKey())
                    .add(peer.region(), 0, SLOT_BYTES));
                peer.next();
                ByteBuffer read = ByteBuffer.allocate(SLOT_BYTES);
                peer.memory().get(0, read.array());
                int length = read.getInt(Integer.BYTES);
                if (length == 0) {
                    return null;
                }
                if (crc(read) != read.getInt(0)) {
                    // The owner is writing it.
                    tries++;
                    readAgain++;
                } else if (read.getLong(KEY_OFFSET) == key) {
                    return new String(read.array(), VALUE_OFFSET, length, UTF_8);
                } else {
                    slot = (slot + SLOT_BYTES) % (SLOTS * SLOT_BYTES);
                }
            }
            throw new IOException("the slot of key " + key + " was being written at each of " + MOST_TRIES + " reads");
        }
        // api.md: get ends

        /** How often a slot was read again because the owner was writing it. */
        public long readAgain() {
            return readAgain;
        }

        @Override
        public void close() throws IOException {
            try {
                peer.synchronize(control);
            } finally {
                peer.close();
            }
        }
    }
}
