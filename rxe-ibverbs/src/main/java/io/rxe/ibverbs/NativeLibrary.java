package io.rxe.ibverbs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The C half in a folder, with the JVM that it starts: the prebuilt one where it loads, else made by the system's compiler. */
public final class NativeLibrary {
    /** The library, inside its folder. */
    public static final String NAME = "librxe-ibverbs.so";
    /** The path of libjvm.so, then an option of the JVM a line; the library reads it from its own folder. */
    static final String OPTIONS = "jvm.options";
    /** Beside a library that was compiled: what it was made of, and what came out. */
    static final String RECORD = "compiled.sha256";
    /**
     * No signal handlers, the smallest collector, no counter file, and what Netty and Agrona need. By default the heap would begin with all
     * that it may have, and the memory of the process would grow until the last of it was used once.
     */
    private static final List<String> JVM_OPTIONS = List.of("-Xrs", "-Xms24m", "-Xmn8m", "-Xmx256m", "-XX:ReservedCodeCacheSize=64m",
        "-XX:CompressedClassSpaceSize=32m", "-XX:+UseSerialGC", "-XX:-UsePerfData",
        "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");

    private NativeLibrary() {
    }

    /**
     * Puts the library and its options into a folder, unless they are there. A file with another content, of another version or cut off, is
     * replaced.
     *
     * @param folder    made if necessary; one for each class path and JDK. Only the user may write there.
     * @param classPath of the Java half.
     * @param archive   an archive of class data sharing that fits the class path, or null.
     * @param note      gets a sentence when the prebuilt library does not load and one is compiled.
     * @return the library.
     * @throws IOException when there is neither a prebuilt library that loads nor a C compiler with {@code jni.h}, or the compiler fails;
     *                     the message has the remedy.
     */
    public static Path build(Path folder, String classPath, Path archive, Consumer<String> note) throws IOException {
        return build(folder, options(classPath, archive), PrebuiltLibrary.find(), note);
    }

    static Path build(Path folder, byte[] options, Optional<byte[]> prebuilt, Consumer<String> note) throws IOException {
        Path compiled = folder.resolve("compiled");
        String reason = "this rxe has no library for " + System.getProperty("os.arch");
        if (prebuilt.isPresent()) {
            Path library = unpack(folder, options, prebuilt.get());
            try {
                System.load(library.toAbsolutePath().toString());
                return library;
            } catch (UnsatisfiedLinkError e) {
                reason = "the library of this rxe does not load here (" + e.getMessage() + ")";
            }
            if (LibraryCompiler.find().isPresent() && !isIntact(compiled, List.of())) {
                note.accept(reason + ": compiling it");
            }
        }
        try {
            return compile(compiled, options, List.of());
        } catch (IOException e) {
            throw new IOException(reason + ", and it cannot be compiled: " + e.getMessage(), e);
        }
    }

    private static Path unpack(Path folder, byte[] options, byte[] prebuilt) throws IOException {
        Path library = folder.resolve(NAME);
        if (!has(library, prebuilt) || !has(folder.resolve(OPTIONS), options)) {
            make(folder, options, work -> {
                Files.write(work.resolve(NAME), prebuilt);
                return List.of();
            });
        }
        return library;
    }

    /** @param flags more for the compiler. */
    static Path compile(Path folder, byte[] options, List<String> flags) throws IOException {
        if (!isIntact(folder, flags) || !has(folder.resolve(OPTIONS), options)) {
            Path compiler = LibraryCompiler.find().orElseThrow(() -> new IOException("there is no C compiler; install one"
                + " (apt-get install gcc libc6-dev)"));
            make(folder, options, work -> {
                LibraryCompiler.compile(work, compiler, flags);
                Files.write(work.resolve(RECORD), record(Files.readAllBytes(work.resolve(NAME)), flags));
                return List.of(RECORD);
            });
        }
        return folder.resolve(NAME);
    }

    private interface Maker {
        /** Makes the library in a folder; returns the names of the files that belong to it. */
        List<String> make(Path work) throws IOException;
    }

    private static void make(Path folder, byte[] options, Maker maker) throws IOException {
        Files.createDirectories(folder);
        Path work = Files.createTempDirectory(folder, "build-");
        try {
            Files.write(work.resolve(OPTIONS), options);
            List<String> made = new ArrayList<>(maker.make(work));
            // The library last: programs that run meanwhile keep the one they have.
            made.addAll(List.of(OPTIONS, NAME));
            for (String name : made) {
                Files.move(work.resolve(name), folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            }
        } finally {
            delete(work);
        }
    }

    private static boolean has(Path file, byte[] content) throws IOException {
        return Files.isReadable(file) && Files.size(file) == content.length && Arrays.equals(Files.readAllBytes(file), content);
    }

    /** Whether a compiled library is what the compiler made, of the sources and flags of these classes. */
    private static boolean isIntact(Path folder, List<String> flags) throws IOException {
        Path library = folder.resolve(NAME);
        return Files.isReadable(library) && has(folder.resolve(RECORD), record(Files.readAllBytes(library), flags));
    }

    private static byte[] record(byte[] library, List<String> flags) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            LibraryCompiler.digest(digest, flags);
            digest.update(library);
            return HexFormat.of().formatHex(digest.digest()).getBytes();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static byte[] options(String classPath, Path archive) {
        List<String> lines = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "lib/server/libjvm.so").toString()));
        lines.addAll(JVM_OPTIONS);
        int version = Runtime.version().feature();
        if (version >= 24) {
            lines.add("--sun-misc-unsafe-memory-access=allow");
            lines.add("--enable-native-access=ALL-UNNAMED");
        }
        if (archive != null) {
            lines.add("-XX:SharedArchiveFile=" + archive);
        }
        lines.add("-Djava.class.path=" + classPath);
        // The JVM of the program reads names of files as the system has them.
        return NativeText.bytes(String.join("\n", lines) + "\n");
    }

    /** Deletes a folder and the files in it. */
    static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        Files.delete(folder);
    }
}
