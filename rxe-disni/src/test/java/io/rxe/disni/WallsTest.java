package io.rxe.disni;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class WallsTest {
    private static final JavaClasses CLASSES = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
        .withImportOption(new ImportOption.DoNotIncludeJars()).importPackages("io.rxe.disni", "com.ibm.disni");

    @Test
    @DisplayName("the provider uses the verbs, connection management and a NIC: nothing here reaches below")
    void usesVerbsAndNet() {
        assertTrue(CLASSES.size() > 20, () -> "only " + CLASSES.size() + " classes were found");
        noClasses().should().dependOnClassesThat().resideInAnyPackage("io.rxe.device..", "io.rxe.qp..", "io.rxe.ring..", "io.rxe.memory..",
            "io.rxe.net.socket..", "io.rxe.net.observe..", "io.rxe.cm.exchange..").check(CLASSES);
    }

    @Test
    @DisplayName("the classes that take the place of DiSNI's hold no code of their own")
    void replacementsAreThin() {
        classes().that().resideInAPackage("com.ibm.disni..").should().onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "com.ibm.disni..", "io.rxe.disni", "org.agrona").check(CLASSES);
    }
}
