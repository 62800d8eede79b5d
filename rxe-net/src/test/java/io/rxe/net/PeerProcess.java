package io.rxe.net;

import io.rxe.cm.CmEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** The main class of a process that connects to a server, says so, and ends as its input says, without closing its NIC. */
final class PeerProcess {
    private static final InheritableThreadLocal<Boolean> NO_THREADS = new InheritableThreadLocal<>() {
        @Override
        protected Boolean childValue(Boolean value) {
            if (starved && Thread.currentThread().getName().equals("rxe-exit")) {
                throw new OutOfMemoryError("unable to create native thread: planted");
            }
            return value;
        }
    };
    /** Whether the hook at the exit can start no thread. */
    private static volatile boolean starved;

    private PeerProcess() {
    }

    /** Starts the process with this class path and these options of Java. */
    static Process start(String address, int udpPort, String server) throws IOException {
        return JavaProcess.start(PeerProcess.class, address, String.valueOf(udpPort), server);
    }

    /** Connects, prints "connected", reads one line: "exit", "end" and "starve" end the process in order. */
    public static void main(String[] arguments) throws Exception {
        NO_THREADS.set(true);
        CmSide side = new CmSide(CmSide.options(arguments[0], Integer.parseInt(arguments[1])));
        side.begin(arguments[2]);
        side.await(CmEvent.Type.ESTABLISHED);
        System.out.println("connected");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String command = in.readLine();
        if ("exit".equals(command)) {
            System.exit(3);
        }
        starved = "starve".equals(command);
        // "end" and "starve": the threads of the NIC do not keep the process.
    }
}
