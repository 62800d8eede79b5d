package io.rxe.examples;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Two sides send each other a message alternately: two-sided communication, where the receiver decides with a receive request where a
 * message goes. The sides exchange address, queue pair number and start PSN over a TCP connection.
 *
 * <pre>
 *   PingPong 10.0.0.1                 waits
 *   PingPong 10.0.0.2 10.0.0.1        exchanges messages with the server at 10.0.0.1
 * </pre>
 */
public final class PingPong {
    private static final int TCP_PORT = 18600;
    private static final int MESSAGE_BYTES = 64;
    private static final int ROUNDS = 10_000;
    private static final long SERVER_START_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long COMPLETION_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final RxeNic nic;
    private final Socket control;
    private final ByteBuffer memory;
    private final MemoryRegion region;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final WorkCompletion completion = new WorkCompletion();

    private PingPong(RxeNic nic, Socket control) {
        this.control = control;
        // api.md: resources begins
        this.nic = nic;
        Device device = nic.device();
        ProtectionDomain domain = device.allocateProtectionDomain();
        memory = ByteBuffer.allocateDirect(2 * MESSAGE_BYTES);
        region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        completions = device.createCompletionQueue(16);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions).withRequests(8, 8));
        // api.md: resources ends
    }

    /** Runs one side; see above. */
    public static void main(String[] arguments) throws IOException {
        Usage.require(arguments, 1, "PingPong LOCAL-ADDRESS [SERVER-ADDRESS]");
        // The NIC first: a server with a wrong address fails at once, and not when its client comes.
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(arguments[0]))) {
            if (arguments.length == 1) {
                try (ServerSocket server = new ServerSocket(TCP_PORT); Socket control = server.accept()) {
                    play(nic, control, false, ROUNDS);
                }
            } else {
                try (Socket control = connect(arguments[1], TCP_PORT, SERVER_START_NS)) {
                    long roundTripNs = play(nic, control, true, ROUNDS);
                    System.out.printf(Locale.ROOT, "%d rounds, %.1f us each%n", ROUNDS, roundTripNs / 1000.0);
                }
            }
        }
    }

    /** The server may have been started together with this client, and listens a moment later. */
    static Socket connect(String server, int port, long waitNs) throws IOException {
        long endNs = System.nanoTime() + waitNs;
        while (true) {
            try {
                return new Socket(server, port);
            } catch (ConnectException e) {
                if (System.nanoTime() > endNs) {
                    throw new IOException("nobody listens at " + server + ", TCP port " + port + ": start 'PingPong " + server
                        + "' there", e);
                }
                LockSupport.parkNanos(RETRY_NS);
            }
        }
    }

    /**
     * Runs one side of the ping-pong.
     *
     * @param begins whether this side sends first.
     * @return average round-trip time in nanoseconds.
     */
    public static long play(RxeNic nic, Socket control, boolean begins, int rounds) throws IOException {
        PingPong side = new PingPong(nic, control);
        side.connect();
        return side.play(begins, rounds);
    }

    private void connect() throws IOException {
        // api.md: connect begins
        int psn = new SecureRandom().nextInt(1 << 24);
        DataOutputStream out = new DataOutputStream(control.getOutputStream());
        out.writeLong(nic.device().gid().high());
        out.writeLong(nic.device().gid().low());
        out.writeInt(nic.device().udpPort());
        out.writeInt(queuePair.number());
        out.writeInt(psn);
        DataInputStream in = new DataInputStream(control.getInputStream());
        AddressVector peer = AddressVector.to(new Gid(in.readLong(), in.readLong()), in.readInt());
        int peerNumber = in.readInt();
        int peerPsn = in.readInt();
        queuePair.modify(QueuePairAttributes.toInit(0));
        queuePair.modify(QueuePairAttributes.toReadyToReceive(peer, PathMtu.MTU_1024, peerNumber, peerPsn));
        queuePair.modify(QueuePairAttributes.toReadyToSend(psn));
        // api.md: connect ends
    }

    private long play(boolean begins, int rounds) throws IOException {
        // api.md: pingpong begins
        WorkRequest send = new WorkRequest().send().add(region, 0, MESSAGE_BYTES);
        ReceiveRequest receive = new ReceiveRequest().add(region, MESSAGE_BYTES, MESSAGE_BYTES);
        post(receive);
        synchronize();
        long beganNs = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            if (begins) {
                memory.putInt(0, round);
                post(send);
            }
            awaitMessage();
            // The next message may arrive as soon as ours is sent, so its receive is posted first.
            post(receive);
            if (memory.getInt(MESSAGE_BYTES) != round) {
                throw new IOException("round " + round + " brought message " + memory.getInt(MESSAGE_BYTES));
            }
            if (!begins) {
                memory.putInt(0, round);
                post(send);
            }
        }
        long endNs = System.nanoTime();
        synchronize();
        return (endNs - beganNs) / rounds;
        // api.md: pingpong ends
    }

    /** Waits until the peer calls it too, so that neither side sends before the other has posted a receive. */
    private void synchronize() throws IOException {
        control.getOutputStream().write(1);
        if (control.getInputStream().read() != 1) {
            throw new IOException("the peer went away before it was ready");
        }
    }

    private void post(WorkRequest request) {
        // api.md: posting begins
        if (!queuePair.postSend(request)) {
            throw new IllegalStateException("the send queue is full: take completions first");
        }
        // api.md: posting ends
    }

    private void post(ReceiveRequest request) {
        if (!queuePair.postReceive(request)) {
            throw new IllegalStateException("the receive queue is full: take completions first");
        }
    }

    /** Skips the completions of our own sends. */
    private void awaitMessage() throws IOException {
        do {
            awaitCompletion();
        } while (completion.operation() != Operation.RECEIVE);
    }

    private void awaitCompletion() throws IOException {
        // api.md: completion begins
        long endNs = System.nanoTime() + COMPLETION_TIMEOUT_NS;
        while (!completions.poll(completion)) {
            if (System.nanoTime() > endNs) {
                throw new IOException("nothing completed for a minute: is the peer there?");
            }
            Thread.yield();
        }
        if (!completion.isSuccess()) {
            throw new IOException(completion.operation() + " failed: " + completion.status() + ": " + completion.explanation());
        }
        // api.md: completion ends
    }
}
