package io.rxe.verbs;

import io.rxe.port.RangeFaults;

/**
 * What happens when memory that is not there is used: in a process whose memory a native program can unmap or protect at any time. Who runs
 * the NIC there catches such a fault, so that it ends a copy instead of the process, and counts it. Any thread may call.
 */
public interface MemoryFaults extends RangeFaults {
}
