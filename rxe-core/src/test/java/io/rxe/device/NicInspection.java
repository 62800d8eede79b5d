package io.rxe.device;

import io.rxe.memory.KeyTable;
import io.rxe.memory.Region;
import io.rxe.port.PathFigures;
import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.responder.Responder;
import io.rxe.qp.send.SendCredits;
import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SentPackets;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.wire.Psn;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.agrona.collections.Int2ObjectHashMap;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;

/** Reads the internals of a NIC, for tests that check that everything was released. */
public final class NicInspection {
    private NicInspection() {
    }

    /** Number of registered keys. */
    public static int keys(Nic nic) {
        return table(nic).size();
    }

    /** The region of a key, or null. */
    public static Region region(Nic nic, int key) {
        return table(nic).find(key);
    }

    /** Whether a key is registered. */
    public static boolean hasKey(Nic nic, int key) {
        return table(nic).find(key) != null;
    }

    /** Bytes of the frames that hold what arrived out of order. */
    public static long reorderBytesInUse(Nic nic) {
        long sum = 0;
        for (int i = 0; i < nic.engines(); i++) {
            sum += nic.engine(i).frames().inUse();
        }
        return sum;
    }

    /** Runs this in the middle of the next post of a new queue pair, where its request gets a slot. */
    @SuppressWarnings("unchecked")
    static void onSlot(QueuePair queuePair, Runnable step) {
        Object sends = ((QueuePairTasks) field(queuePair, "tasks")).context().queues().sends();
        Supplier<Object> maker = (Supplier<Object>) field(sends, "maker");
        set(sends, "maker", (Supplier<Object>) () -> {
            step.run();
            return maker.get();
        });
    }

    /** Number of queue pairs in the table of engine 0. */
    public static int queuePairs(Nic nic) {
        int sum = 0;
        for (int i = 0; i < nic.engines(); i++) {
            sum += nic.engine(i).queuePairs().size();
        }
        return sum;
    }

    /** How many queue pairs the NIC counts. */
    static AtomicInteger queuePairCount(Nic nic) {
        return (AtomicInteger) field(nic, "queuePairs");
    }

    /** Sets the number of regions and windows that the NIC counts as its own. */
    static void keyCount(Nic nic, int count) {
        set(table(nic), "size", count);
    }

    /** Sets the number of XRC shared receive queues that the NIC counts as in use. */
    static void xrcNumberCount(Nic nic, int count) {
        set(field(nic, "xrcNumbers"), "used", new HashSet<Integer>() {
            private static final long serialVersionUID = 1;

            @Override
            public int size() {
                return count;
            }
        });
    }

    /** From now on memory ends where the table of the queue pairs of engine 0 has taken one. */
    static void endMemoryOfTable(Nic nic) {
        set(nic.engine(0).queuePairs(), "queuePairs", new Int2ObjectHashMap<QueuePairTasks>() {
            @Override
            public QueuePairTasks put(int key, QueuePairTasks value) {
                super.put(key, value);
                throw new OutOfMemoryError("planted");
            }
        });
    }

    /** From now on memory ends where an asynchronous event is queued. */
    static void endMemoryOfEvents(Nic nic) {
        set(field(nic, "events"), "queue", new MpmcAtomicArrayQueue<AsyncEvent>(2) {
            @Override
            public boolean offer(AsyncEvent event) {
                throw new OutOfMemoryError("planted");
            }
        });
    }

    /** From now on memory ends where engine 0 is to remember the number of a queue pair that was closed. */
    static void endMemoryOfNumbers(Nic nic) {
        set(nic.engine(0).queuePairs(), "retired", new ArrayDeque<>() {
            private static final long serialVersionUID = 1;

            @Override
            public boolean add(Object retired) {
                throw new OutOfMemoryError("planted");
            }
        });
    }

    /** From now on memory ends where a domain adds a queue pair. */
    static void endMemoryOfDomain(ProtectionDomain domain) {
        set(domain, "queuePairs", new HashSet<QueuePair>() {
            private static final long serialVersionUID = 1;

            @Override
            public boolean add(QueuePair pair) {
                throw new OutOfMemoryError("planted");
            }
        });
    }

    /** From now on whoever asks a region for its memory throws. */
    static void breakMemory(Region region) {
        set(region, "memory", null);
    }

    private static void set(Object owner, String name, Object value) {
        try {
            Field field = owner.getClass().getDeclaredField(name);
            field.setAccessible(true);
            field.set(owner, value);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(owner.getClass() + " has no field " + name, e);
        }
    }

    /** Puts a queue pair into a table under any number. */
    @SuppressWarnings("unchecked")
    static void add(QueuePairTable table, int number, QueuePair queuePair) {
        ((Int2ObjectHashMap<QueuePairTasks>) field(table, "queuePairs")).put(number, (QueuePairTasks) field(queuePair, "tasks"));
    }

    /** Returns the state of the send side of a queue pair, in a line. */
    public static String describe(QueuePair queuePair) {
        QueuePairTasks tasks = (QueuePairTasks) field(queuePair, "tasks");
        SendState send = tasks.send();
        SentPackets packets = send.packets();
        return queuePair.state() + " acked " + Long.toHexString(send.ackedSeq()) + " executed " + Long.toHexString(send.executedSeq())
            + " inflight " + send.inFlight() + " arrived " + packets.arrivedPackets() + " next " + Long.toHexString(send.nextSeq())
            + " lost " + packets.lostPackets() + " from "
            + Long.toHexString(packets.firstLost(send.ackedSeq())) + " reads " + send.readAtomicInUse() + " held "
            + packets.isNewPaused() + " timers ["
            + tasks.timers() + "] unfinished " + tasks.isUnfinished() + " deadline "
            + tasks.nextDeadlineNs() + " queued " + tasks.deadlineNs() + " ready " + tasks.isReady();
    }

    /** How many packets, and responses to READs, of a queue pair count as lost and have not been retransmitted. */
    public static long lostPackets(QueuePair queuePair) {
        return ((QueuePairTasks) field(queuePair, "tasks")).send().packets().lostPackets();
    }

    /** What an RC queue pair knows of the path to its peer. */
    public static PathFigures path(QueuePair queuePair) {
        return (PathFigures) field(field(queuePair, "tasks"), "path");
    }

    /** Whether the requester of a queue pair waits for credits. */
    public static boolean waitsForCredits(QueuePair queuePair) {
        return ((SendCredits) field(field(queuePair, "tasks"), "credits")).isWaiting();
    }

    /** Whether an RC queue pair has a response to send. */
    public static boolean responds(QueuePair queuePair) {
        return ((Responder) field(field(queuePair, "tasks"), "responder")).hasPending();
    }

    /** Which timers of a queue pair run, and when each expires. */
    public static String timers(QueuePair queuePair) {
        return ((QueuePairTasks) field(queuePair, "tasks")).timers();
    }

    /** Whether an RC queue pair compares a duplicate of this PSN with what it executed from behind a gap. */
    public static boolean comparesDuplicates(QueuePair queuePair, int psn) {
        Object digests = field(field(field(queuePair, "tasks"), "responder"), "executed");
        long[] entries = (long[]) field(digests, "entries");
        return entries != null && (int) (entries[psn & entries.length - 1] >>> Integer.SIZE & Psn.MASK) == psn;
    }

    private static Object field(Object owner, String name) {
        try {
            Field field = owner.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(owner);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(owner.getClass() + " has no field " + name, e);
        }
    }

    private static KeyTable table(Nic nic) {
        return (KeyTable) field(nic, "keys");
    }
}
