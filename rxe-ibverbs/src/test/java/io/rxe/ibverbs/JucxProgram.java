package io.rxe.ibverbs;

import java.nio.ByteBuffer;
import java.util.Random;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** A program in Java whose RDMA library is in C: two workers of UCX send each other messages, and read each other's memory. */
final class JucxProgram {
    private static final int BYTES = 1 << 20;

    private final UcpContext context = new UcpContext(new UcpParams().requestTagFeature().requestRmaFeature());
    private final UcpWorker near = context.newWorker(new UcpWorkerParams());
    /** UCX gives its completion queues the vector of this processor. */
    private final UcpWorker far = context.newWorker(new UcpWorkerParams().setCpu(Runtime.getRuntime().availableProcessors() - 1));

    private JucxProgram() {
    }

    /** Prints "all right", or an exception. */
    public static void main(String... when) {
        JucxProgram program = new JucxProgram();
        if ("at exit".equals(when[0])) {
            Runtime.getRuntime().addShutdownHook(new Thread(program::run));
        } else {
            program.run();
        }
    }

    private void run() {
        try {
            transfer();
            System.out.println("all right");
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    private void transfer() throws Exception {
        try (UcpEndpoint toFar = near.newEndpoint(new UcpEndpointParams().setUcpAddress(far.getAddress()));
                UcpEndpoint toNear = far.newEndpoint(new UcpEndpointParams().setUcpAddress(near.getAddress()))) {
            message(toFar, far, new UcxCallback());
            message(toNear, near, new Thrower());
            read(toFar);
        }
        near.close();
        far.close();
        context.close();
    }

    /** UCX goes on for a while, and calls verbs, before the exception reaches Java again. */
    private static final class Thrower extends UcxCallback {
        @Override
        public void onSuccess(UcpRequest request) {
            throw new ArithmeticException("of a callback");
        }
    }

    private void message(UcpEndpoint endpoint, UcpWorker receiver, UcxCallback onReceived) throws Exception {
        ByteBuffer sent = random();
        ByteBuffer received = ByteBuffer.allocateDirect(BYTES);
        UcpRequest receive = receiver.recvTaggedNonBlocking(received, onReceived);
        await(endpoint.sendTaggedNonBlocking(sent, new UcxCallback()));
        await(receive);
        check(sent, received);
    }

    private void read(UcpEndpoint endpoint) throws Exception {
        ByteBuffer remote = random();
        ByteBuffer local = ByteBuffer.allocateDirect(BYTES);
        try (UcpMemory memory = context.registerMemory(remote); UcpRemoteKey key = endpoint.unpackRemoteKey(memory.getRemoteKeyBuffer())) {
            await(endpoint.getNonBlocking(memory.getAddress(), key, local, new UcxCallback()));
            check(remote, local);
        }
    }

    private void await(UcpRequest request) throws Exception {
        while (!request.isCompleted()) {
            progress(near);
            progress(far);
        }
    }

    private static void progress(UcpWorker worker) throws Exception {
        try {
            worker.progress();
        } catch (ArithmeticException e) {
            System.out.println("thrown");
        }
    }

    private static ByteBuffer random() {
        byte[] bytes = new byte[BYTES];
        new Random().nextBytes(bytes);
        return ByteBuffer.allocateDirect(BYTES).put(bytes).clear();
    }

    private static void check(ByteBuffer expected, ByteBuffer actual) {
        if (!expected.clear().equals(actual.clear())) {
            throw new IllegalStateException("other bytes arrived at " + expected.mismatch(actual));
        }
    }
}
