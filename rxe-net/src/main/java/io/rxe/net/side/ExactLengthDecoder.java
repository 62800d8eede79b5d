package io.rxe.net.side;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * Cuts the byte stream into messages of the lengths the reader asks for, one after the other.
 *
 * <p>Netty's FixedLengthFrameDecoder has one length for the whole conversation; that of a test program changes from message
 * to message. Nothing is read from the socket that nobody asked for, so a peer that sends too much meets the TCP window. Used
 * on the event loop only.
 */
final class ExactLengthDecoder extends ByteToMessageDecoder {
    private final Queue<Integer> wantedBytes = new ArrayDeque<>();

    /** Asks for one more message; it is passed on as a ByteBuf as soon as it is complete. */
    void want(final ChannelHandlerContext context, final int lengthBytes) throws Exception {
        wantedBytes.add(lengthBytes);
        // Its bytes may have come together with those of an earlier message.
        channelRead(context, context.alloc().buffer(0, 0));
        readMore(context);
    }

    private void readMore(final ChannelHandlerContext context) {
        if (!wantedBytes.isEmpty()) {
            context.read();
        }
    }

    @Override
    protected void decode(final ChannelHandlerContext context, final ByteBuf in, final List<Object> out) {
        final Integer next = wantedBytes.peek();
        if (next != null && in.readableBytes() >= next) {
            wantedBytes.remove();
            out.add(in.readRetainedSlice(next));
        }
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) throws Exception {
        super.channelReadComplete(context);
        readMore(context);
    }
}
