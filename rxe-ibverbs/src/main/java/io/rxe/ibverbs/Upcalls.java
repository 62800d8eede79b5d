package io.rxe.ibverbs;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.process.ProcessSettings;
import io.rxe.net.process.Sentences;
import io.rxe.port.Progress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

/**
 * What the C half calls; {@code upcalls.def} lists the methods. Each corresponds to a verb. Addresses are those of the program's
 * structures, handles the numbers in them. Any thread.
 *
 * <p>A verb that makes something returns its handle, 1 or more; the other control verbs return 0; both a negative errno where they fail.
 * Posting and arming return 0 or a positive errno, polling the number of completions or a negative errno. Nothing is thrown into C.
 */
public final class Upcalls {
    private static final int LONGEST_ADDRESS = 64;

    private static volatile RxeNic nic;
    private static volatile Verbs verbs;
    private static volatile ExtendedVerbs extendedVerbs;
    private static volatile ConnectionIds connectionIds;
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

    /**
     * Opens the NIC as the environment says.
     *
     * @param address of a string that ends in a zero byte: the local address.
     * @return 0 or a positive errno, after a sentence on standard error.
     */
    public static int open(long address) {
        try {
            Errno.load();
            RxeNicOptions options = options(text(address));
            nic = RxeNic.open(options);
            if (options.captureFile() != null) {
                CaptureUpkeep.start(nic);
            }
            verbs = new Verbs(nic.device(), nic.events());
            extendedVerbs = new ExtendedVerbs(nic, verbs);
            connectionIds = new ConnectionIds(nic, verbs);
            return 0;
        } catch (Throwable e) {
            int errno = Errno.ofOpening(e);
            if (nic != null) {
                free(nic::close);
            }
            return errno;
        }
    }

    private static RxeNicOptions options(String address) {
        // Programs spin in ibv_poll_cq: the thread that spins drives the engine.
        ProcessSettings settings = ProcessSettings.ofProcess();
        return settings.options(address).withProgress(settings.progress(Progress.POLLING));
    }

    static Verbs verbs() {
        return verbs;
    }

    static ExtendedVerbs extendedVerbs() {
        return extendedVerbs;
    }

    static ConnectionIds connectionIds() {
        return connectionIds;
    }

    private static String text(long address) {
        ByteBuffer bytes = Downcalls.buffer(address, LONGEST_ADDRESS);
        int length = 0;
        while (bytes.get(length) != 0) {
            length++;
        }
        return StandardCharsets.US_ASCII.decode(bytes.limit(length)).toString();
    }

    /**
     * Closes the NIC when the program exits: sends what is due and completes the capture.
     *
     * @return the exit status of a script of faults that expected something in vain; 0 for none.
     */
    public static int shutdown() {
        free(nic::close);
        String failure = nic.faults().failure(true);
        if (failure != null && !scriptFailed) {
            Sentences.say(failure);
        }
        return failure == null ? 0 : ProcessSettings.SCRIPT_FAILED;
    }

    /** A script of faults expected something in vain: ends the process. Where the program ends first, {@link #shutdown} has the status. */
    static void failScript(String sentence) {
        scriptFailed = true;
        Sentences.say(sentence);
        free(nic::close);
        Downcalls.exit(ProcessSettings.SCRIPT_FAILED);
    }

    /** Packets that were dropped because of their P_Key. */
    public static int badPkeys() {
        return (int) Math.min(Integer.MAX_VALUE, nic.device().badPartitionKeys());
    }

    public static int allocPd() {
        return control(verbs::allocateDomain);
    }

    public static int deallocPd(int pd) {
        return free(() -> verbs.freeDomain(pd));
    }

    public static int regMr(int pd, long address, long lengthBytes, long iova, int access, long mr) {
        return control(() -> verbs.register(pd, ProgramMemory.of(address, lengthBytes, iova, access, verbs.faults()), mr));
    }

    public static int deregMr(int mr) {
        return free(() -> verbs.deregister(mr));
    }

    public static int createCq(int capacity, long cq, boolean hasChannel, long timestamps, int parentPd) {
        return control(() -> verbs.createCompletionQueue(capacity, cq, hasChannel, timestamps, parentPd));
    }

    public static int destroyCq(int cq) {
        return free(() -> verbs.destroyCompletionQueue(cq));
    }

    public static int createQp(int pd, int sendCq, int recvCq, int srq, long attr, long qp) {
        return control(() -> verbs.createQueuePair(pd, sendCq, recvCq, srq, attr, qp));
    }

    public static int modifyQp(int qp, long attr, int mask) {
        return step(() -> verbs.queuePair(qp).modify(attr, mask));
    }

    public static int queryQp(int qp, long attr, long initAttr) {
        return step(() -> verbs.queuePair(qp).query(attr, initAttr));
    }

    public static int destroyQp(int qp) {
        return free(() -> verbs.destroyQueuePair(qp));
    }

    public static int createSrq(int pd, long attr, long srq) {
        return control(() -> verbs.createSharedReceiveQueue(pd, attr, srq));
    }

    public static int modifySrq(int srq, long attr, int mask) {
        return step(() -> verbs.sharedReceiveQueue(srq).modify(attr, mask));
    }

    public static int querySrq(int srq, long attr) {
        return step(() -> verbs.sharedReceiveQueue(srq).query(attr));
    }

    public static int destroySrq(int srq) {
        return free(() -> verbs.destroySharedReceiveQueue(srq));
    }

    public static int createAh(int pd, long attr) {
        return control(() -> verbs.createAddressHandle(pd, attr));
    }

    public static int destroyAh(int ah) {
        return free(() -> verbs.destroyAddressHandle(ah));
    }

    public static int initAhFromWc(long wc, long grh, long attr) {
        return step(() -> Verbs.initAddress(wc, grh, attr));
    }

    public static int attachMcast(int qp, long gid) {
        return step(() -> verbs.queuePair(qp).object().attachMulticast(AhAttributes.gid(gid)));
    }

    public static int detachMcast(int qp, long gid) {
        return step(() -> verbs.queuePair(qp).object().detachMulticast(AhAttributes.gid(gid)));
    }

    /** Posts a list of {@code ibv_send_wr}; {@code bad} gets the first that was not posted. */
    public static int postSend(int qp, long wr, long bad) {
        try {
            return verbs.queuePair(qp).postSend(wr, bad);
        } catch (Throwable e) {
            return Errno.of(e);
        }
    }

    /** Posts a list of {@code ibv_recv_wr}; {@code bad} gets the first that was not posted. */
    public static int postRecv(int qp, long wr, long bad) {
        try {
            return verbs.queuePair(qp).postReceive(wr, bad);
        } catch (Throwable e) {
            return Errno.of(e);
        }
    }

    /** Posts a list of {@code ibv_recv_wr}; {@code bad} gets the first that was not posted. */
    public static int postSrqRecv(int srq, long wr, long bad) {
        try {
            return verbs.sharedReceiveQueue(srq).postReceive(wr, bad);
        } catch (Throwable e) {
            return Errno.of(e);
        }
    }

    public static int pollCq(int cq, int count, long wc) {
        try {
            return verbs.completionQueue(cq).poll(count, wc);
        } catch (Throwable e) {
            return -Errno.of(e);
        }
    }

    public static int reqNotifyCq(int cq, boolean solicitedOnly) {
        try {
            verbs.completionQueue(cq).arm(solicitedOnly);
            return 0;
        } catch (Throwable e) {
            return Errno.of(e);
        }
    }
}
