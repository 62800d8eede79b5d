package io.rxe.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rxe.connect.RxeClient;
import io.rxe.connect.RxeServer;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import java.util.concurrent.CompletableFuture;

/**
 * A message there and back: the smallest program with {@link io.rxe.connect}.
 *
 * <pre>
 *   Echo 10.0.0.1                  the server
 *   Echo 10.0.0.2 10.0.0.1 TEXT    the client: prints what comes back
 * </pre>
 */
public final class Echo {
    private static final int PORT = 7474;

    private Echo() {
    }

    /** Answers every message with itself. */
    public static RxeServer serve(RxeNic nic, int port) {
        // README.md: echo server begins
        return RxeServer.listen(nic, port, connection -> connection
            .onMessage((from, message) -> from.send(message))
            .onClosed(end -> System.out.println(end)));
        // README.md: echo server ends
    }

    /** Sends a text and returns the answer. */
    public static String call(RxeNic nic, String host, int port, String text) throws Exception {
        // README.md: echo client begins
        CompletableFuture<String> answer = new CompletableFuture<>();
        try (RxeClient client = new RxeClient(nic)) {
            client.connect(host, port, connection -> connection
                .onMessage((from, message) -> answer.complete(UTF_8.decode(message).toString()))
                .onClosed(end -> answer.cancel(false)))
                .connected().get().send(UTF_8.encode(text)).orThrow();
            return answer.get();
        }
        // README.md: echo client ends
    }

    /** Runs the server, or the client; see above. */
    public static void main(String[] arguments) throws Exception {
        Usage.require(arguments, arguments.length == 2 ? 3 : 1, "Echo LOCAL-ADDRESS [SERVER-ADDRESS TEXT]");
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(arguments[0]))) {
            if (arguments.length == 1) {
                serve(nic, PORT);
                Thread.sleep(Long.MAX_VALUE);
            }
            System.out.println(call(nic, arguments[1], PORT, arguments[2]));
        }
    }
}
