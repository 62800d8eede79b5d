package io.rxe.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.RxeNic;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

@DisplayName("Tests that do odd things to their NICs leave none open, and lose no report")
class MisuseTest {
    private static final Queue<RxeNic> TAKEN = new ConcurrentLinkedQueue<>();

    @Tag("inner")
    @RxeNics(1)
    static class Twice {
        @RegisterExtension
        private final RxeNicExtension second = new RxeNicExtension();

        @Test
        void takesNone() {
            throw new AssertionError("never called with " + second);
        }
    }

    @Tag("inner")
    @RxeNics(2)
    static class Odd {
        private static RxeNic kept;

        @BeforeEach
        void take(RxeNic[] nics) {
            TAKEN.addAll(List.of(nics));
            // Nobody closes it.
            nics[0].device().allocateProtectionDomain().createQueuePair(QueuePairConfig.of(QueuePairType.RC,
                nics[0].device().createCompletionQueue(1), nics[0].device().createCompletionQueue(1)));
        }

        @Test
        void closesItsNicAndFails(RxeNic nic) {
            nic.close();
            throw new AssertionError("planted");
        }

        @Test
        void isLeftInterruptedAndFails() {
            Thread.currentThread().interrupt();
            throw new AssertionError("planted");
        }

        @Test
        void keepsItsNic(RxeNic nic) {
            kept = nic;
        }

        @Test
        void hasANamesake(RxeNic nic) {
            assertFalse(nic.isClosed());
        }

        @Test
        void hasANamesake(RxeNic nic, RxeNic other) {
            throw new AssertionError("planted for " + nic + other);
        }

        @RepeatedTest(3)
        void isRepeated(RxeNic nic) {
            assertFalse(nic.isClosed());
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void hasParameters(int number, RxeNic nic) {
            assertEquals(1, number, nic::toString);
        }

        @Nested
        class Within {
            @Test
            void takesTheNicOfTheClassAround(RxeNic first, RxeNic second) {
                assertFalse(first.isClosed() || second.isClosed());
            }

            @Test
            @RxeNics(1)
            void takesItsOwn(RxeNic[] all) {
                assertEquals(1, all.length);
            }
        }
    }

    @Tag("inner")
    @RxeNics(1)
    static class FailsEarly {
        @BeforeEach
        void fail(RxeNic nic) {
            TAKEN.add(nic);
            throw new AssertionError("planted");
        }

        @Test
        void isNotCalled() {
            throw new AssertionError("called");
        }
    }

    @Tag("inner")
    @RxeNics(1)
    static class TakesForAll {
        @BeforeAll
        static void take(RxeNic nic) {
            throw new AssertionError("called with " + nic);
        }

        @Test
        void isNotCalled() {
            throw new AssertionError("called");
        }
    }

    @Tag("inner")
    @RxeNics(1)
    record TakenByTheConstructor(RxeNic nic) {
        @Test
        void isNotCalled() {
            throw new AssertionError("called");
        }
    }

    /** What each test of a class failed with, by its method; "" for a success. */
    private static Map<String, String> run(Class<?> type, Path folder, boolean inParallel) {
        Map<String, String> results = new TreeMap<>();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(DiscoverySelectors.selectClass(type))
            .configurationParameter("rxe.junit.folder", folder.toString())
            .configurationParameter("junit.jupiter.execution.parallel.enabled", String.valueOf(inParallel))
            .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent").build(), new TestExecutionListener() {
                @Override
                public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                    String message = result.getThrowable().map(Throwable::getMessage).orElse("");
                    if (test.isTest() || !message.isEmpty()) {
                        synchronized (results) {
                            results.merge(test.getLegacyReportingName(), message, String::concat);
                        }
                    }
                }
            });
        return results;
    }

    private static List<String> reports(Path folder) throws Exception {
        try (Stream<Path> left = Files.list(folder)) {
            return left.map(path -> path.getFileName().toString().replaceAll(".*\\$", "")).sorted().toList();
        }
    }

    @ParameterizedTest(name = "in parallel: {0}")
    @ValueSource(booleans = {false, true})
    void oddTests(boolean inParallel, @TempDir Path folder) throws Exception {
        TAKEN.clear();
        Map<String, String> results = run(Odd.class, folder, inParallel);
        // One of them left its thread so.
        Thread.interrupted();
        assertEquals(List.of("Odd.closesItsNicAndFails", "Odd.hasANamesake-RxeNic-RxeNic", "Odd.hasParameters-2",
            "Odd.isLeftInterruptedAndFails"), reports(folder), results::toString);
        for (String failed : reports(folder)) {
            Path report = folder.resolve("io.rxe.junit.MisuseTest$" + failed);
            for (int nic = 0; nic < 2; nic++) {
                assertTrue(Files.size(report.resolve("nic-" + nic + ".pcapng")) > 0, failed);
                assertTrue(Files.readString(report.resolve("nic-" + nic + "-counters.txt")).startsWith("NIC"), failed);
            }
        }
        assertEquals(2 * 11 + 1, TAKEN.size());
        assertTrue(TAKEN.stream().allMatch(RxeNic::isClosed) && Odd.kept.isClosed());
    }

    @Test
    void aTestThatFailsBeforeItBegins(@TempDir Path folder) throws Exception {
        TAKEN.clear();
        assertEquals(Map.of("isNotCalled()", "planted"), run(FailsEarly.class, folder, false));
        assertEquals(List.of("FailsEarly.isNotCalled"), reports(folder));
        assertTrue(TAKEN.size() == 1 && TAKEN.element().isClosed());
    }

    @Test
    void whatIsAskedForAtTheWrongPlace(@TempDir Path folder) {
        String twice = String.join("", run(Twice.class, folder, false).values());
        assertTrue(twice.contains("two RxeNicExtension at takesNone(): @RxeNics registers it, so remove the @RegisterExtension"), twice);
        for (Class<?> type : List.of(TakesForAll.class, TakenByTheConstructor.class)) {
            String said = String.join("", run(type, folder, false).values());
            assertTrue(said.contains("NICs are opened for each test; take them in the test or in a @BeforeEach method"), said);
        }
    }
}
