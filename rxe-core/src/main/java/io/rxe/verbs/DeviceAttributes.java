package io.rxe.verbs;

/**
 * Limits of a device; {@code ibv_device_attr}.
 *
 * @param maxQueuePairs        most queue pairs of the device.
 * @param maxQueueRequests     most requests in one send or receive queue.
 * @param maxElements          most scatter/gather elements of one request.
 * @param maxCompletions       most completions in a completion queue.
 * @param maxMessageBytes      longest message, in bytes.
 * @param maxReadAtomicResponder most READs and atomics of the peer a queue pair serves at once (responder resources).
 * @param maxReadAtomicInitiator most READs and atomics a queue pair can have outstanding as requester.
 * @param localAckDelayCode    time code (4.096 us x 2^n) within which the responder sends an acknowledgement. A smaller timeout code of
 *                             a queue pair, except 0, is raised to it (rule T4).
 * @param engines              number of threads that drive the device.
 */
public record DeviceAttributes(int maxQueuePairs, int maxQueueRequests, int maxElements, int maxCompletions, long maxMessageBytes,
                               int maxReadAtomicResponder, int maxReadAtomicInitiator, int localAckDelayCode, int engines) {
}
