package io.rxe.tools.run;

import io.rxe.ibverbs.NativeLibrary;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Where the library that is preloaded lies: beside the jars it belongs to, or, where those belong to another user, in the user's cache. */
final class LibraryFolder {
    private LibraryFolder() {
    }

    /** Builds the library on first use. */
    static Path library() throws IOException {
        // Absolute: the program may run in another folder.
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toAbsolutePath().toString()).collect(Collectors.joining(File.pathSeparator));
        Path jars = Path.of(classPath.split(File.pathSeparator)[0]).getParent();
        int version = Runtime.version().feature();
        Path archive = jars.resolve("java-" + version + ".jsa");
        Path folder = jars.resolve("ibverbs-" + version);
        if (!Files.isReadable(folder.resolve(NativeLibrary.NAME)) && !Files.isWritable(jars)) {
            folder = cache().resolve("ibverbs-" + version + "-" + Integer.toHexString(classPath.hashCode()));
        }
        return NativeLibrary.build(folder, classPath, Files.isReadable(archive) ? archive : null);
    }

    private static Path cache() {
        String chosen = System.getenv("XDG_CACHE_HOME");
        Path caches = chosen == null || chosen.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(chosen);
        return caches.resolve("rxe");
    }
}
