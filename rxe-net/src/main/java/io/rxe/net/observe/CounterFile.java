package io.rxe.net.observe;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rxe.counters.CounterLayout;
import io.rxe.port.CounterSpace;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

/**
 * The counters of this process in a memory-mapped file that other processes read ({@link CounterLayout}). All NICs of a process share one
 * file, but those of another class loader, as of two applications in a container, have one of their own. It is kept when the process ends,
 * so that its last counters can still be read.
 *
 * <p>Allocating cells is synchronized; counters are written without this class. Before a part of the map is used the file gets disk
 * blocks there: a store into a hole of a sparse file would kill the process (SIGBUS) when the file system is full.
 */
public final class CounterFile implements CounterSpace {
    /** Queue pairs that have a record at the same time; any more are counted for their engine only. */
    public static final int MAX_QUEUE_PAIRS = 10_000;
    /** Counters of engines: enough for about eighty engines. */
    static final int MAX_COUNTERS = 8192;

    private static final int METADATA_BYTES = MAX_COUNTERS * CountersReader.METADATA_LENGTH;
    private static final int VALUES_BYTES = MAX_COUNTERS * CountersReader.COUNTER_LENGTH;
    private static final int METADATA_OFFSET = CounterLayout.HEADER_LENGTH;
    private static final int VALUES_OFFSET = METADATA_OFFSET + METADATA_BYTES;
    private static final int RECORDS_OFFSET = VALUES_OFFSET + VALUES_BYTES;
    private static final int FILE_BYTES = RECORDS_OFFSET + MAX_QUEUE_PAIRS * CounterLayout.RECORD_LENGTH;
    /** Counters or records that get disk blocks together. */
    private static final int STEP = 64;
    /** Records of closed queue pairs that stay readable, as long as there are unused ones. */
    private static final int KEPT_CLOSED_RECORDS = 256;

    private static CounterFile ofProcess;

    private final Path path;
    /** Not a FileChannel of its own, which an interrupted thread would close for good. */
    private final RandomAccessFile file;
    private final UnsafeBuffer buffer;
    private final UnsafeBuffer metadata;
    private final CountersManager counters;
    private final String command;
    /** Metadata of the counters in use, to write again when the file was truncated. */
    private final Map<Integer, byte[]> savedMetadata = new HashMap<>();
    private final Map<String, List<Integer>> devices = new LinkedHashMap<>();
    private final Map<String, List<Integer>> closedDevices = new LinkedHashMap<>();
    private final ArrayDeque<Integer> freeRecords = new ArrayDeque<>();
    private int countersMade;
    private int countersBacked;
    private int recordsUsed;
    private int recordsBacked;
    private int restored;
    /** When the last device was closed, in ms since 1970; 0 while one is open. */
    private long endMs;

    private CounterFile(Path path, RandomAccessFile file, String command) throws IOException {
        this.path = path;
        this.file = file;
        this.command = command;
        back(0, CounterLayout.HEADER_LENGTH);
        buffer = new UnsafeBuffer(file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES));
        metadata = new UnsafeBuffer(buffer, METADATA_OFFSET, METADATA_BYTES);
        counters = new CountersManager(metadata, new UnsafeBuffer(buffer, VALUES_OFFSET, VALUES_BYTES), US_ASCII);
        writeHeader();
    }

    /**
     * The file of this process; created on first use, which also removes old files of processes that ended.
     *
     * @throws IOException if it cannot be created.
     */
    public static synchronized CounterFile ofProcess() throws IOException {
        if (ofProcess == null) {
            // Another class loader has another of this class, but the same of Java's.
            synchronized (ProcessHandle.class) {
                Path folder = CounterFolder.prepare();
                CounterFolder.clean(folder);
                ofProcess = create(CounterFolder.ofProcess(folder), ProcessCommand.ofProcess());
            }
        }
        return ofProcess;
    }

    /** Creates a file. An existing one is left from an earlier process with the same ID, and is replaced. */
    static CounterFile create(Path path, String command) throws IOException {
        Files.deleteIfExists(path);
        Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        try {
            return new CounterFile(path, file, command);
        } catch (Throwable e) {
            file.close();
            Files.deleteIfExists(path);
            throw e;
        }
    }

    private void writeHeader() {
        buffer.putInt(CounterLayout.VERSION_OFFSET, CounterLayout.VERSION);
        buffer.putInt(CounterLayout.METADATA_LENGTH_OFFSET, METADATA_BYTES);
        buffer.putInt(CounterLayout.VALUES_LENGTH_OFFSET, VALUES_BYTES);
        buffer.putInt(CounterLayout.RECORD_LENGTH_OFFSET, CounterLayout.RECORD_LENGTH);
        buffer.putInt(CounterLayout.RECORDS_OFFSET, MAX_QUEUE_PAIRS);
        buffer.putLong(CounterLayout.PROCESS_ID_OFFSET, ProcessHandle.current().pid());
        buffer.putLong(CounterLayout.START_OFFSET, CounterFolder.startMs(ProcessHandle.current()));
        buffer.putLong(CounterLayout.START_TICKS_OFFSET, CounterFolder.startTicks(ProcessHandle.current().pid()));
        putText(CounterLayout.COMMAND_LENGTH_OFFSET, CounterLayout.COMMAND_OFFSET, CounterLayout.MAX_COMMAND_LENGTH, command);
        buffer.putLong(CounterLayout.END_OFFSET, endMs);
        putText(CounterLayout.NAMES_LENGTH_OFFSET, CounterLayout.NAMES_OFFSET, CounterLayout.MAX_NAMES_LENGTH, CounterLayout.names());
        buffer.putLongRelease(CounterLayout.MAGIC_OFFSET, CounterLayout.MAGIC);
    }

    private void putText(int lengthOffset, int offset, int most, String text) {
        byte[] bytes = Arrays.copyOf(text.getBytes(UTF_8), Math.min(most, text.getBytes(UTF_8).length));
        buffer.putBytes(offset, bytes);
        buffer.putInt(lengthOffset, bytes.length);
    }

    public Path path() {
        return path;
    }

    /**
     * Restores the file if another program has truncated it: an access to a page that the file no longer has is an InternalError on the
     * thread that counts. Counters in the lost part begin at 0 again; records of queue pairs in it are lost. Any thread.
     *
     * @return how often it had to be restored so far.
     */
    public synchronized int restore() {
        try {
            int size = (int) Math.min(file.length(), FILE_BYTES);
            if (size == FILE_BYTES) {
                return restored;
            }
            backFrom(size, 0, CounterLayout.HEADER_LENGTH);
            backFrom(size, METADATA_OFFSET, countersBacked * CountersReader.METADATA_LENGTH);
            backFrom(size, VALUES_OFFSET, countersBacked * CountersReader.COUNTER_LENGTH);
            backFrom(size, RECORDS_OFFSET, recordsBacked * CounterLayout.RECORD_LENGTH);
            writeHeader();
            buffer.putIntRelease(CounterLayout.RECORDS_USED_OFFSET, recordsUsed);
            savedMetadata.forEach((counter, saved) -> metadata.putBytes(counter * CountersReader.METADATA_LENGTH, saved));
            restored++;
            // Last: where this is cut short, as by a fault that the JVM delivers late, the file is too short still, and restored again.
            back(FILE_BYTES - 1, 1);
        } catch (IOException e) {
            // No space, or the file is closed: the fault stays unexplained, and is reported as it is.
        }
        return restored;
    }

    /** How often {@link #restore} had to restore the file. */
    public synchronized int restored() {
        return restored;
    }

    private void backFrom(int size, int offset, int lengthBytes) throws IOException {
        int from = Math.max(size, offset);
        if (from < offset + lengthBytes) {
            back(from, offset + lengthBytes - from);
        }
    }

    @Override
    public AtomicBuffer buffer() {
        return buffer;
    }

    /**
     * Registers a device, before its first {@link #allocate}. Frees the counters that a closed device of the same address left.
     *
     * @return false if such a device is open; a second one cannot bind its port and must not disturb the first.
     */
    public synchronized boolean openDevice(Gid device, int udpPort) {
        String name = name(device, udpPort);
        if (devices.containsKey(name)) {
            return false;
        }
        release(closedDevices.remove(name));
        devices.put(name, new ArrayList<>());
        end(0);
        return true;
    }

    /** Closes a device that has stopped counting: its cells stay readable until another device needs them. */
    public synchronized void closeDevice(Gid device, int udpPort) {
        String name = name(device, udpPort);
        List<Integer> ids = devices.remove(name);
        if (ids != null) {
            ids.forEach(id -> {
                metadata.putIntRelease(id * CountersReader.METADATA_LENGTH + CountersReader.KEY_OFFSET + CounterLayout.KEY_CLOSED, 1);
                save(id);
            });
            closedDevices.put(name, ids);
        }
        if (devices.isEmpty()) {
            end(System.currentTimeMillis());
        }
    }

    private void end(long ms) {
        endMs = ms;
        buffer.putLongRelease(CounterLayout.END_OFFSET, ms);
    }

    private void save(int counter) {
        byte[] saved = new byte[CountersReader.METADATA_LENGTH];
        metadata.getBytes(counter * CountersReader.METADATA_LENGTH, saved);
        savedMetadata.put(counter, saved);
    }

    private static String name(Gid device, int udpPort) {
        return device + " " + udpPort;
    }

    private void release(List<Integer> ids) {
        if (ids != null) {
            ids.forEach(counters::free);
            ids.forEach(savedMetadata::remove);
        }
    }

    @Override
    public synchronized int allocate(Owner owner, int typeId, int id, String label) {
        restore();
        List<Integer> ids = devices.get(name(owner.device(), owner.udpPort()));
        if (ids == null || !hasCounter()) {
            return NONE;
        }
        int counter = counters.allocate(owner.device() + " " + owner.udpPort() + " engine " + owner.engine() + " " + label,
            typeId, key -> {
                key.putLong(CounterLayout.KEY_DEVICE, owner.device().high(), ByteOrder.BIG_ENDIAN);
                key.putLong(CounterLayout.KEY_DEVICE + Long.BYTES, owner.device().low(), ByteOrder.BIG_ENDIAN);
                key.putInt(CounterLayout.KEY_UDP_PORT, owner.udpPort());
                key.putInt(CounterLayout.KEY_ENGINE, owner.engine());
                key.putInt(CounterLayout.KEY_ID, id);
                key.putInt(CounterLayout.KEY_CLOSED, 0);
            });
        countersMade = Math.max(countersMade, counter + 1);
        ids.add(counter);
        save(counter);
        return VALUES_OFFSET + counter * CountersReader.COUNTER_LENGTH;
    }

    /** Frees a counter and gives it blocks if needed; false when that fails. */
    private boolean hasCounter() {
        if (counters.available() == 0 && !closedDevices.isEmpty()) {
            release(closedDevices.remove(closedDevices.keySet().iterator().next()));
        }
        if (counters.available() == 0) {
            return false;
        }
        if (countersMade == countersBacked && countersMade < MAX_COUNTERS) {
            int count = Math.min(STEP, MAX_COUNTERS - countersBacked);
            if (!tryBack(METADATA_OFFSET + countersBacked * CountersReader.METADATA_LENGTH, count * CountersReader.METADATA_LENGTH)
                || !tryBack(VALUES_OFFSET + countersBacked * CountersReader.COUNTER_LENGTH, count * CountersReader.COUNTER_LENGTH)) {
                return false;
            }
            countersBacked += count;
        }
        return true;
    }

    @Override
    public synchronized int openRecord(Owner owner) {
        int offset;
        if (freeRecords.size() < KEPT_CLOSED_RECORDS && hasFreshRecord()) {
            offset = RECORDS_OFFSET + recordsUsed * CounterLayout.RECORD_LENGTH;
            buffer.putIntRelease(CounterLayout.RECORDS_USED_OFFSET, ++recordsUsed);
        } else if (freeRecords.isEmpty()) {
            return NONE;
        } else {
            offset = freeRecords.poll();
        }
        long uses = buffer.getLong(offset + CounterLayout.USES_OFFSET) + 1;
        buffer.putIntRelease(offset + CounterLayout.STATUS_OFFSET, CounterLayout.STATUS_FREE);
        buffer.setMemory(offset, CounterLayout.RECORD_LENGTH, (byte) 0);
        buffer.putLong(offset + CounterLayout.USES_OFFSET, uses);
        return offset;
    }

    private boolean hasFreshRecord() {
        if (recordsUsed < recordsBacked) {
            return true;
        }
        int count = Math.min(STEP, MAX_QUEUE_PAIRS - recordsBacked);
        if (count <= 0 || !tryBack(RECORDS_OFFSET + recordsBacked * CounterLayout.RECORD_LENGTH, count * CounterLayout.RECORD_LENGTH)) {
            return false;
        }
        recordsBacked += count;
        return true;
    }

    @Override
    public synchronized void closeRecord(int offset) {
        freeRecords.add(offset);
    }

    private boolean tryBack(int offset, int lengthBytes) {
        try {
            back(offset, lengthBytes);
            return true;
        } catch (IOException e) {
            // The file system is full: other processes will not see these counters.
            return false;
        }
    }

    /** Gives an unused part of the file disk blocks by writing zeros. */
    private void back(int offset, int lengthBytes) throws IOException {
        file.seek(offset);
        file.write(new byte[lengthBytes]);
    }
}
