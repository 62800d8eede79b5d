package io.rxe.verbs;

/**
 * Limits of a device; {@code ibv_device_attr}. Each is enforced: what exceeds it is refused with a message that names it.
 *
 * @param maxQueuePairs        most queue pairs of the device.
 * @param maxQueueRequests     most requests in one send, receive or shared receive queue.
 * @param maxElements          most scatter/gather elements of one request.
 * @param maxInlineBytes       longest inline message, in bytes.
 * @param maxCompletions       most completions in a completion queue.
 * @param maxMessageBytes      longest message, in bytes.
 * @param maxReadAtomicResponder most READs and atomics of the peer a queue pair serves at once (responder resources).
 * @param maxReadAtomicInitiator most READs and atomics a queue pair can have outstanding as requester.
 * @param maxMemoryKeys        most memory regions and windows of the device together.
 * @param maxMappedBuffers     most buffers of one fast registration (REG_MR).
 * @param maxXrcReceiveQueues  most XRC shared receive queues of the device.
 * @param maxPorts             most ports a device can be opened with; it has {@link Device#ports}.
 * @param localAckDelayCode    time code (4.096 us x 2^n) within which the responder sends an acknowledgement. A smaller timeout code of
 *                             a queue pair, except 0, is raised to it (rule T4).
 * @param engines              number of threads that drive the device.
 */
public record DeviceAttributes(int maxQueuePairs, int maxQueueRequests, int maxElements, int maxInlineBytes, int maxCompletions,
                               long maxMessageBytes, int maxReadAtomicResponder, int maxReadAtomicInitiator, int maxMemoryKeys,
                               int maxMappedBuffers, int maxXrcReceiveQueues, int maxPorts, int localAckDelayCode, int engines) {
}
