package io.rxe.testkit.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.net.JavaProcess;
import io.rxe.testkit.TestKit;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A command of TestKit that a signal ends while its programs run. */
public final class SignalledTestKit {
    private static final int LONGEST_MS = 60_000;

    private SignalledTestKit() {
    }

    /** The arguments of the command. */
    @FunctionalInterface
    public interface Arguments {
        /** @param connect lines of bash for each of its programs, which connect to the test and do not end. */
        String[] of(String connect) throws IOException;
    }

    /** Ends it once a number of its programs have connected, and expects that each of them ends. */
    public static void endsAll(int programs, Arguments arguments) throws Exception {
        List<Socket> connected = new ArrayList<>();
        try (ServerSocket listener = new ServerSocket(0)) {
            listener.setSoTimeout(LONGEST_MS);
            Process command = JavaProcess.start(TestKit.class, arguments.of("exec 3<>/dev/tcp/127.0.0.1/" + listener.getLocalPort()
                + "\nexec cat <&3\n"));
            try {
                while (connected.size() < programs) {
                    connected.add(listener.accept());
                }
                command.destroy();
                for (Socket program : connected) {
                    program.setSoTimeout(LONGEST_MS);
                    assertEquals(-1, program.getInputStream().read());
                }
                command.waitFor();
            } finally {
                command.destroyForcibly();
            }
        } finally {
            for (Socket program : connected) {
                program.close();
            }
        }
    }
}
