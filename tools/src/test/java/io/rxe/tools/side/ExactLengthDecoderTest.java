package io.rxe.tools.side;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The socket is read only for requests, so that the TCP window stops the writer")
class ExactLengthDecoderTest {
    private final ReadCounter reads = new ReadCounter();
    private final ExactLengthDecoder decoder = new ExactLengthDecoder();
    /** Stands for the socket: each read that reaches it fetches what has arrived. */
    private final EmbeddedChannel socket = new EmbeddedChannel(reads, decoder);

    /** In front of the decoder, where its reads of the socket pass. */
    private static final class ReadCounter extends ChannelOutboundHandlerAdapter {
        private int count;

        @Override
        public void read(ChannelHandlerContext context) {
            count++;
            context.read();
        }
    }

    @AfterEach
    void close() {
        socket.finishAndReleaseAll();
    }

    private void request(int lengthBytes) {
        decoder.request(lengthBytes);
        socket.runPendingTasks();
    }

    private void arrive(byte[] bytes, int from, int to) {
        socket.writeInbound(Unpooled.copiedBuffer(bytes, from, to - from));
    }

    private byte[] result() {
        return (byte[]) decoder.results().poll();
    }

    @Test
    void nothingIsReadBeforeTheFirstRequest() {
        assertEquals(0, reads.count);
    }

    @Test
    void nothingIsReadBetweenTwoRequests() {
        byte[] sent = new byte[1000];
        new Random(1).nextBytes(sent);
        request(10);
        assertEquals(1, reads.count);
        arrive(sent, 0, 400);
        assertArrayEquals(Arrays.copyOf(sent, 10), result());
        assertEquals(1, reads.count, "the reader pauses");
        request(390);
        assertArrayEquals(Arrays.copyOfRange(sent, 10, 400), result());
        assertEquals(1, reads.count, "its bytes were here");
        request(600);
        assertNull(result());
        assertEquals(2, reads.count);
        arrive(sent, 400, 1000);
        assertArrayEquals(Arrays.copyOfRange(sent, 400, 1000), result());
        assertEquals(2, reads.count);
    }

    @Test
    void aRequestIsReadForUntilItIsComplete() {
        byte[] sent = new byte[30];
        request(30);
        arrive(sent, 0, 10);
        arrive(sent, 10, 20);
        assertNull(result());
        assertEquals(3, reads.count);
        arrive(sent, 20, 30);
        assertArrayEquals(sent, result());
        assertEquals(3, reads.count);
    }
}
