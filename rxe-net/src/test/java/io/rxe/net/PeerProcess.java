package io.rxe.net;

import io.rxe.cm.CmEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The main class of a process that connects to a server, says so, and ends as its input says, without closing its NIC. */
final class PeerProcess {
    private PeerProcess() {
    }

    /** Starts the process with this class path and these options of Java. */
    static Process start(String address, int udpPort, String server) throws IOException {
        List<String> line = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-Xmx128m",
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED"));
        if (Runtime.version().feature() >= 24) {
            line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        line.addAll(List.of("-cp", classPath(), PeerProcess.class.getName(), address, String.valueOf(udpPort), server));
        return new ProcessBuilder(line).redirectError(Redirect.INHERIT).start();
    }

    private static String classPath() {
        // Surefire may hand its class path over in a manifest.
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Connects, prints "connected", reads one line: "exit" and "end" end the process in order. */
    public static void main(String[] arguments) throws Exception {
        CmSide side = new CmSide(CmSide.options(arguments[0], Integer.parseInt(arguments[1])));
        side.begin(arguments[2]);
        side.await(CmEvent.Type.ESTABLISHED);
        System.out.println("connected");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String command = in.readLine();
        if ("exit".equals(command)) {
            System.exit(3);
        }
        // "end": the threads of the NIC do not keep the process.
    }
}
