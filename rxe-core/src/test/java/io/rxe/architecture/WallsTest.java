package io.rxe.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.core.domain.JavaModifier.VOLATILE;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.rxe.memory.ScatterGatherList;
import io.rxe.port.Flow;
import io.rxe.port.RangeFaults;
import io.rxe.ring.SharedEnd;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.Device;
import io.rxe.wire.Gid;
import io.rxe.wire.Transport;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The walls of the core: no I/O, clock, randomness or threads, imports only go down, and each package knows only what it must. */
@Tag("once")
class WallsTest {
    private static final JavaClasses CORE = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
        .withImportOption(location -> location.contains("rxe-core") || location.contains("/target/classes/")).importPackages("io.rxe");

    private static void holds(ArchRule rule) {
        rule.check(CORE);
    }

    @Test
    @DisplayName("the classes of the core were found")
    void theCoreWasImported() {
        assertTrue(CORE.size() > 100, () -> "only " + CORE.size() + " classes were found");
    }

    @Test
    @DisplayName("the core uses no network, no channel, no Netty")
    void noInputOrOutput() {
        holds(noClasses().should().dependOnClassesThat().resideInAnyPackage("io.netty..", "java.net..", "java.nio.channels.."));
    }

    @Test
    @DisplayName("no sun.misc.Unsafe: of JCTools only the atomic queues, which newer versions of Java let run without a warning")
    void noUnsafe() {
        holds(noClasses().should().dependOnClassesThat().resideInAnyPackage("sun.misc..", "jdk.internal..", "org.jctools.maps..",
            "org.jctools.util..", "org.jctools.counters..", "org.jctools.queues", "org.jctools.queues.unpadded.."));
    }

    @Test
    @DisplayName("the core starts no thread, and its engine's side does not ask which one it is on")
    void noThreads() {
        // One class of the application's side spins, gives up the processor for another application thread, and knows its own.
        holds(noClasses().that().doNotHaveFullyQualifiedName(SharedEnd.class.getName())
            .should().dependOnClassesThat().haveFullyQualifiedName("java.lang.Thread"));
        Set<String> harmless = Set.of("yield", "onSpinWait", "currentThread");
        holds(noClasses().should().callMethodWhere(describe("more is asked of a thread than a pause and which it is",
            call -> call.getTargetOwner().isEquivalentTo(Thread.class) && !harmless.contains(call.getName()))));
        holds(noClasses().should().callConstructorWhere(describe("a thread is made",
            call -> call.getTargetOwner().isEquivalentTo(Thread.class))));
        holds(noClasses().should().dependOnClassesThat().haveNameMatching("java\\.util\\.concurrent\\.(Executor.*|Timer.*|.*Executor.*)"));
    }

    @Test
    @DisplayName("the core has no clock")
    void noClock() {
        // One class of the application's side measures how long one of the application's threads still has to wait.
        holds(noClasses().that().doNotHaveFullyQualifiedName(CompletionChannel.class.getName())
            .should().callMethod(System.class, "nanoTime"));
        holds(noClasses().should().callMethod(System.class, "currentTimeMillis"));
        holds(noClasses().should().dependOnClassesThat().resideInAnyPackage("java.time.."));
    }

    @Test
    @DisplayName("the core has no random generator of its own")
    void noRandomness() {
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
    @DisplayName("imports go down: verbs < qp < device < cm, above wire, ring, memory, counters, time, port, capture")
    void importsGoDown() {
        holds(noClasses().that().resideInAPackage("io.rxe.verbs..").should().dependOnClassesThat()
            .resideInAnyPackage("io.rxe.qp..", "io.rxe.device..", "io.rxe.cm.."));
        holds(noClasses().that().resideInAPackage("io.rxe.qp..").should().dependOnClassesThat()
            .resideInAnyPackage("io.rxe.device..", "io.rxe.cm.."));
        holds(noClasses().that().resideInAPackage("io.rxe.device..").should().dependOnClassesThat()
            .resideInAPackage("io.rxe.cm.."));
    }

    @DisplayName("what a package at the bottom may use of the core")
    @ParameterizedTest(name = "{0} uses {1}")
    @CsvSource({"wire, nothing", "ring, nothing", "time, nothing", "memory, port", "port, wire or time", "capture, wire",
        "counters, wire or port"})
    void thePackagesAtTheBottomUse(String name, String used) {
        DescribedPredicate<JavaClass> others = resideInAPackage("io.rxe..")
            .and(not(resideInAPackage("io.rxe." + name)));
        for (String one : used.split(" or ")) {
            others = others.and(not(resideInAPackage("io.rxe." + one)));
        }
        holds(noClasses().that().resideInAPackage("io.rxe." + name).should().dependOnClassesThat(others));
    }

    @Test
    @DisplayName("the wire is stateless: only Icrc and PacketPrinter have fields, all other fields are constants")
    void theWireIsStateless() {
        holds(fields().that().areDeclaredInClassesThat().resideInAPackage("io.rxe.wire")
            .and().areDeclaredInClassesThat().haveNameNotMatching(".*\\.(Icrc|PacketPrinter)(\\$.*)?").should().beFinal());
        holds(fields().that().areDeclaredInClassesThat().resideInAPackage("io.rxe.wire")
            .and().areDeclaredInClassesThat().haveNameNotMatching(".*\\.(Icrc|PacketPrinter)(\\$.*)?")
            .and().areDeclaredInClassesThat().areNotEnums().and().areDeclaredInClassesThat().areNotRecords().should().beStatic());
    }

    @Test
    @DisplayName("the port is interfaces and immutable values")
    void thePortHasNoState() {
        holds(fields().that().areDeclaredInClassesThat().resideInAPackage("io.rxe.port").should().beFinal());
    }

    @Test
    @DisplayName("the public API shows applications no packet: of the core it uses Gid, Transport, Flow, RangeFaults and ScatterGatherList")
    void theVerbsShowNoPacket() {
        holds(noClasses().that().resideInAPackage("io.rxe.verbs").should().dependOnClassesThat(
            resideInAPackage("io.rxe..")
                .and(not(resideInAPackage("io.rxe.verbs")))
                .and(not(belongToAnyOf(Gid.class, Transport.class, Flow.class, RangeFaults.class, ScatterGatherList.class)))));
    }

    @Test
    @DisplayName("applications reach a queue pair, a region or a queue only through the interfaces of the verbs")
    void implementationsOfTheVerbsAreHidden() {
        holds(classes().that().resideInAPackage("io.rxe.device").and().implement(resideInAPackage("io.rxe.verbs"))
            .and().areNotAssignableTo(Device.class).should().bePackagePrivate());
    }

    @Test
    @DisplayName("an engine knows no resource of its device, only that it has one")
    void enginesKnowNoResource() {
        holds(noClasses().that().haveNameMatching("io\\.rxe\\.device\\.(Engine|Gsi|PacketAdmission|QueuePairTable|GroupMembers).*")
            .should().dependOnClassesThat().haveNameMatching("io\\.rxe\\.device\\.Nic(?!Config|Progress).*"));
    }

    @Test
    @DisplayName("connection management uses queue pairs through the verbs, and packets not at all")
    void connectionManagementUsesTheVerbs() {
        holds(noClasses().that().resideInAPackage("io.rxe.cm..").should().dependOnClassesThat()
            .resideInAnyPackage("io.rxe.qp..", "io.rxe.ring..", "io.rxe.memory..", "io.rxe.capture.."));
    }

    @Test
    @DisplayName("no method holds a lock for as long as it runs, so no verb can hold one while it waits for an engine; no lock object")
    void noEngineLocks() {
        holds(noMethods().should().haveModifier(SYNCHRONIZED));
        holds(noClasses().should().dependOnClassesThat().resideInAPackage("java.util.concurrent.locks"));
    }

    @Test
    @DisplayName("the machines of a queue pair and the send side belong to one thread: nothing volatile, atomic or concurrent")
    void theMachinesBelongToOneThread() {
        String[] packages = {"io.rxe.qp.requester", "io.rxe.qp.responder", "io.rxe.qp.completer", "io.rxe.qp.send"};
        holds(noClasses().that().resideInAnyPackage(packages).should().dependOnClassesThat()
            .resideInAnyPackage("java.util.concurrent..", "java.lang.invoke", "org.jctools.."));
        holds(noFields().that().areDeclaredInClassesThat().resideInAnyPackage(packages).should()
            .haveModifier(VOLATILE));
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
    }

    @Test
    @DisplayName("the responder never sees the send side; shared state sees no machine; nothing below sees the queue pair")
    void theResponderNeverSeesTheSendSide() {
        holds(noClasses().that().resideInAPackage("io.rxe.qp.responder").should().dependOnClassesThat()
            .resideInAPackage("io.rxe.qp.send"));
        holds(noClasses().that().resideInAnyPackage("io.rxe.qp.context", "io.rxe.qp.send").should().dependOnClassesThat()
            .resideInAnyPackage("io.rxe.qp.requester", "io.rxe.qp.responder", "io.rxe.qp.completer"));
        holds(noClasses().that().resideInAPackage("io.rxe.qp.(*)").should().dependOnClassesThat().resideInAPackage("io.rxe.qp"));
    }

    @Test
    @DisplayName("no package depends on itself through others")
    void thereAreNoCycles() {
        holds(slices().matching("io.rxe.(**)").should().beFreeOfCycles());
    }
}
