package io.rxe.tools;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The walls of the command line: commands share {@code cli}, {@code terminal} and {@code side}, and do not use each other. */
@Tag("once")
class WallsTest {
    private static final String ROOT = "io.rxe.tools";
    private static final String[] COMMANDS = {"dump", "loopback", "perftest", "pingpong", "rping", "run", "stat"};
    private static final JavaClasses TOOLS = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages(ROOT);

    private static void holds(ArchRule rule) {
        rule.check(TOOLS);
    }

    private static String[] packages(String... names) {
        return Arrays.stream(names).map(name -> ROOT + "." + name + "..").toArray(String[]::new);
    }

    @Test
    @DisplayName("every command's package exists and has classes")
    void everyPackageHasClasses() {
        for (String command : COMMANDS) {
            assertTrue(TOOLS.stream().anyMatch(type -> type.getPackageName().equals(ROOT + "." + command)), command);
        }
    }

    @Test
    @DisplayName("commands do not use each other")
    void commandsDoNotUseEachOther() {
        for (String command : COMMANDS) {
            String[] others = Arrays.stream(COMMANDS).filter(other -> !other.equals(command)).toArray(String[]::new);
            holds(noClasses().that().resideInAnyPackage(packages(command)).should().dependOnClassesThat()
                .resideInAnyPackage(packages(others)));
        }
    }

    @Test
    @DisplayName("what commands share uses no command; the terminal uses nothing of rxe")
    void sharedCodeUsesNoCommand() {
        holds(noClasses().that().resideInAnyPackage(packages("cli", "terminal", "side", "flow", "sequence")).should().dependOnClassesThat()
            .resideInAnyPackage(packages(COMMANDS)));
        holds(noClasses().that().resideInAnyPackage(packages("terminal")).should().dependOnClassesThat(
            resideInAPackage("io.rxe..").and(not(resideInAnyPackage(packages("terminal"))))));
    }

    @Test
    @DisplayName("nothing uses the root of the command line")
    void nothingUsesTheRoot() {
        holds(noClasses().that().resideOutsideOfPackage(ROOT).should().dependOnClassesThat().resideInAPackage(ROOT));
    }

    @Test
    @DisplayName("dump reads captures without the NIC's code: headers and message layouts only")
    void dumpUsesNothingOfTheNic() {
        holds(noClasses().that().resideInAnyPackage(packages("dump", "flow", "sequence")).should().dependOnClassesThat()
            .resideInAnyPackage("io.rxe.verbs..", "io.rxe.qp..", "io.rxe.device..", "io.rxe.cm", "io.rxe.net.."));
    }

    @Test
    @DisplayName("no command reaches below the verbs; of the device it reads counters and GID only")
    void noCommandReachesBelowTheVerbs() {
        holds(noClasses().should().dependOnClassesThat().resideInAnyPackage("io.rxe.qp..", "io.rxe.ring.."));
        holds(noClasses().should().dependOnClassesThat(resideInAPackage("io.rxe.device..").and(not(simpleName("Nic")))));
    }

    @Test
    @DisplayName("no package depends on itself through others")
    void thereAreNoCycles() {
        holds(slices().matching("io.rxe.tools.(**)").should().beFreeOfCycles());
    }
}
