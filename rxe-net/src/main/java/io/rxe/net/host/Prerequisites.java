package io.rxe.net.host;

import java.io.IOException;
import java.security.CodeSource;

/**
 * Checks what a NIC needs of Java and of its libraries before a class that needs it is linked. Otherwise the first use ends with an
 * IllegalAccessError or NoSuchMethodError, which names no remedy. Names classes as text, so that it links where they are missing.
 */
public final class Prerequisites {
    private static final String INTERNAL_PACKAGE = "jdk.internal.misc";
    private static final String AGRONA_CLASS = "org.agrona.concurrent.AtomicBuffer";
    private static final String NETTY_CLASS = "io.netty.channel.EventLoopGroup";

    private Prerequisites() {
    }

    /**
     * Checks the versions of Netty and Agrona, and that Agrona may use jdk.internal.misc.
     *
     * @throws IOException that names what was found and the remedy.
     */
    public static void require() throws IOException {
        requireNetty42();
        requireAccess(requireAgrona2());
    }

    private static void requireNetty42() throws IOException {
        Class<?> known = find(NETTY_CLASS);
        if (find("io.netty.channel.MultiThreadIoEventLoopGroup") == null) {
            throw new IOException("rxe needs Netty 4.2, here is " + described(known, "none") + ": put io.netty:netty-bom of version 4.2"
                + " before what else manages Netty (in Spring Boot: the property netty.version)");
        }
        if (find("io.netty.channel.epoll.LinuxSocket") == null) {
            throw new IOException("rxe needs Netty's epoll transport: add io.netty:netty-transport-classes-epoll, version 4.2");
        }
    }

    private static Class<?> requireAgrona2() throws IOException {
        Class<?> buffer = find(AGRONA_CLASS);
        if (buffer == null || !hasOrderedStore(buffer)) {
            throw new IOException("rxe needs Agrona 2, here is " + described(buffer, "none")
                + ": manage org.agrona:agrona to version 2");
        }
        return buffer;
    }

    /** Agrona 2 renamed its ordered stores. */
    private static boolean hasOrderedStore(Class<?> buffer) {
        try {
            buffer.getMethod("putLongRelease", int.class, long.class);
            return true;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    private static void requireAccess(Class<?> agrona) throws IOException {
        Module module = agrona.getModule();
        if (!Object.class.getModule().isExported(INTERNAL_PACKAGE, module)) {
            String option = "--add-exports java.base/" + INTERNAL_PACKAGE + "=";
            throw new IOException("Agrona may not use " + INTERNAL_PACKAGE + " in this Java: start it with " + (module.isNamed()
                ? option + module.getName()
                : option + "ALL-UNNAMED, or put Add-Exports: java.base/" + INTERNAL_PACKAGE
                    + " into the manifest of the jar that java -jar starts"));
        }
    }

    private static Class<?> find(String name) {
        try {
            return Class.forName(name, false, Prerequisites.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /** The file a class is from: its name has the version. */
    private static String described(Class<?> found, String otherwise) {
        if (found == null) {
            return otherwise;
        }
        CodeSource source = found.getProtectionDomain().getCodeSource();
        return source == null || source.getLocation() == null ? found.getModule().toString() : source.getLocation().getPath();
    }
}
