package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.Errors.NativeIoException;
import io.rxe.net.FreePorts;
import io.rxe.net.port.Offload;
import io.rxe.net.port.Warnings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A path MTU learned from the network is ignored, the header fields that the ICRC covers are as the sink assumes")
class PathMtuTest {
    private static final String LOCAL = "10.201.0.1";
    private static final String PEER = "10.201.0.2";
    private static final int PORT = 4791;

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 0, 10", "::1, 41, 23"})
    @DisplayName("the sockets probe: they obey no ICMP message")
    void theSocketsProbe(String address, int level, int option) throws Exception {
        LinuxSocket socket = opener().open(new InetSocketAddress(address, FreePorts.udp(address)), 1);
        try {
            assertEquals(3, socket.getIntOpt(level, option));
        } finally {
            socket.close();
        }
    }

    @Test
    @DisplayName("behind a route with a small MTU, as a forged ICMP message makes one, frames leave with DF and identifications 0, 1, 2")
    void aSmallMtuOfTheRouteIsIgnored() throws Exception {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")), "needs root for a network namespace");
        assumeTrue(Stream.of("ip", "ethtool", "tcpdump").allMatch(PathMtuTest::isInstalled), "needs ip, ethtool and tcpdump");
        String space = "rxe-run-" + ProcessHandle.current().pid() + "-mtu";
        run("ip", "netns", "add", space);
        try {
            run("ip", "-n", space, "link", "add", "left", "type", "veth", "peer", "name", "right");
            run("ip", "-n", space, "address", "add", LOCAL + "/24", "dev", "left");
            run("ip", "-n", space, "link", "set", "right", "up");
            run("ip", "-n", space, "link", "set", "left", "up");
            run("ip", "-n", space, "neighbour", "add", PEER, "lladdr", "02:00:00:00:00:02", "dev", "left");
            run("ip", "-n", space, "route", "add", PEER, "dev", "left", "mtu", "576");
            // The kernel cuts the batch itself, so that the capture shows its segments.
            run("ip", "netns", "exec", space, "ethtool", "-K", "left", "tx-udp-segmentation", "off");
            Process capture = new ProcessBuilder("ip", "netns", "exec", space, "tcpdump", "-nvl", "-c", "4", "-i", "left", "udp",
                "port", Integer.toString(PORT)).redirectErrorStream(true).start();
            try (BufferedReader captured = new BufferedReader(new InputStreamReader(capture.getInputStream(), StandardCharsets.UTF_8))) {
                String line = captured.readLine();
                while (!line.contains("listening on")) {
                    line = captured.readLine();
                }
                assertEquals("sent\nsent\ntoo long\n", run("ip", "netns", "exec", space,
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", System.getProperty("java.class.path"),
                    PathMtuTest.class.getName()));
                List<String> headers = new ArrayList<>();
                while (headers.size() < 4) {
                    line = captured.readLine();
                    if (line.contains("proto UDP")) {
                        headers.add(line.replaceAll(".* (id \\d+),.*flags (\\[.*?\\]).*", "$1 $2"));
                    }
                }
                assertEquals(List.of("id 0 [DF]", "id 0 [DF]", "id 1 [DF]", "id 2 [DF]"), headers);
            } finally {
                capture.destroy();
            }
        } finally {
            run("ip", "netns", "delete", space);
        }
    }

    private static SocketOpener opener() {
        return new SocketOpener(new SocketSettings(false, false, false, Offload.AUTO, Offload.AUTO, 1 << 18, 1 << 18, null),
            new Warnings(sentence -> { }));
    }

    /** In the namespace: one frame longer than the route's MTU, a batch of three, and one longer than the interface's. */
    public static void main(String[] none) throws IOException {
        LinuxSocket socket = opener().open(new InetSocketAddress(LOCAL, PORT), 0);
        System.out.println(send(socket, 1000));
        SocketOptions.segment(socket, 1000);
        System.out.println(send(socket, 3000));
        SocketOptions.segment(socket, 0);
        System.out.println(send(socket, 2000));
        socket.close();
    }

    private static String send(LinuxSocket socket, int lengthBytes) throws IOException {
        try {
            socket.sendTo(ByteBuffer.allocateDirect(lengthBytes), 0, lengthBytes, InetAddress.getByName(PEER), PORT);
            return "sent";
        } catch (NativeIoException e) {
            return e.expectedErr() == -90 ? "too long" : e.getMessage();
        }
    }

    private static boolean isInstalled(String tool) {
        return Stream.of("/usr/sbin", "/usr/bin", "/sbin", "/bin").anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor() == 0 || command[1].equals("netns"), () -> String.join(" ", command));
        return output;
    }
}
