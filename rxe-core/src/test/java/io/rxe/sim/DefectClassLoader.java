package io.rxe.sim;

import java.io.IOException;
import java.io.InputStream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/** Loads every class of io.rxe again, one of them with a {@link Defect}, so that the defect stays inside this loader. */
final class DefectClassLoader extends ClassLoader {
    private static final String OURS = "io.rxe.";

    private final Defect defect;

    DefectClassLoader(Defect defect) {
        super(DefectClassLoader.class.getClassLoader());
        this.defect = defect;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] bytes = name.equals(defect.className) ? plant() : read(name);
                loaded = defineClass(name, bytes, 0, bytes.length);
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    private byte[] read(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] plant() {
        ClassFileLocator files = ClassFileLocator.ForClassLoader.of(getParent());
        TypeDescription target = TypePool.Default.of(files).describe(defect.className).resolve();
        if (target.getDeclaredMethods().filter(ElementMatchers.named(defect.methodName)).isEmpty()) {
            throw new IllegalStateException(defect + " is for " + defect.className + "." + defect.methodName
                + ", which no longer exists: change Defect to the method that took over its code");
        }
        return new ByteBuddy().redefine(target, files).visit(visitor(files)).make().getBytes();
    }

    private AsmVisitorWrapper visitor(ClassFileLocator files) {
        ElementMatcher<MethodDescription> method = ElementMatchers.named(defect.methodName);
        if (defect.omitted != null) {
            return MemberSubstitution.relaxed().method(ElementMatchers.named(defect.omitted)).stub().on(method);
        }
        return Advice.to(TypePool.Default.of(files).describe(defect.advice.getName()).resolve(), files).on(method);
    }
}
