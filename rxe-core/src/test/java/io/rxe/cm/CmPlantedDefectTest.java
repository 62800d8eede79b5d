package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.loading.ByteArrayClassLoader;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tests of hostile messages notice what they are for: each fails with its defect planted alone, and passes without it. */
class CmPlantedDefectTest {
    private static final ClassLoader PARENT = CmPlantedDefectTest.class.getClassLoader();
    private static final Map<String, byte[]> CLASSES = new HashMap<>();

    static {
        Stream.of(CmPlantedDefectTest.class, CmConnection.class).forEach(CmPlantedDefectTest::addClassesBeside);
    }

    /** Adds the classes of the directory a class was loaded from, the same for production and test classes. */
    private static void addClassesBeside(Class<?> one) {
        Path root = Path.of(URI.create(one.getProtectionDomain().getCodeSource().getLocation().toString()));
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
                String name = root.relativize(file).toString().replace('/', '.');
                CLASSES.put(name.substring(0, name.length() - ".class".length()), Files.readAllBytes(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] plant(CmDefect defect) {
        ClassFileLocator files = ClassFileLocator.ForClassLoader.of(PARENT);
        TypePool types = TypePool.Default.of(files);
        TypeDescription target = types.describe(defect.className).resolve();
        ElementMatcher<MethodDescription> method = ElementMatchers.named(defect.methodName);
        assertFalse(target.getDeclaredMethods().filter(method).isEmpty(), () -> defect.className + "." + defect.methodName
            + " no longer exists: change CmDefect to the method that took over its code");
        AsmVisitorWrapper visitor = defect.omitted == null
            ? Advice.to(types.describe(defect.advice.getName()).resolve(), files).on(method)
            : MemberSubstitution.relaxed().method(ElementMatchers.named(defect.omitted)).stub().on(method);
        return new ByteBuddy().redefine(target, files).visit(visitor).make().getBytes();
    }

    /** Runs a test method on classes loaded again, one of them changed. */
    private static void run(CmDefect defect, boolean isPlanted) throws ReflectiveOperationException {
        Map<String, byte[]> classes = new HashMap<>(CLASSES);
        if (isPlanted) {
            classes.put(defect.className, plant(defect));
        }
        Class<?> test = new ByteArrayClassLoader.ChildFirst(PARENT, classes).loadClass(defect.test.getName());
        Constructor<?> constructor = test.getDeclaredConstructor();
        constructor.setAccessible(true);
        Method method = test.getDeclaredMethod(defect.testMethod);
        method.setAccessible(true);
        method.invoke(constructor.newInstance());
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(CmDefect.class)
    void aPlantedDefectIsNoticed(CmDefect defect) throws ReflectiveOperationException {
        run(defect, false);
        InvocationTargetException failure = assertThrows(InvocationTargetException.class, () -> run(defect, true),
            () -> "not noticed: " + defect.sentence);
        assertInstanceOf(AssertionError.class, failure.getCause(), defect.sentence);
        System.out.println("defect " + defect + " (" + defect.sentence + ") noticed: " + failure.getCause().getMessage());
    }
}
