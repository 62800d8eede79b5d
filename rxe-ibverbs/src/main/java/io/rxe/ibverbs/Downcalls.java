package io.rxe.ibverbs;

import java.nio.ByteBuffer;

/** What the C half does for Java; {@code downcalls.c} binds the methods. None blocks. Any thread. */
final class Downcalls {
    private Downcalls() {
    }

    /** Returns a buffer over memory of the program. */
    static native ByteBuffer buffer(long address, long lengthBytes);

    /** Receives a datagram, as {@link io.rxe.net.port.HeaderReceive}. */
    static native int receive(int socket, long address, int capacity, long header);

    /** Reports a completion of the {@code ibv_cq} at an address to its channel. */
    static native void completion(long cq);

    /** Reports an event of the {@code ibv_qp} at an address; type as in {@code ibv_event_type}. */
    static native void queuePairEvent(long qp, int type);

    /** Reports an event of the {@code ibv_cq} at an address. */
    static native void completionQueueEvent(long cq, int type);

    /** Reports an event of the {@code ibv_srq} at an address. */
    static native void sharedReceiveQueueEvent(long srq, int type);

    /** From now on no event is reported. */
    static native void endEvents();

    /** Ends the process at once, with what it has printed. */
    static native void exit(int status);

    /** Runs a task when the JVM exits, behind its shutdown hooks; false where this JVM does not let it. */
    static native boolean runLast(Runnable task);

    /** Reports an event of a NIC's port or device to every context of it. */
    static native void deviceEvent(int nic, int type);
}
