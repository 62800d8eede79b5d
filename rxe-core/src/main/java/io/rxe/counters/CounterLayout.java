package io.rxe.counters;

/**
 * The layout of a process's counters in one buffer, usually a memory-mapped file. All numbers are in the byte order of the machine.
 *
 * <pre>
 *        0 +---------------------------+
 *          | header                    |  4096 bytes, below
 *     4096 +---------------------------+
 *          | metadata                  |  512 bytes for each counter: Agrona's CountersReader, METADATA_LENGTH
 *          +---------------------------+
 *          | values                    |  128 bytes for each counter: Agrona's CountersReader, COUNTER_LENGTH
 *          +---------------------------+
 *          | queue pair records        |  one for each queue pair, open or closed
 *          +---------------------------+
 *
 *   header                                    metadata key of a counter (type id = family)
 *     0  magic                      8           0  device GID                 16
 *     8  version                    4          16  UDP port                    4
 *    12  metadata length            4          20  engine                      4
 *    16  values length              4          24  id within the family        4
 *    20  record length              4          28  1 = the device is closed    4
 *    24  records                    4
 *    28  records used so far        4          queue pair record
 *    32  process id                 8            0  status: 0 free, 1 open, 2 closed   4
 *    40  process start, ms 1970     8            4  queue pair number                  4
 *    48  end, ms 1970; 0 = running  8            8  type: 0 RC, 1 UC, 2 UD, 3, 4 XRC   4
 *    56  length of command          4           12  queue pair number of the peer      4
 *    60  length of names            4           16  device GID                        16
 *    64  command, UTF-8             952         32  GID of the peer; 0 = none         16
 *   1016 process start, ticks       8           48  UDP port of the device             4
 *        since the system did                   52  engine                             4
 *   1024 names of cells, ASCII,     3072        56  times the record was used          8
 *        separated by commas                    64  cells, 8 bytes each, in the order of the names in the header
 * </pre>
 *
 * <p>The file describes itself: the metadata has the names of the engines' counters, the header those of the cells of queue pairs.
 * Readers never write. Each cell is exact; cells of one record may have been written at different times.
 *
 * <p>Queue pairs have records instead of a counter for each cell, because sixty counters would take 38 KB for each queue pair. A record
 * takes ten cache lines, and is written at once when the queue pair is polled.
 */
public final class CounterLayout {
    /** "rxecount" as bytes in memory on a little-endian machine. */
    public static final long MAGIC = 0x746E_756F_6365_7872L;
    /** Readers reject any other version. */
    public static final int VERSION = 1;

    public static final int HEADER_LENGTH = 4096;
    public static final int MAGIC_OFFSET = 0;
    public static final int VERSION_OFFSET = 8;
    public static final int METADATA_LENGTH_OFFSET = 12;
    public static final int VALUES_LENGTH_OFFSET = 16;
    public static final int RECORD_LENGTH_OFFSET = 20;
    public static final int RECORDS_OFFSET = 24;
    public static final int RECORDS_USED_OFFSET = 28;
    public static final int PROCESS_ID_OFFSET = 32;
    public static final int START_OFFSET = 40;
    public static final int END_OFFSET = 48;
    public static final int COMMAND_LENGTH_OFFSET = 56;
    public static final int NAMES_LENGTH_OFFSET = 60;
    public static final int COMMAND_OFFSET = 64;
    public static final int MAX_COMMAND_LENGTH = 952;
    public static final int START_TICKS_OFFSET = 1016;
    public static final int NAMES_OFFSET = 1024;
    public static final int MAX_NAMES_LENGTH = 3072;

    /** Family of {@link NicCounter}. */
    public static final int TYPE_NIC = 4791;
    /** Family of {@link io.rxe.wire.DropReason}. */
    public static final int TYPE_DROP = 4792;
    /** Family of the sockets' counters. */
    public static final int TYPE_NET = 4793;
    /** Family of the rules of faults at the verbs, by their words. */
    public static final int TYPE_FAULT = 4794;

    public static final int KEY_DEVICE = 0;
    public static final int KEY_UDP_PORT = 16;
    public static final int KEY_ENGINE = 20;
    public static final int KEY_ID = 24;
    public static final int KEY_CLOSED = 28;

    /** {@link #STATUS_OFFSET}: never used. */
    public static final int STATUS_FREE = 0;
    /** {@link #STATUS_OFFSET}: the queue pair exists. */
    public static final int STATUS_OPEN = 1;
    /** {@link #STATUS_OFFSET}: the queue pair is destroyed; the record has its last values. */
    public static final int STATUS_CLOSED = 2;
    public static final int STATUS_OFFSET = 0;
    public static final int NUMBER_OFFSET = 4;
    public static final int TRANSPORT_OFFSET = 8;
    public static final int PEER_NUMBER_OFFSET = 12;
    public static final int DEVICE_OFFSET = 16;
    public static final int PEER_OFFSET = 32;
    public static final int UDP_PORT_OFFSET = 48;
    public static final int ENGINE_OFFSET = 52;
    public static final int USES_OFFSET = 56;
    public static final int CELLS_OFFSET = 64;

    /** Bytes of a queue pair record, as this version writes it: a multiple of two cache lines. */
    public static final int RECORD_LENGTH = CELLS_OFFSET + QueuePairCounters.CELLS * Long.BYTES + 127 & ~127;

    private CounterLayout() {
    }

    /** Returns the names of the cells of a queue pair record, in order, as in the header. */
    public static String names() {
        StringBuilder names = new StringBuilder(1024);
        for (QueuePairCell cell : QueuePairCell.values()) {
            names.append(cell.label()).append(',');
        }
        for (NicCounter counter : NicCounter.values()) {
            names.append(counter.label()).append(',');
        }
        return names.append(QueuePairCounters.DROPPED_LABEL).toString();
    }
}
