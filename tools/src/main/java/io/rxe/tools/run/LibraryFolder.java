package io.rxe.tools.run;

import io.rxe.ibverbs.NativeLibrary;
import io.rxe.ibverbs.ProgramStart;
import io.rxe.net.observe.CounterFolder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Where the library that is preloaded lies: beside the jars of {@code tools/rxe} where those belong to this user, else in its cache.
 * Never where others may write, such as beside a jar in {@code /tmp}, and not where the loader cannot find it.
 */
public final class LibraryFolder {
    private LibraryFolder() {
    }

    /**
     * Makes the library on first use.
     *
     * @param note gets a sentence when that takes a compiler although the jar has a library.
     */
    public static Path library(Consumer<String> note) throws IOException {
        // Absolute: the program may run in another folder.
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toAbsolutePath().toString()).collect(Collectors.joining(File.pathSeparator));
        Path jars = Path.of(classPath.split(File.pathSeparator)[0]).getParent();
        int version = Runtime.version().feature();
        Path archive = jars.resolve("java-" + version + ".jsa");
        Path folder = !classPath.contains(File.pathSeparator) || !Files.isWritable(jars)
            || Files.getPosixFilePermissions(jars).contains(PosixFilePermission.OTHERS_WRITE)
            || !ProgramStart.isPreloadable(jars)
            ? cache().resolve("ibverbs-" + version + "-" + Integer.toHexString(classPath.hashCode()))
            : jars.resolve("ibverbs-" + version);
        return NativeLibrary.build(folder, classPath, Files.isReadable(archive) ? archive : null, note);
    }

    private static Path cache() throws IOException {
        String chosen = System.getenv("XDG_CACHE_HOME");
        Path caches = chosen == null || chosen.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(chosen);
        Path folder = caches.resolve("rxe");
        // Users of services have no home, where it cannot be made; to Java 17 the home of a user without a name is "?".
        return folder.isAbsolute() && (folder.toFile().mkdirs() || Files.isWritable(folder)) && ProgramStart.isPreloadable(folder) ? folder
            : CounterFolder.prepare();
    }
}
