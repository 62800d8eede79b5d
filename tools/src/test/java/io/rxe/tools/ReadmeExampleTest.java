package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The program of README.md")
class ReadmeExampleTest {
    private static final Path README = Path.of("..", "README.md");
    private static final Path SOURCE = Path.of("src", "test", "java", "io", "rxe", "tools", "ReadmeExample.java");

    @Test
    void writesIntoThePeersMemory() throws IOException {
        int port = FreePorts.udp("127.0.0.1", "127.0.0.2");
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults("127.0.0.2").withUdpPort(port))) {
            Device device = nic.device();
            ProtectionDomain domain = device.allocateProtectionDomain();
            ByteBuffer memory = ByteBuffer.allocateDirect(64);
            MemoryRegion region = domain.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
            CompletionQueue completions = device.createCompletionQueue(8);
            QueuePair queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
            CompletionStatus status = ReadmeExample.run(RxeNicOptions.defaults("127.0.0.1").withUdpPort(port), other -> {
                queuePair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE));
                queuePair.modify(QueuePairAttributes.toReadyToReceive(other.address(), PathMtu.MTU_1024, other.qpn(), other.psn()));
                AddressVector here = AddressVector.to(device.gid(), port);
                return new ReadmeExample.Contact(here, queuePair.number(), 200, region.address(), region.rKey());
            });
            assertEquals(CompletionStatus.SUCCESS, status);
            byte[] text = new byte[11];
            memory.get(0, text);
            assertEquals("hello, peer", new String(text, StandardCharsets.UTF_8));
        }
    }

    @Test
    void isTheOneInTheReadme() throws IOException {
        String example = between(Files.readAllLines(SOURCE), "        // README begins", "        // README ends");
        assertTrue(Files.readString(README).contains("```java\n" + example + "```"), "README.md lacks this program:\n" + example);
    }

    private static String between(List<String> lines, String begin, String end) {
        return String.join("", lines.subList(lines.indexOf(begin) + 1, lines.indexOf(end)).stream()
            .map(line -> line.substring(Math.min(line.length(), 8)) + "\n").toList());
    }
}
