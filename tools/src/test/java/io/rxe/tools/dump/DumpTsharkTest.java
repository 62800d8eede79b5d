package io.rxe.tools.dump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.golden.GoldenCaptures;
import io.rxe.tools.Run;
import java.io.File;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Skipped where tshark is not installed ({@code apt-get install tshark --no-install-recommends}). */
@DisplayName("Connection management as tshark and rxe dump decode it")
class DumpTsharkTest {
    private static final int SECONDS = 120;
    /** What tshark calls a field, and how it appears in a line of ours; tshark prints hexadecimal numbers. */
    private static final String[][] FIELDS = {
        {"infiniband.cm.req.serviceid.dport", " port %d"}, {"infiniband.cm.req.localqpn", " qpn 0x%x"},
        {"infiniband.cm.req.startpsn", " psn %06x"}, {"infiniband.cm.req.ip_cm.sport", " from 10.99.0.3 port %d"},
        {"infiniband.cm.req.responderres", " resources %d"}, {"infiniband.cm.req.initdepth", " depth %d"},
        {"infiniband.cm.req.retrcount", " retry %d"}, {"infiniband.cm.req.rnrretrcount", " rnr_retry %d"},
        {"infiniband.cm.req.prim_localacktout", " timeout %d"}, {"infiniband.cm.rep.localqpn", " qpn 0x%x"},
        {"infiniband.cm.rep.startpsn", " psn %06x"}, {"infiniband.cm.rep.remotecommid", " peer 0x%08x"},
        {"infiniband.cm.dreq.localcommid", " id 0x%08x"}, {"infiniband.mad.transactionid", " tid 0x%016x"},
    };

    @Test
    void theyAgreeOnEveryFieldOfAKernelsMessages(@TempDir Path folder) throws Exception {
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(one ->
            Files.isExecutable(Path.of(one, "tshark"))), "tshark is not installed");
        Path file = folder.resolve("cm.pcap");
        try (InputStream golden = GoldenCaptures.class.getResourceAsStream("/golden/rping_udaddy_cm.pcap")) {
            Files.copy(golden, file);
        }
        List<String> ours = Run.of("dump", "-v", "--qpn", "1", file.toString()).out().lines()
            .filter(line -> line.contains("  CM ")).toList();
        List<String> theirs = tshark(folder, file);
        assertEquals(theirs.size(), ours.size());
        int compared = 0;
        for (int i = 0; i < ours.size(); i++) {
            String[] values = theirs.get(i).split("\\|", -1);
            for (int field = 0; field < FIELDS.length; field++) {
                if (!values[field].isEmpty()) {
                    compared++;
                    String expected = String.format(FIELDS[field][1], Long.decode(values[field]));
                    assertTrue(ours.get(i).contains(expected + " "), FIELDS[field][0] + ":" + expected + " in " + ours.get(i));
                }
            }
        }
        assertTrue(compared > 15, compared + " fields");
    }

    private static List<String> tshark(Path folder, Path file) throws Exception {
        List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", file.toString(), "-Y", "infiniband.mad.attributeid >= 0x10",
            "-T", "fields", "-E", "separator=|"));
        for (String[] field : FIELDS) {
            command.addAll(List.of("-e", field[0]));
        }
        Path out = folder.resolve("tshark.out");
        Process process = new ProcessBuilder(command).redirectOutput(out.toFile())
            .redirectError(folder.resolve("tshark.err").toFile()).start();
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "tshark ends");
        assertEquals(0, process.exitValue(), Files.readString(folder.resolve("tshark.err"), UTF_8));
        return Files.readAllLines(out, UTF_8);
    }
}
