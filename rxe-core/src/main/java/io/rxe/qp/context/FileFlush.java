package io.rxe.qp.context;

import io.rxe.memory.Region;
import io.rxe.port.Flow;
import io.rxe.verbs.FlushLevel;

/**
 * A FLUSH to persistence (rule R21), which takes as long as the file system needs. {@link #run} forces the pages, on a thread that may
 * wait; everything else belongs to the engine thread. Keeps the memory reachable, so that closing its region does no harm.
 */
public final class FileFlush implements Runnable {
    private enum Outcome { WAITING, FORCED, FAILED }

    private final Region region;
    private final long address;
    private final long lengthBytes;
    private final Flow flow;
    private final String request;
    private volatile Outcome outcome = Outcome.WAITING;

    /**
     * @param region  of the memory.
     * @param level   whether it names a range or the whole region.
     * @param flow    that the request came by.
     * @param request the request in words, for an explanation.
     */
    public FileFlush(Region region, FlushLevel level, long address, long lengthBytes, Flow flow, String request) {
        this.region = region;
        this.address = level == FlushLevel.REGION ? region.baseAddress() : address;
        this.lengthBytes = level == FlushLevel.REGION ? region.length() : lengthBytes;
        this.flow = flow;
        this.request = request;
    }

    @Override
    public void run() {
        Outcome reached = Outcome.FAILED;
        try {
            reached = region.force(address, lengthBytes) ? Outcome.FORCED : Outcome.FAILED;
        } finally {
            outcome = reached;
        }
    }

    public boolean isDone() {
        return outcome != Outcome.WAITING;
    }

    /** Whether the pages are in the file. */
    public boolean isForced() {
        return outcome == Outcome.FORCED;
    }

    public Flow flow() {
        return flow;
    }

    public String request() {
        return request;
    }
}
