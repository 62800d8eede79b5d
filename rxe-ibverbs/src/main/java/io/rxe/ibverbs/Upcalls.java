package io.rxe.ibverbs;

import io.rxe.fault.Verb;
import io.rxe.net.process.FaultReport;
import io.rxe.net.process.ProcessSettings;
import io.rxe.net.process.Sentences;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * What the C half calls; {@code upcalls.def} lists the methods. Each corresponds to a verb. Addresses are those of the program's
 * structures, handles the numbers in them. Any thread.
 *
 * <p>A verb that makes something returns its handle, 1 or more; the other control verbs return 0; both a negative errno where they fail.
 * Posting and arming return 0 or a positive errno, polling the number of completions or a negative errno. Posting to what does not exist
 * returns a negative one, as nothing of the list was posted. Nothing is thrown into C.
 */
public final class Upcalls {
    private static final int LONGEST_TEXT = 64;

    /** By number; they are opened one after another, before the program knows of any. */
    private static volatile ProgramNic[] nics = {};
    private static volatile boolean scriptFailed;

    private Upcalls() {
    }

    static int control(Callable<Integer> verb) {
        try {
            HeapReserve.refill();
            return verb.call();
        } catch (Throwable e) {
            if (e instanceof OutOfMemoryError) {
                // A verb that frees something may run for the first time, and links its lambda before it can catch anything.
                HeapReserve.release();
            }
            return -Errno.of(e);
        }
    }

    /** A control verb without a result. */
    interface Step {
        void run() throws Exception;
    }

    static int step(Step verb) {
        return control(() -> {
            verb.run();
            return 0;
        });
    }

    /** A control verb that frees something: it succeeds where the heap is used up, too. */
    static int free(Step verb) {
        try {
            try {
                verb.run();
            } catch (OutOfMemoryError e) {
                HeapReserve.release();
                verb.run();
            }
            return 0;
        } catch (Throwable e) {
            return -Errno.of(e);
        }
    }

    static int destroy(int handle, Function<Verbs, Handles<? extends ProgramResource<?>>> kind) {
        return free(() -> verbs(handle).destroy(kind.apply(verbs(handle)), handle));
    }

    /**
     * Opens a NIC as the environment says.
     *
     * @param number  of NICs that are open.
     * @param address of a string that ends in a zero byte: the local address.
     * @return 0 or a positive errno, after a sentence on standard error.
     */
    public static int open(int number, long address) {
        try {
            Errno.load();
            ProgramNic opened = ProgramNic.open(number, text(address));
            ProgramNic[] all = Arrays.copyOf(nics, number + 1);
            all[number] = opened;
            nics = all;
            // Of a program in Java, whose hooks may use the NICs; in the JVM of another program no hook runs, and the C half calls.
            if (number == 0 && !Downcalls.runLast(Upcalls::shutdown)) {
                Runtime.getRuntime().addShutdownHook(new Thread(Upcalls::shutdown, "rxe-shutdown"));
            }
            return 0;
        } catch (Throwable e) {
            int errno = Errno.ofOpening(e);
            closeAll();
            return errno;
        }
    }

    /** Closing ends connections and flushes queues. A kernel reports nothing of that kind to a process that exits. */
    private static void endAll() {
        Downcalls.endEvents();
        closeAll();
    }

    private static void closeAll() {
        for (ProgramNic one : nics) {
            free(one.nic()::close);
        }
    }

    static ProgramNic numbered(int number) {
        return nics[number];
    }

    /** The NIC that has the object of a handle; for a handle of none any, where no object is found. */
    static ProgramNic nic(int handle) {
        ProgramNic[] all = nics;
        int number = Handles.nic(handle);
        return all[number < all.length ? number : 0];
    }

    static Verbs verbs(int handle) {
        return nic(handle).verbs();
    }

    private static String text(long address) {
        ByteBuffer bytes = Downcalls.buffer(address, LONGEST_TEXT);
        int length = 0;
        while (bytes.get(length) != 0) {
            length++;
        }
        return StandardCharsets.US_ASCII.decode(bytes.limit(length)).toString();
    }

    /**
     * Closes the NICs when the program exits: sends what is due and completes the captures.
     *
     * @return the exit status of a script of faults that expected something in vain; 0 for none.
     */
    public static int shutdown() {
        endAll();
        for (ProgramNic one : nics) {
            free(() -> FaultReport.say(one.nic().verbsFaults()));
        }
        String failure = numbered(0).nic().faults().failure(true);
        if (failure != null && !scriptFailed) {
            Sentences.say(failure);
        }
        return failure == null ? 0 : ProcessSettings.SCRIPT_FAILED;
    }

    /** A script of faults expected something in vain: ends the process. Where the program ends first, {@link #shutdown} has the status. */
    static void failScript(String sentence) {
        scriptFailed = true;
        Sentences.say(sentence);
        endAll();
        Downcalls.exit(ProcessSettings.SCRIPT_FAILED);
    }

    /** Packets that were dropped because of their P_Key. */
    public static int badPkeys(int nic) {
        return (int) Math.min(Integer.MAX_VALUE, numbered(nic).nic().device().badPartitionKeys());
    }

    /** A context is closed, whose address this is. */
    public static int closeContext(int nic, long context) {
        return free(() -> numbered(nic).verbs().destroyQueuePairs(context));
    }

    public static int allocPd(int nic) {
        return control(numbered(nic).verbs()::allocateDomain);
    }

    public static int deallocPd(int pd) {
        return destroy(pd, Verbs::domains);
    }

    public static int regMr(int pd, long address, long lengthBytes, long iova, int access, long mr) {
        return control(() -> verbs(pd).register(pd, ProgramMemory.of(address, lengthBytes, iova, access, verbs(pd).faults()), mr));
    }

    public static int deregMr(int mr) {
        return destroy(mr, Verbs::regions);
    }

    public static int createCq(int nic, int capacity, long cq, boolean hasChannel, long timestamps, int parentPd) {
        return control(() -> numbered(nic).verbs().createCompletionQueue(capacity, cq, hasChannel, timestamps, parentPd));
    }

    public static int destroyCq(int cq) {
        return destroy(cq, Verbs::completionQueues);
    }

    public static int createQp(int pd, int sendCq, int recvCq, int srq, long attr, long qp) {
        return control(() -> verbs(pd).createQueuePair(pd, sendCq, recvCq, srq, attr, qp));
    }

    public static int modifyQp(int qp, long attr, int mask) {
        return step(() -> verbs(qp).queuePairs().get(qp).modify(attr, mask));
    }

    public static int queryQp(int qp, long attr, long initAttr) {
        return step(() -> verbs(qp).queuePairs().get(qp).query(attr, initAttr));
    }

    public static int destroyQp(int qp) {
        return destroy(qp, Verbs::queuePairs);
    }

    public static int createSrq(int pd, long attr, long srq) {
        return control(() -> verbs(pd).createSharedReceiveQueue(pd, attr, srq));
    }

    public static int modifySrq(int srq, long attr, int mask) {
        return step(() -> verbs(srq).sharedQueues().get(srq).modify(attr, mask));
    }

    public static int querySrq(int srq, long attr) {
        return step(() -> verbs(srq).sharedQueues().get(srq).query(attr));
    }

    public static int destroySrq(int srq) {
        return destroy(srq, Verbs::sharedQueues);
    }

    public static int createAh(int pd, long attr) {
        return control(() -> verbs(pd).createAddressHandle(pd, attr));
    }

    public static int destroyAh(int ah) {
        return free(() -> {
            nic(ah).nic().faults().onCall(Verb.DESTROY_AH, 0);
            verbs(ah).destroy(verbs(ah).addressHandles(), ah);
        });
    }

    /**
     * Fails where a fault is made on purpose; else the C half does the verb.
     *
     * @param nic  number of the NIC.
     * @param verb address of the word of a {@link Verb}, which ends in a zero byte.
     */
    public static int refuse(int nic, long verb) {
        return free(() -> numbered(nic).nic().faults().onCall(Verb.valueOf(text(verb).toUpperCase(Locale.ROOT)), 0));
    }

    public static int initAhFromWc(long wc, long grh, long attr) {
        return step(() -> Verbs.initAddress(wc, grh, attr));
    }

    public static int attachMcast(int qp, long gid) {
        return step(() -> verbs(qp).queuePairs().get(qp).attach(AhAttributes.gid(gid)));
    }

    public static int detachMcast(int qp, long gid) {
        return step(() -> verbs(qp).queuePairs().get(qp).detach(AhAttributes.gid(gid)));
    }

    /** Posts a list of {@code ibv_send_wr}; {@code bad} gets the first that was not posted, and with 0 for it all or none are. */
    public static int postSend(int qp, long wr, long bad) {
        try {
            return verbs(qp).queuePairs().get(qp).postSend(wr, bad);
        } catch (Throwable e) {
            return -Errno.of(e);
        }
    }

    /** Posts a list of {@code ibv_recv_wr}; {@code bad} gets the first that was not posted. */
    public static int postRecv(int qp, long wr, long bad) {
        try {
            return verbs(qp).queuePairs().get(qp).postReceive(wr, bad);
        } catch (Throwable e) {
            return -Errno.of(e);
        }
    }

    /** Posts a list of {@code ibv_recv_wr}; {@code bad} gets the first that was not posted. */
    public static int postSrqRecv(int srq, long wr, long bad) {
        try {
            return verbs(srq).sharedQueues().get(srq).postReceive(wr, bad);
        } catch (Throwable e) {
            return -Errno.of(e);
        }
    }

    public static int pollCq(int cq, int count, long wc) {
        try {
            return verbs(cq).completionQueues().get(cq).poll(count, wc);
        } catch (Throwable e) {
            return -Errno.of(e);
        }
    }

    public static int reqNotifyCq(int cq, boolean solicitedOnly) {
        try {
            verbs(cq).completionQueues().get(cq).arm(solicitedOnly);
            return 0;
        } catch (Throwable e) {
            return Errno.of(e);
        }
    }
}
