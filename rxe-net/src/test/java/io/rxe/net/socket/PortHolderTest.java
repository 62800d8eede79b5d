package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A UDP port in use: the message names who holds it, and the ways out")
class PortHolderTest {
    private static final InetSocketAddress WANTED = new InetSocketAddress("127.0.0.1", 4791);
    private static final String HEADER = "  sl  local_address rem_address  st tx_queue rx_queue tr tm->when retrnsmt  uid  timeout inode\n";

    @TempDir
    private Path root;

    @BeforeEach
    void folders() throws IOException {
        Files.createDirectories(root.resolve("proc/net"));
        Files.createDirectories(root.resolve("proc/77/fd"));
        Files.writeString(root.resolve("proc/77/cmdline"), "java\0-jar\0rxe.jar\0");
        Files.createSymbolicLink(root.resolve("proc/77/fd/5"), Path.of("socket:[4242]"));
    }

    private void socket(String address, int inode) throws IOException {
        Files.writeString(root.resolve("proc/net/udp"), HEADER + "  12: " + address
            + " 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 " + inode + " 2 0000000000000000 0\n");
    }

    private void expect(long self, String... words) {
        String text = new PortHolder(root, self).explain(WANTED);
        for (String word : words) {
            assertTrue(text.contains(word), text);
        }
    }

    @Test
    void anotherProcess() throws IOException {
        socket("0100007F:12B7", 4242);
        expect(1, "taken by process 77 (java -jar rxe.jar): stop it", "127.0.0.2 (option -d)");
    }

    @Test
    void thisProcess() throws IOException {
        socket("0100007F:12B7", 4242);
        expect(77, "this very process, 77 (java -jar rxe.jar)", "close the NIC", "127.0.0.2");
    }

    @Test
    @DisplayName("a process that was killed and is not taken apart yet is not alive")
    void aDyingProcess() throws IOException {
        socket("0100007F:12B7", 4242);
        Files.writeString(root.resolve("proc/77/status"), "SigPnd:\t0000000000000000\nShdPnd:\t0000000000000002\n");
        assertTrue(new PortHolder(root, 1).isAlive(WANTED));
        Files.writeString(root.resolve("proc/77/status"), "SigPnd:\t0000000000000000\nShdPnd:\t0000000000000100\n");
        assertFalse(new PortHolder(root, 1).isAlive(WANTED));
        socket("0100007F:12B7", 999);
        assertFalse(new PortHolder(root, 1).isAlive(WANTED), "nobody can be seen");
    }

    @Test
    @DisplayName("rdma_rxe holds the port on all addresses, in no process")
    void theKernel() throws IOException {
        Files.createDirectories(root.resolve("sys/module/rdma_rxe"));
        socket("00000000:12B7", 999);
        expect(1, "the kernel's rdma_rxe", "another UDP port", "another network namespace", "rmmod rdma_rxe");
        socket("0100007F:12B7", 999);
        expect(1, "a process that this user cannot see");
    }

    @Test
    @DisplayName("the tables of the running kernel are read in its format")
    void theRealTables() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress("127.0.0.1", 0))) {
            long self = ProcessHandle.current().pid();
            String text = new PortHolder(Path.of("/"), self).explain((InetSocketAddress) socket.getLocalSocketAddress());
            assertTrue(text.contains("this very process, " + self), text);
            assertTrue(List.of(text.split(" ")).contains("127.0.0.2"), text);
        }
    }
}
