package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.port.Flow;
import java.io.IOException;
import org.agrona.DirectBuffer;

/**
 * A bound UDP socket that carries frames, or a layer around one (capture, faults).
 *
 * <p>Opened by any thread; everything after {@link #start} happens on the loop's thread.
 */
public interface UdpPort extends AutoCloseable {
    /**
     * Begins to serve the socket on an event loop.
     *
     * @param loop     runs everything.
     * @param receiver gets the frames: within {@link #receive}, or before {@code onReady} runs.
     * @param onReady  runs when the socket may have become readable, when frames came in, or writable after BUSY.
     * @throws IOException if the loop refuses the socket.
     */
    void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) throws IOException;

    /**
     * Hands waiting datagrams to the receiver.
     *
     * @param maxBytes after how many bytes it stops, with the datagram that reaches them.
     * @return datagrams handed over; 0 when none waits.
     */
    int receive(int maxBytes);

    /**
     * Sends one frame, or several of one flow that lie back to back.
     *
     * @param flow         where to; its source is this port.
     * @param buffer       direct memory.
     * @param offset       of the first frame.
     * @param lengthBytes  of all frames.
     * @param segmentBytes length of each frame; the last may be shorter. Not less than lengthBytes for a single frame.
     */
    SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes);

    /** Whether several frames may be given to one {@link #send}. */
    boolean canSegment();

    /** Whether the kernel puts received frames of one flow together. */
    default boolean isCoalescing() {
        return false;
    }

    /** Whether {@link #receive} reads the socket, so that a loop may spin on it without the event loop's turn. */
    boolean isPolled();

    /** When {@link #receive} has something to do though the socket is quiet, as {@link SystemClock} counts; MAX_VALUE: never. */
    default long nextDeadlineNs() {
        return Long.MAX_VALUE;
    }

    /** Closes the socket. May be called twice. */
    @Override
    void close();
}
