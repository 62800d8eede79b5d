package io.rxe.net;

import io.rxe.net.port.UdpPort;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/** What drives one engine of a NIC: {@link NicLoop} a thread that does nothing else, {@link PolledEngine} the threads that poll. */
interface EngineDriver extends EngineThread {
    /**
     * Sets the engine; before any driver of the NIC is started.
     *
     * @param all the drivers of the NIC in the order of their engines, this one among them.
     */
    void attach(EngineCore core, List<? extends EngineDriver> all);

    /** Sets what restores a truncated counter file, and returns whether it was truncated; before {@link #start}. */
    void restoreCountersWith(BooleanSupplier restore);

    /**
     * Begins to drive the engine.
     *
     * @throws IOException if the event loop refuses the socket.
     */
    void start() throws IOException;

    /**
     * Serves one more port, which only receives; every frame of it is for this engine.
     *
     * @throws IOException if the event loop refuses the socket.
     */
    void add(UdpPort groupPort) throws IOException;

    /** Closes a port that {@link #add} was called for, whether or not that succeeded. */
    void remove(UdpPort groupPort);

    /** Queues a frame for this engine, on another engine's thread; false when the queue is full. */
    boolean onForwarded(UnsafeBuffer frame, Flow flow);

    /** Checks the engine from outside; on the watchdog's thread. */
    void watch();

    /** Sends what the engine still has to send, unless the socket stays full, and closes the socket. Its owner ends the event loop. */
    void close();
}
