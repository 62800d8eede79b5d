package io.rxe.examples;

import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;

/**
 * Two sides send each other a message alternately: two-sided communication, where the receiver decides with a receive request where a
 * message goes.
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

    private PingPong() {
    }

    /** Runs one side; see above. */
    public static void main(String[] arguments) throws IOException {
        Usage.require(arguments, 1, "PingPong LOCAL-ADDRESS [SERVER-ADDRESS]");
        RxeNicOptions options = RxeNicOptions.defaults(arguments[0]);
        if (arguments.length == 1) {
            try (ServerSocket server = new ServerSocket(TCP_PORT); Socket control = server.accept()) {
                play(options, control, false, ROUNDS);
            }
        } else {
            try (Socket control = new Socket(arguments[1], TCP_PORT)) {
                long roundTripNs = play(options, control, true, ROUNDS);
                System.out.printf(Locale.ROOT, "%d rounds, %.1f us each%n", ROUNDS, roundTripNs / 1000.0);
            }
        }
    }

    /**
     * Runs one side of the ping-pong.
     *
     * @param begins whether this side sends first.
     * @return average round-trip time in nanoseconds.
     */
    public static long play(RxeNicOptions options, Socket control, boolean begins, int rounds) throws IOException {
        try (Connected peer = Connected.open(options, 2 * MESSAGE_BYTES, control)) {
            // api.md: pingpong begins
            WorkRequest send = new WorkRequest().send().add(peer.region(), 0, MESSAGE_BYTES);
            ReceiveRequest receive = new ReceiveRequest().add(peer.region(), MESSAGE_BYTES, MESSAGE_BYTES);
            peer.post(receive);
            peer.synchronize(control);
            long beganNs = System.nanoTime();
            for (int round = 0; round < rounds; round++) {
                if (begins) {
                    peer.memory().putInt(0, round);
                    peer.post(send);
                }
                awaitMessage(peer);
                // The next message may arrive as soon as ours is sent, so its receive is posted first.
                peer.post(receive);
                if (peer.memory().getInt(MESSAGE_BYTES) != round) {
                    throw new IOException("round " + round + " brought message " + peer.memory().getInt(MESSAGE_BYTES));
                }
                if (!begins) {
                    peer.memory().putInt(0, round);
                    peer.post(send);
                }
            }
            long endNs = System.nanoTime();
            peer.synchronize(control);
            return (endNs - beganNs) / rounds;
            // api.md: pingpong ends
        }
    }

    /** Skips the completions of our own sends. */
    private static void awaitMessage(Connected peer) throws IOException {
        WorkCompletion done = peer.next();
        while (done.operation() != Operation.RECEIVE) {
            done = peer.next();
        }
    }
}
