package io.rxe.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The walls of the core: no I/O, no clock, no chance, no threads, and imports only go down the floors. */
class WallsTest {
    private static final JavaClasses CORE = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
        .withImportOption(location -> location.contains("rxe-core") || location.contains("/target/classes/")).importPackages("io.rxe");

    private static void holds(ArchRule rule) {
        rule.check(CORE);
    }

    @Test
    void thereIsSomethingToLookAt() {
        assertTrue(CORE.size() > 100, () -> "only " + CORE.size() + " classes were found");
    }

    @Test
    @DisplayName("the core reaches no network, no channel, no Netty")
    void noInputOrOutput() {
        holds(noClasses().should().dependOnClassesThat().resideInAnyPackage("io.netty..", "java.net..", "java.nio.channels.."));
    }

    @Test
    @DisplayName("the core starts no thread and does not look at the one it is on")
    void noThreads() {
        holds(noClasses().should().dependOnClassesThat().haveFullyQualifiedName("java.lang.Thread"));
        holds(noClasses().should().dependOnClassesThat().haveNameMatching("java\\.util\\.concurrent\\.(Executor.*|Timer.*|.*Executor.*)"));
    }

    @Test
    @DisplayName("the core has no clock")
    void noClock() {
        holds(noClasses().should().callMethod(System.class, "nanoTime"));
        holds(noClasses().should().callMethod(System.class, "currentTimeMillis"));
        holds(noClasses().should().dependOnClassesThat().resideInAnyPackage("java.time.."));
    }

    @Test
    @DisplayName("the core has no source of chance of its own")
    void noChance() {
        holds(noClasses().should().dependOnClassesThat().haveNameMatching("java\\.util\\.(Random|SplittableRandom)"));
        holds(noClasses().should().dependOnClassesThat().haveNameMatching("java\\.security\\.SecureRandom"));
        holds(noClasses().should().dependOnClassesThat().haveNameMatching("java\\.util\\.concurrent\\.ThreadLocalRandom"));
        holds(noClasses().should().callMethod(Math.class, "random"));
    }

    @Test
    @DisplayName("the core does not log")
    void noLogging() {
        holds(noClasses().should().dependOnClassesThat().resideInAnyPackage("org.slf4j..", "java.util.logging.."));
        holds(noClasses().should().accessField(System.class, "out"));
        holds(noClasses().should().accessField(System.class, "err"));
    }

    @Test
    @DisplayName("imports go down: wire, ring, memory, counters, time, port, capture < verbs < qp < device < cm")
    void importsGoDown() {
        String[] ground = {"io.rxe.wire..", "io.rxe.ring..", "io.rxe.memory..", "io.rxe.counters..", "io.rxe.time..", "io.rxe.port..",
            "io.rxe.capture.."};
        holds(noClasses().that().resideInAnyPackage(ground).should().dependOnClassesThat()
            .resideInAnyPackage("io.rxe.verbs..", "io.rxe.qp..", "io.rxe.device..", "io.rxe.cm.."));
        holds(noClasses().that().resideInAPackage("io.rxe.verbs..").should().dependOnClassesThat()
            .resideInAnyPackage("io.rxe.qp..", "io.rxe.device..", "io.rxe.cm.."));
        holds(noClasses().that().resideInAPackage("io.rxe.qp..").should().dependOnClassesThat()
            .resideInAnyPackage("io.rxe.device..", "io.rxe.cm.."));
        holds(noClasses().that().resideInAPackage("io.rxe.device..").should().dependOnClassesThat()
            .resideInAPackage("io.rxe.cm.."));
    }

    @Test
    @DisplayName("the wire knows only the wire, and what packets are kept in knows only bytes")
    void theWireKnowsOnlyTheWire() {
        holds(noClasses().that().resideInAnyPackage("io.rxe.wire..", "io.rxe.ring..", "io.rxe.time..", "io.rxe.memory..").should()
            .dependOnClassesThat().resideInAnyPackage("io.rxe.port..", "io.rxe.counters..", "io.rxe.capture.."));
    }

    @Test
    @DisplayName("the three machines of a queue pair do not see each other")
    void theMachinesDoNotSeeEachOther() {
        String[] machines = {"requester", "responder", "completer"};
        for (String machine : machines) {
            for (String other : machines) {
                if (!machine.equals(other)) {
                    holds(noClasses().that().resideInAPackage("io.rxe.qp." + machine).should().dependOnClassesThat()
                        .resideInAPackage("io.rxe.qp." + other));
                }
            }
        }
        holds(noClasses().that().resideInAPackage("io.rxe.qp").should().dependOnClassesThat()
            .resideInAnyPackage("io.rxe.qp.requester", "io.rxe.qp.responder", "io.rxe.qp.completer"));
    }

    @Test
    @DisplayName("no package depends on itself through others")
    void thereAreNoCycles() {
        holds(slices().matching("io.rxe.(**)").should().beFreeOfCycles());
    }
}
