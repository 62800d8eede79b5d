package io.rxe.device;

import io.rxe.verbs.AsyncEvent;

/** The device as its engines see it. What they call when they fail may be repeated, since it may throw for want of memory. */
interface EngineDevice {
    DeviceState state();

    /**
     * An engine failed: notifies the application, and the other engines, which fail their queue pairs in their next poll.
     *
     * @param fatal DEVICE_FATAL with the cause; of several the first counts.
     */
    void fail(AsyncEvent fatal);

    /** The device failed, and one more engine flushed its queue pairs. */
    void countFlushed();

    /** The device failed: no thread need wait for a completion any more. */
    void wakeWaiters();
}
