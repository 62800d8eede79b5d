package io.rxe.tools.sequence;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.golden.GoldenCaptures;
import io.rxe.net.FreePorts;
import io.rxe.tools.Chromium;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.flow.RetransmissionCause;
import io.rxe.wire.Syndrome;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xml.sax.InputSource;

@DisplayName("rxe dump --time-sequence")
class TimeSequenceTest {
    private static final int TWO_MEGABYTES = 2 << 20;

    @TempDir
    private Path folder;

    private Path golden(String name) throws IOException {
        Path file = folder.resolve("golden.pcap");
        try (InputStream in = GoldenCaptures.class.getResourceAsStream("/golden/" + name + ".pcap")) {
            Files.write(file, in.readAllBytes());
        }
        return file;
    }

    private Run draw(String picture, Path capture, String... more) {
        Run run = Run.of(Stream.concat(Stream.of("dump", "--time-sequence", folder.resolve(picture).toString(), capture.toString()),
            Stream.of(more)).toArray(String[]::new));
        assertEquals(ExitStatus.OK, run.status(), run.err());
        return run;
    }

    @Test
    @DisplayName("every capture of kernel peers becomes a well-formed picture, whatever is in it")
    void everyGoldenCaptureIsDrawn() throws Exception {
        for (String name : GoldenCaptures.names()) {
            Run run = Run.of("dump", "--time-sequence", folder.resolve("p.svg").toString(), golden(name).toString());
            assertTrue(run.out().contains("connections: "), name + "\n" + run);
            String svg = Files.readString(folder.resolve("p.svg"));
            assertFalse(svg.contains("NaN") || svg.contains("Infinity"), name);
            DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
        }
    }

    @Test
    @DisplayName("two kernels with 5 % loss: all is the doing of two NAKs, and the slowest message says so")
    void twoKernels() throws IOException {
        Run run = draw("kernels.svg", golden("write_loss5"));
        assertTrue(run.out().contains("      PSN sequence NAK           Q7         119        4 "), run.out());
        assertFalse(run.out().contains("ACK timeout"), run.out());
        assertTrue(run.out().contains("unfinished WRITE at PSN e43fe9, frame 23"), run.out());
    }

    @Test
    @DisplayName("a capture of ours has the causes that only two rxe have")
    void ours() {
        Path capture = folder.resolve("ours.pcapng");
        Run loopback = Run.of("loopback", "--verify-only", "--fault", "loss 5%", "--seed", "9", "--capture", capture.toString(),
            "--port", Integer.toString(FreePorts.udp("127.0.0.1", "127.0.0.2")));
        assertEquals(ExitStatus.OK, loopback.status(), loopback.toString());
        Run run = draw("ours.html", capture);
        assertTrue(run.out().contains("gap report") || run.out().contains("probe") || run.out().contains("reorder timer"), run.out());
        assertFalse(run.out().contains("PSN sequence NAK   "), run.out());
        assertFalse(run.out().contains(RetransmissionCause.NOT_CAPTURED.text()), run.out());
    }

    @ParameterizedTest
    @CsvSource({"write-ours, 54", "read-ours, 6"})
    @DisplayName("an rxe that sends to a kernel with losses: every retransmission has a cause")
    void oursToAKernel(String name, int retransmissions) throws IOException {
        Path capture = folder.resolve("kernel.pcapng");
        try (InputStream in = TimeSequenceTest.class.getResourceAsStream("/golden/lumina/" + name + ".pcapng")) {
            Files.write(capture, in.readAllBytes());
        }
        Run run = draw("kernel.svg", capture);
        int explained = 0;
        for (RetransmissionCause cause : RetransmissionCause.values()) {
            Matcher row = Pattern.compile(" {6}" + cause.text() + " +" + cause.rule() + " +(\\d+) ").matcher(run.out());
            explained += cause.isRepair() && row.find() ? Integer.parseInt(row.group(1)) : 0;
        }
        assertEquals(retransmissions, explained, run.out());
        assertFalse(run.out().contains(RetransmissionCause.NOT_CAPTURED.text()), run.out());
    }

    private String text(Consumer<Scene> script) throws IOException {
        Path capture = folder.resolve("scene.pcapng");
        try (Scene scene = new Scene(Files.newOutputStream(capture))) {
            script.accept(scene);
        }
        return draw("scene.svg", capture).out();
    }

    @Test
    @DisplayName("the silence before an acknowledgement delayed the message that it completes")
    void silence() throws IOException {
        String text = text(scene -> scene.sends(0, 4).after(80).ack(3).after(10).send(4).after(5000).ack(4));
        assertTrue(text.contains("slowest    SEND at PSN 000004, frame 6, 1 packet: 5.00 ms; 5.00 ms silence"), text);
    }

    @Test
    @DisplayName("a response that is asked for again after a wait is one lost packet, and repaired when it arrives")
    void lostResponse() throws IOException {
        String text = text(scene -> scene.ours().read(0, 16).after(80).answers(0, 6, true, false).answers(7, 9, false, true).after(900)
            .read(6, 1).after(2).send(16).after(90).ack(16).after(1000).answers(6, 1, true, true));
        assertTrue(text.contains("lost       0 requests that the peer named, 1 READ responses, 0 packets or answers found"), text);
        assertTrue(text.contains("      reorder timer              G4           1        1    2.09 ms"), text);
    }

    @Test
    @DisplayName("a packet of an older connection of the same queue pairs is not in flight")
    void ghost() throws IOException {
        String text = text(scene -> scene.sends(0, 4).after(80).ack(3).after(10).send(0x500000).after(3).sends(4, 4).after(80).ack(7));
        assertTrue(text.contains("window     at most 4 packets in flight"), text);
        assertTrue(text.contains("1 packets not processed"), text);
    }

    @Test
    @DisplayName("a message that was refused is not completed by the next connection of its queue pair")
    void refusedAndConnectedAgain() throws IOException {
        String text = text(scene -> scene.sends(0, 4).after(80).ack(3).after(10).write(4, 1024).after(80)
            .nak(4, Syndrome.REMOTE_ACCESS_ERROR).after(3000).sends(0x300000, 4).after(80).ack(0x300003));
        assertTrue(text.contains("unfinished WRITE at PSN 000004, frame 6, 3.08 ms until the end; its connection ended"), text);
        assertTrue(text.contains("slowest    SEND") && text.contains("NAK remote access error (R10)           1"), text);
    }

    @Test
    @DisplayName("answers alone have no sequence, and the text says so")
    void answersAlone() throws IOException {
        assertTrue(text(scene -> scene.ack(7).after(90).ack(15)).contains("answers without what they answer"));
    }

    @Test
    @DisplayName("a capture that is cut off is drawn up to there")
    void cutOff() throws IOException {
        byte[] whole = Files.readAllBytes(golden("write_loss5"));
        Path cut = folder.resolve("cut.pcap");
        Files.write(cut, Arrays.copyOf(whole, whole.length / 2));
        Run run = Run.of("dump", "--time-sequence", folder.resolve("cut.svg").toString(), cut.toString());
        assertEquals(ExitStatus.FAILED, run.status());
        assertTrue(run.err().contains("cut off"), run.err());
        assertTrue(run.out().contains("PSN sequence NAK"), run.out());
        assertTrue(Files.exists(folder.resolve("cut.svg")));
    }

    @Test
    @DisplayName("many packets become a small file, and no retransmission disappears")
    void manyPackets() throws IOException {
        Path large = folder.resolve("large.pcapng");
        LargeCapture.write(large, 200_000);
        Run run = draw("large.html", large);
        assertTrue(Files.size(folder.resolve("large.html")) < TWO_MEGABYTES);
        long repairs = run.out().lines().filter(line -> line.contains("PSN sequence NAK           Q7")).count();
        assertEquals(1, repairs, run.out());
        String page = Files.readString(folder.resolve("large.html"));
        assertTrue(page.contains("data-kind=\"sequence-nak\""), "drawn");
    }

    @Test
    void whatCannotBeDrawnIsRefused() {
        Run png = Run.of("dump", "--time-sequence", "a.png", "x.pcap");
        assertEquals(2, png.status());
        assertTrue(png.err().contains("ends neither in .svg nor in .html"), png.err());
        assertEquals(2, Run.of("dump", "--flow", "--time-sequence", "a.svg", "x.pcap").status());
        assertEquals(2, Run.of("dump", "--opcode", "read", "--time-sequence", "a.svg", "x.pcap").status());
    }

    @Test
    @DisplayName("the page zooms, filters and names the packet under the pointer, in Chromium; skipped where it is not installed")
    void thePageWorksInABrowser() throws Exception {
        Chromium.require();
        draw("page.html", golden("write_loss5"));
        String check;
        try (InputStream in = TimeSequenceTest.class.getResourceAsStream("page-check.js")) {
            check = new String(in.readAllBytes(), UTF_8);
        }
        String dom = Chromium.load(folder.resolve("page.html"), check, folder);
        for (String line : List.of("hover: frame 111  RC_RDMA_WRITE_MIDDLE  PSN e43fdb PSN sequence NAK  rule Q7 at 9.3871 ms",
            "zoom: true, 10 ms to 14 ms", "hidden: none", "shown: inline", "wheel: true", "drag: true", "reset: true, 0 ms to 20 ms",
            "filter: none")) {
            assertTrue(dom.contains(line), line + " in\n" + dom.substring(Math.max(0, dom.indexOf("id=\"result\""))));
        }
    }
}
