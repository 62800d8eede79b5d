package io.rxe.net;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The walls between the rooms of rxe-net; its package-info.java draws them. */
@Tag("once")
class WallsTest {
    private static final JavaClasses NET = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
        .withImportOption(location -> !location.contains("/test-classes/")).importPackages("io.rxe.net");
    private static final List<String> ROOMS = List.of("io.rxe.net.socket", "io.rxe.net.observe", "io.rxe.net.fault", "io.rxe.net.drive",
        "io.rxe.net.host");

    private static void holds(ArchRule rule) {
        rule.check(NET);
    }

    @Test
    @DisplayName("the rooms are those the drawing shows")
    void theRoomsAreKnown() {
        Set<String> packages = NET.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
        assertEquals(Stream.concat(ROOMS.stream(), Stream.of("io.rxe.net", "io.rxe.net.port", "io.rxe.net.process"))
            .collect(Collectors.toSet()), packages);
        assertTrue(NET.size() > 40, () -> "only " + NET.size() + " classes were found");
    }

    @Test
    @DisplayName("imports go down: port < socket, observe, fault < drive < net; the three do not see each other, and host sees nobody")
    void importsGoDown() {
        holds(noClasses().that().resideInAPackage("io.rxe.net.port").should().dependOnClassesThat()
            .resideInAnyPackage(Stream.concat(ROOMS.stream(), Stream.of("io.rxe.net")).toArray(String[]::new)));
        for (String room : ROOMS) {
            Set<String> below = room.equals("io.rxe.net.drive") ? Set.of("io.rxe.net.socket", "io.rxe.net.observe") : Set.of();
            holds(noClasses().that().resideInAPackage(room).should().dependOnClassesThat().resideInAnyPackage(Stream.concat(
                ROOMS.stream().filter(other -> !other.equals(room) && !below.contains(other)), Stream.of("io.rxe.net"))
                .toArray(String[]::new)));
        }
        holds(noClasses().that().resideInAPackage("io.rxe.net.host").should().dependOnClassesThat().resideInAPackage("io.rxe.net.port"));
        holds(slices().matching("io.rxe.(**)").should().beFreeOfCycles());
    }

    @Test
    @DisplayName("no sun.misc.Unsafe: of JCTools only the atomic queues, which newer versions of Java let run without a warning")
    void noUnsafe() {
        holds(noClasses().should().dependOnClassesThat().resideInAnyPackage("sun.misc..", "jdk.internal..", "org.jctools.maps..",
            "org.jctools.util..", "org.jctools.counters..", "org.jctools.queues", "org.jctools.queues.unpadded.."));
    }

    @Test
    @DisplayName("the NIC makes no fault by itself: net does not see fault")
    void theNicMakesNoFaults() {
        holds(noClasses().that().resideInAPackage("io.rxe.net").should().dependOnClassesThat().resideInAPackage("io.rxe.net.fault"));
    }

    @Test
    @DisplayName("faults and observation know no socket, and observation reaches no way to send but the port it wraps")
    void onlySocketKnowsSockets() {
        String[] sockets = {"io.netty.channel.epoll..", "io.netty.channel.unix..", "io.netty.channel.socket..", "java.net.."};
        holds(noClasses().that().resideInAnyPackage("io.rxe.net.port", "io.rxe.net.observe", "io.rxe.net.fault").should()
            .dependOnClassesThat().resideInAnyPackage(sockets));
        holds(noClasses().that().resideInAPackage("io.rxe.net.observe").should().dependOnClassesThat()
            .haveFullyQualifiedName("io.rxe.port.PacketSink"));
        holds(noClasses().that().resideInAPackage("io.rxe.net.observe").and().doNotImplement("io.rxe.net.port.UdpPort").should()
            .callMethodWhere(target(
                name("send"))));
    }

    @Test
    @DisplayName("an engine is known by its contract only where it is driven; no room sees queue pairs")
    void onlyTheLoopSeesTheEngine() {
        holds(noClasses().that().resideInAnyPackage("io.rxe.net.port", "io.rxe.net.socket", "io.rxe.net.fault").should()
            .dependOnClassesThat().resideInAnyPackage("io.rxe.device..", "io.rxe.cm.."));
        holds(noClasses().that().resideInAPackage("io.rxe.net.drive").should().dependOnClassesThat().resideInAPackage("io.rxe.device.."));
        holds(noClasses().should().dependOnClassesThat().resideInAnyPackage("io.rxe.qp.."));
    }

    @Test
    @DisplayName("what applications call names no class of an inner room")
    void applicationsSeeNoInnerRoom() {
        holds(methods().that().arePublic().and().areDeclaredInClassesThat().arePublic().and().areDeclaredInClassesThat()
            .resideInAnyPackage("io.rxe.net", "io.rxe.net.port", "io.rxe.net.fault").should(namePublicRoomsOnly()));
    }

    @Test
    @DisplayName("a buffer of which native code has only the address stays reachable until the call returns")
    void buffersStayReachable() {
        holds(methods().that(callMethod(BufferUtil.class, "address")).should(callTheFence()));
    }

    private static DescribedPredicate<JavaMethod> callMethod(Class<?> owner, String name) {
        return DescribedPredicate.describe("call " + owner.getSimpleName() + "." + name, method -> method.getMethodCallsFromSelf().stream()
            .anyMatch(call -> call.getTargetOwner().isEquivalentTo(owner) && call.getName().equals(name)));
    }

    private static ArchCondition<JavaMethod> callTheFence() {
        return ArchCondition.from(callMethod(Reference.class, "reachabilityFence"));
    }

    private static ArchCondition<JavaMethod> namePublicRoomsOnly() {
        return new ArchCondition<>("take and return only classes of public rooms") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                Stream.concat(method.getRawParameterTypes().stream(), Stream.of(method.getRawReturnType()))
                    .filter(resideInAnyPackage(ROOMS.stream().filter(room -> !room.equals("io.rxe.net.fault")).toArray(String[]::new)))
                    .forEach(type -> events.add(SimpleConditionEvent.violated(method, method.getFullName() + " names " + type.getName())));
            }
        };
    }
}
