package io.rxe.device;

import io.rxe.memory.KeyTable;
import io.rxe.memory.ScatterGatherList;
import io.rxe.qp.AttributeLimits;
import io.rxe.ring.Ring;
import io.rxe.verbs.DeviceAttributes;
import io.rxe.verbs.QueuePairConfig;

/** The limits of a device, each taken from the constant that is enforced. */
final class DeviceLimits {
    /** Most queue pairs. */
    static final int QUEUE_PAIRS = 1 << 20;
    /** Most buffers of a fast registration (rdma_rxe: RXE_MAX_FMR_PAGE_LIST_LEN). */
    static final int MAPPED_BUFFERS = 512;

    private DeviceLimits() {
    }

    static DeviceAttributes of(NicConfig config) {
        return new DeviceAttributes(QUEUE_PAIRS, QueuePairConfig.MAX_REQUESTS, ScatterGatherList.MAX_ELEMENTS,
            QueuePairConfig.MAX_INLINE_BYTES, Ring.MAX_CAPACITY, ScatterGatherList.MAX_MESSAGE_BYTES, AttributeLimits.MAX_READ_ATOMIC,
            AttributeLimits.MAX_READ_ATOMIC, KeyTable.MAX_KEYS, MAPPED_BUFFERS, XrcNumbers.MAX_QUEUES, NicConfig.MAX_PORTS,
            AttributeLimits.MIN_TIMEOUT_CODE, config.engines());
    }
}
