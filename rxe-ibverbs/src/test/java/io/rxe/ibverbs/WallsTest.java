package io.rxe.ibverbs;

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
        .importPackages("io.rxe.ibverbs");

    @Test
    @DisplayName("programs use the verbs and open a NIC: nothing here reaches below")
    void usesVerbsAndNet() {
        assertTrue(CLASSES.size() > 15, () -> "only " + CLASSES.size() + " classes were found");
        noClasses().should().dependOnClassesThat().resideInAnyPackage("io.rxe.device..", "io.rxe.qp..", "io.rxe.ring..", "io.rxe.memory..",
            "io.rxe.net.socket..", "io.rxe.net.observe..").check(CLASSES);
    }
}
