package io.rxe.counters;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rxe.wire.Gid;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Reads counters in the layout of {@link CounterLayout}, also while an engine writes them. Each call reads the buffer again. Never writes.
 */
public final class CountersView {
    /** Of a label: device, UDP port, "engine", its number, and the name, which may have blanks. */
    private static final int LABEL_WORDS = 5;

    private final AtomicBuffer buffer;
    private final CountersReader counters;
    private final List<String> names;
    private final int recordsOffset;
    private final int recordLength;
    private final int records;

    /**
     * A counter of an engine.
     *
     * @param typeId family: a {@code TYPE_} constant of {@link CounterLayout}.
     * @param label  name of the counter.
     * @param closed whether the device is closed, so that this is the last value.
     */
    public record Counter(Gid device, int udpPort, int engine, int typeId, String label, boolean closed, long value) {
    }

    /**
     * A queue pair.
     *
     * @param open      whether it exists; if not, the cells have its last values.
     * @param transport 0 RC, 1 UC, 2 UD, 3 XRC_SEND, 4 XRC_RECV.
     * @param peer      address of the peer; null for none.
     * @param uses      times the record was used: distinguishes queue pairs that had the same record.
     * @param cells     values by name.
     */
    public record QueuePairRow(boolean open, int number, int transport, Gid device, int udpPort, int engine, Gid peer,
                               int peerNumber, long uses, Map<String, Long> cells) {
        /** Returns the value of a cell; 0 when the file has no such cell. */
        public long get(String name) {
            return cells.getOrDefault(name, 0L);
        }
    }

    /** @throws IllegalArgumentException if the buffer has another content or version, or is damaged. */
    public CountersView(AtomicBuffer buffer) {
        this.buffer = buffer;
        if (buffer.capacity() < CounterLayout.HEADER_LENGTH || buffer.getLongVolatile(CounterLayout.MAGIC_OFFSET) != CounterLayout.MAGIC) {
            throw new IllegalArgumentException("no counter file of rxe: it does not start with the magic number");
        }
        int version = buffer.getInt(CounterLayout.VERSION_OFFSET);
        if (version != CounterLayout.VERSION) {
            throw new IllegalArgumentException("counter file version " + version + ", this program reads " + CounterLayout.VERSION
                + ": use the rxe that wrote it");
        }
        int metadataLength = buffer.getInt(CounterLayout.METADATA_LENGTH_OFFSET);
        int valuesLength = buffer.getInt(CounterLayout.VALUES_LENGTH_OFFSET);
        recordLength = buffer.getInt(CounterLayout.RECORD_LENGTH_OFFSET);
        records = buffer.getInt(CounterLayout.RECORDS_OFFSET);
        long before = (long) CounterLayout.HEADER_LENGTH + metadataLength + valuesLength;
        if (metadataLength < 0 || valuesLength < 0 || records < 0 || recordLength < CounterLayout.CELLS_OFFSET
            || before + (long) records * recordLength > buffer.capacity()) {
            throw new IllegalArgumentException("the counter file is damaged: its parts do not fit its " + buffer.capacity() + " bytes");
        }
        recordsOffset = (int) before;
        counters = new CountersReader(new UnsafeBuffer(buffer, CounterLayout.HEADER_LENGTH, metadataLength),
            new UnsafeBuffer(buffer, CounterLayout.HEADER_LENGTH + metadataLength, valuesLength), US_ASCII);
        String cells = text(CounterLayout.NAMES_LENGTH_OFFSET, CounterLayout.NAMES_OFFSET, CounterLayout.MAX_NAMES_LENGTH);
        names = List.of(cells.split(","));
    }

    private String text(int lengthOffset, int offset, int most) {
        byte[] bytes = new byte[Math.max(0, Math.min(most, buffer.getInt(lengthOffset)))];
        buffer.getBytes(offset, bytes);
        return new String(bytes, UTF_8);
    }

    public long processId() {
        return buffer.getLong(CounterLayout.PROCESS_ID_OFFSET);
    }

    /** Start of the process, in ms since 1970. */
    public long startMs() {
        return buffer.getLong(CounterLayout.START_OFFSET);
    }

    /** Start of the process, in ticks since the system started, as {@code /proc/PID/stat} has it. */
    public long startTicks() {
        return buffer.getLong(CounterLayout.START_TICKS_OFFSET);
    }

    /** Close of its last device, in ms since 1970; 0 while a device is open, or if the process was killed. */
    public long endMs() {
        return buffer.getLongVolatile(CounterLayout.END_OFFSET);
    }

    /** Command line of the process. */
    public String command() {
        return text(CounterLayout.COMMAND_LENGTH_OFFSET, CounterLayout.COMMAND_OFFSET, CounterLayout.MAX_COMMAND_LENGTH);
    }

    public List<Counter> counters() {
        List<Counter> found = new ArrayList<>();
        counters.forEach((id, typeId, key, label) -> {
            String[] words = label.split(" ", LABEL_WORDS);
            String name = words[words.length - 1];
            found.add(new Counter(gid(key, CounterLayout.KEY_DEVICE), key.getInt(CounterLayout.KEY_UDP_PORT),
                key.getInt(CounterLayout.KEY_ENGINE), typeId, name, key.getInt(CounterLayout.KEY_CLOSED) != 0,
                counters.getCounterValue(id)));
        });
        return found;
    }

    /** Returns all queue pairs, open and closed, except those whose record was reused. */
    public List<QueuePairRow> queuePairs() {
        List<QueuePairRow> found = new ArrayList<>();
        int used = Math.min(records, buffer.getIntVolatile(CounterLayout.RECORDS_USED_OFFSET));
        for (int index = 0; index < used; index++) {
            QueuePairRow row = row(recordsOffset + index * recordLength);
            if (row != null) {
                found.add(row);
            }
        }
        return found;
    }

    private QueuePairRow row(int at) {
        int status = buffer.getIntVolatile(at + CounterLayout.STATUS_OFFSET);
        if (status == CounterLayout.STATUS_FREE) {
            return null;
        }
        Map<String, Long> cells = new LinkedHashMap<>();
        for (int cell = 0; cell < names.size() && CounterLayout.CELLS_OFFSET + (cell + 1) * Long.BYTES <= recordLength; cell++) {
            cells.put(names.get(cell), buffer.getLongVolatile(at + CounterLayout.CELLS_OFFSET + cell * Long.BYTES));
        }
        Gid peer = gid(buffer, at + CounterLayout.PEER_OFFSET);
        return new QueuePairRow(status == CounterLayout.STATUS_OPEN, buffer.getInt(at + CounterLayout.NUMBER_OFFSET),
            buffer.getInt(at + CounterLayout.TRANSPORT_OFFSET), gid(buffer, at + CounterLayout.DEVICE_OFFSET),
            buffer.getInt(at + CounterLayout.UDP_PORT_OFFSET), buffer.getInt(at + CounterLayout.ENGINE_OFFSET),
            peer.high() == 0 && peer.low() == 0 ? null : peer, buffer.getInt(at + CounterLayout.PEER_NUMBER_OFFSET),
            buffer.getLong(at + CounterLayout.USES_OFFSET), cells);
    }

    private static Gid gid(DirectBuffer from, int at) {
        return new Gid(from.getLong(at, ByteOrder.BIG_ENDIAN), from.getLong(at + Long.BYTES, ByteOrder.BIG_ENDIAN));
    }
}
