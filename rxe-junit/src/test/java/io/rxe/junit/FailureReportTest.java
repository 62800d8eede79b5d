package io.rxe.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.connect.RxeClient;
import io.rxe.connect.RxeServer;
import io.rxe.net.RxeNic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

@DisplayName("What a failing test leaves, and what a wrong annotation says")
class FailureReportTest {
    /** Tests that this test runs by itself. Surefire does not find nested classes that are static. */
    @Tag("inner")
    static class Inner {
        @Test
        @RxeNics(2)
        void connectsAndFails(RxeNic server, RxeNic client, @FreePort int port) throws Exception {
            try (RxeServer listening = RxeServer.listen(server, port, set -> { }); RxeClient calling = new RxeClient(client)) {
                assertEquals(port, listening.port());
                calling.connect(server.localInterface().address().getHostAddress(), port, set -> { }).connected().get(60,
                    TimeUnit.SECONDS);
            }
            throw new AssertionError("planted");
        }

        @Test
        @RxeNics(1)
        void passes(RxeNic nic) {
            assertFalse(nic.isClosed());
        }

        @Test
        @RxeNics(1)
        void takesTooMany(RxeNic first, RxeNic second) {
            throw new AssertionError("never called with " + first + second);
        }

        @Test
        @RxeNics(0)
        void wantsNone() {
            throw new AssertionError("never called");
        }

        @Test
        @RxeNics(fault = "lots 1%")
        void wantsNonsense() {
            throw new AssertionError("never called");
        }

        @Test
        @RxeNics
        void takesALongPort(@FreePort long port) {
            throw new AssertionError("never called with " + port);
        }
    }

    private static Optional<Throwable> run(Path folder, String method, Class<?>... parameters) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectMethod(Inner.class, method, parameters))
            .configurationParameter("rxe.junit.folder", folder.toString()).build();
        List<TestExecutionResult> results = new ArrayList<>();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                    results.add(result);
                }
            }
        });
        assertEquals(1, results.size());
        return results.get(0).getThrowable();
    }

    @Test
    void aFailingTestLeavesCapturesAndCounters(@TempDir Path folder) throws Exception {
        assertEquals("planted", run(folder, "connectsAndFails", RxeNic.class, RxeNic.class, int.class).orElseThrow().getMessage());
        Path left = folder.resolve(Inner.class.getName() + ".connectsAndFails");
        for (int nic = 0; nic < 2; nic++) {
            byte[] capture = Files.readAllBytes(left.resolve("nic-" + nic + ".pcapng"));
            assertTrue(capture.length > 1000, () -> "REQ, REP, RTU, DREQ and DREP are in " + capture.length + " bytes");
            List<String> counters = Files.readAllLines(left.resolve("nic-" + nic + "-counters.txt"));
            assertTrue(counters.get(0).startsWith("NIC"), counters.toString());
            assertTrue(counters.stream().anyMatch(line -> line.matches("sent_pkts [1-9]\\d*")), counters.toString());
        }
    }

    @Test
    void aPassingTestLeavesNothing(@TempDir Path folder) throws Exception {
        assertEquals(Optional.empty(), run(folder, "passes", RxeNic.class));
        assertFalse(Files.exists(folder.resolve(Inner.class.getName() + ".passes")));
    }

    @Test
    void wrongAnnotationsSayWhatIsRight(@TempDir Path folder) {
        expect(run(folder, "takesTooMany", RxeNic.class, RxeNic.class), "the test has 2 or more parameters of type RxeNic, and"
            + " @RxeNics(1) opens 1: raise the number");
        expect(run(folder, "wantsNone"), "@RxeNics(0): the number of NICs is 1 to 200");
        expect(run(folder, "wantsNonsense"), "@RxeNics(fault = \"lots 1%\"): fault 'lots 1%': 'lots' is not a fault");
        expect(run(folder, "takesALongPort", long.class), "@FreePort at a parameter of type long: make it an int");
    }

    private static void expect(Optional<Throwable> thrown, String words) {
        assertTrue(thrown.orElseThrow().getMessage().contains(words), () -> thrown.get().getMessage());
    }
}
