package io.rxe.connect;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The wall around io.rxe.connect; its package-info.java draws it. */
@Tag("once")
class ConnectWallsTest {
    private static final JavaClasses CLASSES = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
        .withImportOption(location -> !location.contains("/test-classes/")).importPackages("io.rxe.connect");

    @Test
    @DisplayName("connect is built on the public API alone: RxeNic, verbs and cm")
    void onlyThePublicApi() {
        assertTrue(CLASSES.contain(RxeConnection.class));
        classes().that().resideInAPackage("io.rxe.connect").should().onlyDependOnClassesThat()
            .resideInAnyPackage("io.rxe.connect", "io.rxe.net", "io.rxe.verbs", "io.rxe.cm", "io.rxe.wire", "java..").check(CLASSES);
    }
}
