package io.rxe.net.port;

import io.netty.channel.IoEventLoop;
import io.rxe.port.Flow;
import java.io.IOException;
import org.agrona.DirectBuffer;

/**
 * A bound UDP socket that carries frames, or a layer around one (capture, faults).
 *
 * <p>Opened by any thread; everything after {@link #start} belongs to the owner of the engine.
 */
public interface UdpPort extends AutoCloseable {
    /**
     * Starts to serve the socket on an event loop.
     *
     * @param loop     runs everything from now on.
     * @param receiver gets the frames, within {@link #receive}.
     * @param onReady  runs when the socket may have become readable, or writable after BUSY.
     * @throws IOException if the loop refuses the socket.
     */
    void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) throws IOException;

    /**
     * Delivers waiting datagrams to the receiver.
     *
     * @param maxBytes stops after the datagram that reaches this number of bytes.
     * @return datagrams delivered; 0 when none was waiting.
     */
    int receive(int maxBytes);

    /** Whether the last {@link #receive} may have left datagrams that were waiting. */
    default boolean hasMore() {
        return false;
    }

    /** Has the next {@link #receive} look into each socket of the port; else it may leave one out that was idle. */
    default void lookEverywhere() {
    }

    /**
     * Sends one frame, or several of one flow that lie back to back.
     *
     * @param flow         the destination and the traffic class; its source is this port.
     * @param buffer       direct memory.
     * @param offset       of the first frame.
     * @param lengthBytes  of all frames.
     * @param segmentBytes length of each frame; the last may be shorter. At least lengthBytes for a single frame.
     */
    SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes);

    /** Whether one {@link #send} may carry several frames. */
    boolean canSegment();

    /** Whether the kernel coalesces received frames of one flow. */
    default boolean isCoalescing() {
        return false;
    }

    /**
     * Where the event loop is notified once only: has it notified of the next frame, and of room in the socket after BUSY, once more. On
     * the event loop's thread, by the owner of the engine.
     */
    default void rearm() {
        // Notified each time.
    }

    /** Time of {@link SystemClock} when {@link #receive} has something to do even if nothing arrives; MAX_VALUE for never. */
    default long nextDeadlineNs() {
        return Long.MAX_VALUE;
    }

    /** Closes the socket. May be called twice. */
    @Override
    void close();
}
