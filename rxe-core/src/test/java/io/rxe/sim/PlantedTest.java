package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
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
import org.junit.jupiter.api.BeforeEach;

/**
 * A test method, with what runs before each of its class, that runs on classes loaded again, one of them with a defect.
 *
 * @param test       class of the test.
 * @param testMethod without parameters.
 * @param className  class to change.
 * @param methodName method to change.
 * @param advice     woven into the method, or null.
 * @param omitted    name of a method whose calls in there are left out, or null.
 */
public record PlantedTest(Class<?> test, String testMethod, String className, String methodName, Class<?> advice, String omitted) {
    private static final ClassLoader PARENT = PlantedTest.class.getClassLoader();
    private static final Map<String, byte[]> CLASSES = new HashMap<>();

    static {
        Stream.of(PlantedTest.class, io.rxe.wire.Psn.class).forEach(PlantedTest::addClassesBeside);
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

    private byte[] plant() {
        ClassFileLocator files = ClassFileLocator.ForClassLoader.of(PARENT);
        TypePool types = TypePool.Default.of(files);
        TypeDescription target = types.describe(className).resolve();
        ElementMatcher<MethodDescription> method = ElementMatchers.named(methodName);
        assertFalse(target.getDeclaredMethods().filter(method).isEmpty(), () -> className + "." + methodName
            + " no longer exists: change the defect to the method that took over its code");
        AsmVisitorWrapper visitor = omitted == null ? Advice.to(types.describe(advice.getName()).resolve(), files).on(method)
            : MemberSubstitution.relaxed().method(ElementMatchers.named(omitted)).stub().on(method);
        return new ByteBuddy().redefine(target, files).visit(visitor).make().getBytes();
    }

    /** Runs the test method, which throws what it finds as the cause of an InvocationTargetException. */
    public void run(boolean isPlanted) throws ReflectiveOperationException {
        Map<String, byte[]> classes = new HashMap<>(CLASSES);
        if (isPlanted) {
            classes.put(className, plant());
        }
        Class<?> loaded = new ByteArrayClassLoader.ChildFirst(PARENT, classes).loadClass(test.getName());
        Constructor<?> constructor = loaded.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object instance = constructor.newInstance();
        for (Method method : loaded.getDeclaredMethods()) {
            if (method.isAnnotationPresent(BeforeEach.class)) {
                invoke(method, instance);
            }
        }
        invoke(loaded.getDeclaredMethod(testMethod), instance);
    }

    private static void invoke(Method method, Object instance) throws ReflectiveOperationException {
        method.setAccessible(true);
        method.invoke(instance);
    }
}
