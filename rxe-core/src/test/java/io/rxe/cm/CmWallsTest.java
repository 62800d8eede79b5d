package io.rxe.cm;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.rxe.cm.exchange.CmExchange;
import io.rxe.cm.exchange.ConnectionExchange;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The walls of connection management: API, state machines, messages; dependencies point down. */
@Tag("once")
class CmWallsTest {
    private static final JavaClasses CM =
        new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.rxe.cm");

    private static void holds(ArchRule rule) {
        rule.check(CM);
    }

    @Test
    @DisplayName("the three packages hold classes")
    void thePackagesHoldClasses() {
        for (String name : new String[] {"io.rxe.cm", "io.rxe.cm.exchange", "io.rxe.cm.mad"}) {
            long count = CM.stream().filter(type -> type.getPackageName().equals(name)).count();
            assertTrue(count > 8, () -> "only " + count + " classes in " + name);
        }
    }

    @Test
    @DisplayName("the machines do not see the API")
    void machinesDoNotSeeTheApi() {
        holds(noClasses().that().resideInAPackage("io.rxe.cm.exchange").should().dependOnClassesThat().resideInAPackage("io.rxe.cm"));
    }

    @Test
    @DisplayName("the machines touch no queue pair: they say what to set in one")
    void machinesTouchNoQueuePair() {
        holds(noClasses().that().resideInAPackage("io.rxe.cm.exchange").should().dependOnClassesThat()
            .areAssignableTo(QueuePair.class));
        holds(noClasses().that().resideInAPackage("io.rxe.cm.exchange").should().dependOnClassesThat()
            .areAssignableTo(CompletionQueue.class));
    }

    @Test
    @DisplayName("messages see only messages and the wire")
    void messagesSeeOnlyTheWire() {
        holds(classes().that().resideInAPackage("io.rxe.cm.mad").should().onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.agrona..", "io.rxe.wire", "io.rxe.cm.mad"));
    }

    @Test
    @DisplayName("an exchange sees what exchanges share, not the core that drives it or another machine")
    void exchangesDoNotSeeEachOther() {
        DescribedPredicate<JavaClass> machine = DescribedPredicate.describe("machines",
            type -> type.isAssignableTo(CmExchange.class) && !type.isEquivalentTo(CmExchange.class)
                && !type.isEquivalentTo(ConnectionExchange.class));
        DescribedPredicate<JavaClass> core = DescribedPredicate.describe("the core",
            type -> type.getSimpleName().equals("CmCore") || type.getSimpleName().equals("ReqHandler"));
        holds(noClasses().that().areAssignableTo(CmExchange.class).should().dependOnClassesThat(core));
        for (JavaClass one : CM.that(machine)) {
            DescribedPredicate<JavaClass> others = DescribedPredicate.describe("another machine",
                type -> machine.test(type) && !type.isEquivalentTo(one.reflect()));
            holds(noClasses().that().areAssignableTo(one.reflect()).should().dependOnClassesThat(others));
        }
    }

    @Test
    @DisplayName("the error messages are made of values")
    void errorMessagesAreMadeOfValues() {
        holds(noClasses().that().haveSimpleName("CmErrorMessages").should().dependOnClassesThat().areAssignableTo(CmExchange.class));
    }

    @Test
    @DisplayName("no class depends on itself through others, but an exchange with its context and a connection with its two machines")
    void thereAreNoCircles() {
        holds(slices().assignedFrom(new Pairs()).should().beFreeOfCycles());
    }

    /** Each top-level class is a slice of its own; a parent and its children are one slice. */
    private static final class Pairs implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getName().replaceFirst("\\$.*", "").replaceFirst(".*\\.", "");
            return SliceIdentifier.of(switch (name) {
                case "ExchangeContext" -> "CmExchange";
                case "TeardownMachine", "PathLoader" -> "ConnectionExchange";
                default -> name;
            });
        }

        @Override
        public String getDescription() {
            return "classes of connection management";
        }
    }
}
