package io.rxe.device;

import io.rxe.memory.KeyTable;
import io.rxe.qp.RetryCounters;
import io.rxe.qp.SendState;
import io.rxe.verbs.QueuePair;
import java.lang.reflect.Field;

/** Looks into a NIC for tests that count what is left when everything should be gone. */
public final class NicInspection {
    private NicInspection() {
    }

    /** Registered keys. */
    public static int keys(Nic nic) {
        return table(nic).size();
    }

    /** Whether a key names a region. */
    public static boolean hasKey(Nic nic, int key) {
        return table(nic).find(key) != null;
    }

    /** Frames kept out of order. */
    public static int framesInUse(Nic nic) {
        return nic.engine(0).frames().inUse();
    }

    /** Queue pairs that packets can find. */
    public static int queuePairs(Nic nic) {
        return nic.engine(0).queuePairs().size();
    }

    /** Where the send side of a queue pair stands, in a line. */
    public static String describe(QueuePair queuePair) {
        QueuePairTasks tasks = (QueuePairTasks) field(queuePair, "tasks");
        SendState send = tasks.send();
        RetryCounters retry = (RetryCounters) field(tasks, "retry");
        return queuePair.state() + " acked " + Long.toHexString(send.ackedSeq()) + " executed " + Long.toHexString(send.executedSeq())
            + " next " + Long.toHexString(send.nextSeq()) + " again " + Long.toHexString(send.againSeq()) + ".."
            + Long.toHexString(send.againEnd()) + " reads " + send.readAtomicInUse() + " held " + send.isNewHeld() + " timer "
            + retry.deadlineNs() + " rnr until " + retry.rnrUntilNs() + " unfinished " + tasks.isUnfinished() + " deadline "
            + tasks.nextDeadlineNs() + " queued " + tasks.deadlineNs() + " ready " + tasks.isReady();
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
