package io.rxe.net.side;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Cuts the byte stream into messages of the lengths the reader asks for, one after the other, and gives each request one answer:
 * a byte array, {@link #END}, or the error that broke the connection.
 *
 * <p>Netty's FixedLengthFrameDecoder has one length for the whole conversation; that of a test program changes from message to
 * message. Nothing is read from the socket that nobody asked for, so a peer that sends too much meets the TCP window. What came
 * before the end is still there after it. Methods run on the event loop, except {@link #answers}.
 */
final class ExactLengthDecoder extends ByteToMessageDecoder {
    /** The answer when the peer closed the connection before the message was complete. */
    static final Object END = new Object();

    private final BlockingQueue<Object> answers = new LinkedBlockingQueue<>();
    private final Queue<Integer> wantedBytes = new ArrayDeque<>();
    private ChannelHandlerContext context;
    /** What was left when the peer closed; null while the connection is open. */
    private byte[] leftover;
    private int leftoverRead;
    private Object ending = END;

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    /** Where the answers are taken from, by any thread. */
    BlockingQueue<Object> answers() {
        return answers;
    }

    /** Asks for a message, from any thread. */
    void want(int lengthBytes) {
        context.executor().execute(() -> {
            wantedBytes.add(lengthBytes);
            if (leftover != null) {
                answerFromLeftover();
                return;
            }
            try {
                // Its bytes may have come together with those of an earlier message: have a look without any new ones.
                channelRead(context, context.alloc().buffer(1));
            } catch (Exception e) {
                exceptionCaught(context, e);
            }
            readMore();
        });
    }

    private void readMore() {
        if (!wantedBytes.isEmpty()) {
            context.read();
        }
    }

    @Override
    protected void decode(ChannelHandlerContext source, ByteBuf in, List<Object> out) {
        Integer next = wantedBytes.peek();
        if (next != null && in.readableBytes() >= next) {
            wantedBytes.remove();
            byte[] message = new byte[next];
            in.readBytes(message);
            answers.add(message);
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext source, ByteBuf in, List<Object> out) {
        if (leftover == null) {
            leftover = new byte[in.readableBytes()];
            in.readBytes(leftover);
        }
        answerFromLeftover();
    }

    private void answerFromLeftover() {
        Integer next = wantedBytes.poll();
        while (next != null) {
            if (leftover.length - leftoverRead >= next) {
                byte[] message = new byte[next];
                System.arraycopy(leftover, leftoverRead, message, 0, next);
                leftoverRead += next;
                answers.add(message);
            } else {
                answers.add(ending);
            }
            next = wantedBytes.poll();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext source) throws Exception {
        super.channelReadComplete(source);
        readMore();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext source, Throwable cause) {
        ending = cause;
        source.close();
    }
}
