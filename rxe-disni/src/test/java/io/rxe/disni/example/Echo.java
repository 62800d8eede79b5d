package io.rxe.disni.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ibm.disni.RdmaActiveEndpoint;
import com.ibm.disni.RdmaActiveEndpointGroup;
import com.ibm.disni.RdmaServerEndpoint;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A message there and back with DiSNI; docs/api.md counts its lines beside those of the same program for other APIs.
 *
 * <pre>
 *   Echo 10.0.0.1 7474             the server: answers every message with itself
 *   Echo 10.0.0.1 7474 TEXT        the client: prints what comes back
 * </pre>
 */
public final class Echo {
    private static final int SIZE = 4096;
    private static final int TIMEOUT_MS = 10_000;

    private Echo() {
    }

    /** One end of a connection, with a buffer for each direction. */
    private static final class Connection extends RdmaActiveEndpoint {
        private final CompletableFuture<String> answer = new CompletableFuture<>();
        private final ByteBuffer received = ByteBuffer.allocateDirect(SIZE);
        private final ByteBuffer message = ByteBuffer.allocateDirect(SIZE);
        private IbvMr receiveRegion;
        private IbvMr messageRegion;

        Connection(RdmaActiveEndpointGroup<Connection> group, RdmaCmId id, boolean serverSide) throws IOException {
            super(group, id, serverSide);
        }

        /** DiSNI calls it before it connects or accepts: a receive must be posted before the peer sends. */
        @Override
        public void init() throws IOException {
            super.init();
            receiveRegion = registerMemory(received).execute().free().getMr();
            messageRegion = registerMemory(message).execute().free().getMr();
            postReceive();
        }

        private void postReceive() throws IOException {
            IbvRecvWR request = new IbvRecvWR();
            request.setSg_list(elements(receiveRegion, SIZE));
            postRecv(List.of(request)).execute().free();
        }

        void send(ByteBuffer content) throws IOException {
            message.clear().put(content).flip();
            IbvSendWR request = new IbvSendWR();
            request.setOpcode(IbvSendWR.IBV_WR_SEND);
            request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
            request.setSg_list(elements(messageRegion, message.limit()));
            postSend(List.of(request)).execute().free();
        }

        private static LinkedList<IbvSge> elements(IbvMr region, int length) {
            IbvSge element = new IbvSge();
            element.setAddr(region.getAddr());
            element.setLength(length);
            element.setLkey(region.getLkey());
            return new LinkedList<>(List.of(element));
        }

        @Override
        public void dispatchCqEvent(IbvWC completion) throws IOException {
            if (completion.getStatus() != IbvWC.IbvWcStatus.IBV_WC_SUCCESS.ordinal()) {
                answer.completeExceptionally(new IOException("a request ended with status " + completion.getStatus()));
            } else if (completion.getOpcode() == IbvWC.IbvWcOpcode.IBV_WC_RECV.getOpcode()) {
                received.clear().limit(completion.getByte_len());
                if (isServerSide()) {
                    send(received);
                    postReceive();
                } else {
                    answer.complete(UTF_8.decode(received).toString());
                }
            }
        }
    }

    /** Runs the server, or the client; see above. */
    public static void main(String[] arguments) throws Exception {
        InetSocketAddress address = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        RdmaActiveEndpointGroup<Connection> group = new RdmaActiveEndpointGroup<>(1000, false, 16, 1, 32);
        group.init((id, serverSide) -> new Connection(group, id, serverSide));
        if (arguments.length == 2) {
            RdmaServerEndpoint<Connection> server = group.createServerEndpoint().bind(address, 16);
            while (true) {
                server.accept();
            }
        }
        Connection connection = group.createEndpoint();
        connection.connect(address, TIMEOUT_MS);
        connection.send(UTF_8.encode(arguments[2]));
        System.out.println(connection.answer.get());
        connection.close();
        group.close();
    }
}
