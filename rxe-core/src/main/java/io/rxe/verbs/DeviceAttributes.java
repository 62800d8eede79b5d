package io.rxe.verbs;

/**
 * Limits of a device.
 *
 * @param maxQueuePairs        queue pairs it can have.
 * @param maxQueueRequests     requests of one send or receive queue.
 * @param maxElements          scatter/gather elements of one request.
 * @param maxCompletions       entries of a completion queue.
 * @param maxMessageBytes      longest message.
 * @param maxReadAtomicResponder READs and atomics a queue pair can have in work as responder.
 * @param maxReadAtomicInitiator READs and atomics a queue pair can have outstanding as requester.
 * @param localAckDelayCode    time code (4.096 us x 2^n) within which an acknowledgement leaves; also the least timeout code that is
 *                             taken as it is (rule T4).
 * @param engines              threads that drive the device.
 */
public record DeviceAttributes(int maxQueuePairs, int maxQueueRequests, int maxElements, int maxCompletions, long maxMessageBytes,
                               int maxReadAtomicResponder, int maxReadAtomicInitiator, int localAckDelayCode, int engines) {
}
