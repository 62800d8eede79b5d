package io.rxe.tools.side;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Cuts the byte stream into messages of the lengths that the reader requests, one after the other. The result of each request is a byte
 * array, {@link #END}, or the error that broke the connection.
 *
 * <p>Netty's FixedLengthFrameDecoder has one length for the whole connection; test programs change it from message to message. The
 * socket is read only for requests, so the TCP window stops a peer that sends too much. Bytes that arrived before the end of the
 * stream can still be read after it. Methods run on the event loop, except {@link #results} and {@link #request}.
 */
final class ExactLengthDecoder extends ByteToMessageDecoder {
    /** The result when the peer closed the connection before the message was complete. */
    static final Object END = new Object();

    /** More than one pass of the event loop reads beyond what was requested: 16 reads of 64 KiB. */
    private static final int MAX_UNREQUESTED_BYTES = 2 << 20;

    private final BlockingQueue<Object> results = new LinkedBlockingQueue<>();
    private final Queue<Integer> requestedBytes = new ArrayDeque<>();
    private ChannelHandlerContext context;
    private volatile boolean ended;
    /** Before {@link #ended} is set. */
    private long endedNs;
    /** Bytes left when the peer closed the connection; null while it is open. */
    private byte[] leftover;
    private int leftoverRead;
    private Object ending = END;

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        added.channel().config().setAutoRead(false);
    }

    /** The queue of results, for any thread. */
    BlockingQueue<Object> results() {
        return results;
    }

    /** Requests a message, on any thread. */
    void request(int lengthBytes) {
        context.executor().execute(() -> {
            requestedBytes.add(lengthBytes);
            if (leftover != null) {
                completeFromLeftover();
                return;
            }
            try {
                // Its bytes may have arrived with those of an earlier message: decode without new ones.
                channelRead(context, context.alloc().buffer(1));
            } catch (Exception e) {
                exceptionCaught(context, e);
            }
            readMore();
        });
    }

    /** Reads although nothing was requested, on any thread: only a read finds that the peer has closed the connection. */
    void watch() {
        context.executor().execute(() -> {
            if (leftover == null) {
                context.read();
            }
        });
    }

    /** Whether the connection has ended. Any thread. */
    boolean isEnded() {
        return ended;
    }

    /** {@link System#nanoTime} when the connection ended; 0 before {@link #isEnded}. Any thread. */
    long endedNs() {
        return ended ? endedNs : 0;
    }

    private void readMore() {
        if (!requestedBytes.isEmpty()) {
            context.read();
        }
    }

    @Override
    protected void decode(ChannelHandlerContext source, ByteBuf in, List<Object> out) {
        Integer next = requestedBytes.peek();
        if (next != null && in.readableBytes() >= next) {
            requestedBytes.remove();
            byte[] message = new byte[next];
            in.readBytes(message);
            results.add(message);
        } else if (next == null && in.readableBytes() > MAX_UNREQUESTED_BYTES) {
            exceptionCaught(source, new IOException("the peer sent " + in.readableBytes() + " bytes that nobody waits for"));
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext source, ByteBuf in, List<Object> out) {
        if (!ended) {
            endedNs = System.nanoTime();
            ended = true;
        }
        if (leftover == null) {
            leftover = new byte[in.readableBytes()];
            in.readBytes(leftover);
        }
        completeFromLeftover();
    }

    private void completeFromLeftover() {
        Integer next = requestedBytes.poll();
        while (next != null) {
            if (leftover.length - leftoverRead >= next) {
                byte[] message = new byte[next];
                System.arraycopy(leftover, leftoverRead, message, 0, next);
                leftoverRead += next;
                results.add(message);
            } else {
                results.add(ending);
            }
            next = requestedBytes.poll();
        }
    }

    /** Replaces the method of the superclass, which reads again when a pass handed no object to the next handler: here, none ever does. */
    @Override
    public void channelReadComplete(ChannelHandlerContext source) {
        discardSomeReadBytes();
        readMore();
        source.fireChannelReadComplete();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext source, Throwable cause) {
        ending = cause;
        source.close();
    }
}
