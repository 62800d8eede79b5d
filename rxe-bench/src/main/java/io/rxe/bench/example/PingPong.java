package io.rxe.bench.example;

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
 * Two sides send each other a message, in turns: two-sided communication, where the receiver says with a receive request where a message
 * goes.
 *
 * <pre>
 *   PingPong 10.0.0.1                 waits
 *   PingPong 10.0.0.2 10.0.0.1        plays with the one at 10.0.0.1
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
        RxeNicOptions options = RxeNicOptions.defaults(arguments[0]);
        if (arguments.length == 1) {
            try (ServerSocket server = new ServerSocket(TCP_PORT); Socket trade = server.accept()) {
                play(options, trade, false, ROUNDS);
            }
        } else {
            try (Socket trade = new Socket(arguments[1], TCP_PORT)) {
                long roundTripNs = play(options, trade, true, ROUNDS);
                System.out.printf(Locale.ROOT, "%d rounds, %.1f us each%n", ROUNDS, roundTripNs / 1000.0);
            }
        }
    }

    /**
     * Plays.
     *
     * @param begins whether this side sends first.
     * @return average time of a round, in nanoseconds.
     */
    public static long play(RxeNicOptions options, Socket trade, boolean begins, int rounds) throws IOException {
        try (Connected peer = Connected.open(options, 2 * MESSAGE_BYTES, trade)) {
            // api.md: pingpong begins
            WorkRequest send = new WorkRequest().send().add(peer.region(), 0, MESSAGE_BYTES);
            ReceiveRequest receive = new ReceiveRequest().add(peer.region(), MESSAGE_BYTES, MESSAGE_BYTES);
            peer.queuePair().postReceive(receive);
            peer.meet(trade);
            long beganNs = System.nanoTime();
            for (int round = 0; round < rounds; round++) {
                if (begins) {
                    peer.memory().putInt(0, round);
                    peer.queuePair().postSend(send);
                }
                awaitMessage(peer);
                // The next message may come as soon as ours is out, so its place is made ready first.
                peer.queuePair().postReceive(receive);
                if (peer.memory().getInt(MESSAGE_BYTES) != round) {
                    throw new IOException("round " + round + " brought message " + peer.memory().getInt(MESSAGE_BYTES));
                }
                if (!begins) {
                    peer.memory().putInt(0, round);
                    peer.queuePair().postSend(send);
                }
            }
            long endNs = System.nanoTime();
            peer.meet(trade);
            return (endNs - beganNs) / rounds;
            // api.md: pingpong ends
        }
    }

    /** Completions of our own sends come here too; they need no answer. */
    private static void awaitMessage(Connected peer) throws IOException {
        WorkCompletion done = peer.next();
        while (done.operation() != Operation.RECEIVE) {
            done = peer.next();
        }
    }
}
