package io.rxe.ibverbs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The C half as the build of this module has compiled it, a resource for each processor: for systems without a C compiler. */
final class PrebuiltLibrary {
    /** The processors as Java names them, and their prefixes of cross compilers. */
    private static final Map<String, String> PROCESSORS = Map.of("amd64", "x86_64", "aarch64", "aarch64");
    private static final String OWN = System.getProperty("os.arch");

    private PrebuiltLibrary() {
    }

    /** The library for this processor; empty when the build had no compiler for it. */
    static Optional<byte[]> find() throws IOException {
        try (InputStream in = PrebuiltLibrary.class.getResourceAsStream(resource(OWN))) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        }
    }

    private static String resource(String processor) {
        return "prebuilt/" + processor + "/" + NativeLibrary.NAME;
    }

    /**
     * For the build: compiles the library for each processor that a compiler is installed for. A build without compilers goes on.
     *
     * @param arguments the folder of this package's classes, and the header that chooses versions of symbols.
     * @throws IOException when a file cannot be written.
     */
    public static void main(String... arguments) throws IOException {
        Path classes = Path.of(arguments[0]);
        Path versions = Path.of(arguments[1]);
        for (Map.Entry<String, String> processor : new TreeMap<>(PROCESSORS).entrySet()) {
            Path library = classes.resolve(resource(processor.getKey()));
            Optional<Path> compiler = processor.getKey().equals(OWN) ? LibraryCompiler.find()
                : LibraryCompiler.onPath(processor.getValue() + "-linux-gnu-gcc").findFirst();
            if (compiler.isPresent() && Files.exists(library) && !isOlder(library, classes, versions)) {
                continue;
            }
            Files.deleteIfExists(library);
            if (compiler.isEmpty()) {
                System.err.println("note: no C compiler for " + processor.getKey() + ", so that rxe run compiles its library there");
            } else {
                make(library, compiler.get(), versions);
            }
        }
    }

    private static boolean isOlder(Path library, Path classes, Path versions) throws IOException {
        FileTime made = Files.getLastModifiedTime(library);
        try (Stream<Path> sources = Files.list(classes.resolve("c"))) {
            for (Path file : Stream.concat(sources, Stream.of(versions, classes.resolve("LibraryCompiler.class"))).toList()) {
                if (Files.getLastModifiedTime(file).compareTo(made) > 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Nothing of the machine that builds is in it: no paths, no time, no identity. */
    private static void make(Path library, Path compiler, Path versions) throws IOException {
        Path work = Files.createTempDirectory("rxe-prebuilt-");
        try {
            LibraryCompiler.compile(work, compiler, List.of("-g0", "-include", versions.toAbsolutePath().toString()), List.of("-shared",
                "-s", "-Wl,--build-id=none", "-o", NativeLibrary.NAME, "-Wl,--no-as-needed", "-l:libdl.so.2", "-l:libpthread.so.0"));
            Files.createDirectories(library.getParent());
            Files.copy(work.resolve(NativeLibrary.NAME), library);
        } catch (IOException e) {
            System.err.println("warning: no prebuilt " + library + ": " + e.getMessage());
        } finally {
            NativeLibrary.delete(work);
        }
    }
}
