package io.rxe.device;

import io.rxe.qp.context.XrcReceiveQueue;

/** A shared receive queue of an XRC domain: requests name it by its number, and it has a completion queue of its own. */
final class NicXrcReceiveQueue extends NicSharedReceiveQueue {
    private final NicXrcDomain xrcDomain;
    private final NicCompletionQueue completions;
    private final int number;

    NicXrcReceiveQueue(Nic nic, NicProtectionDomain domain, NicXrcDomain xrcDomain, NicCompletionQueue completions, int number,
                       EventQueue events, int minimumCapacity, int maxElements) {
        super(nic, domain, xrcDomain.engine(), xrcDomain.engineIndex(), events, minimumCapacity, maxElements);
        this.xrcDomain = xrcDomain;
        this.completions = completions;
        this.number = number;
    }

    /** Command: requests find it from now on, unless it was closed meanwhile. */
    void enter() {
        if (isClosed()) {
            return;
        }
        xrcDomain.queues().add(new XrcReceiveQueue(number, queue(), completions.ring(engineIndex()), domain().number()));
    }

    @Override
    void retire() {
        xrcDomain.forget(this);
    }

    @Override
    boolean isForQueuePairs() {
        return false;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    String name() {
        return "XRC shared receive queue 0x" + Integer.toHexString(number);
    }
}
