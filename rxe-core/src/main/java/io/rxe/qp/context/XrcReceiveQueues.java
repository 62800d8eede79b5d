package io.rxe.qp.context;

import org.agrona.collections.Int2ObjectHashMap;

/** The shared receive queues of one XRC domain by number. Owned by the engine thread. */
public final class XrcReceiveQueues {
    private final Int2ObjectHashMap<XrcReceiveQueue> queues = new Int2ObjectHashMap<>();

    public void add(XrcReceiveQueue queue) {
        queues.put(queue.number(), queue);
    }

    public void remove(int number) {
        queues.remove(number);
    }

    /** The queue with a number, or null. */
    public XrcReceiveQueue find(int number) {
        return queues.get(number);
    }
}
