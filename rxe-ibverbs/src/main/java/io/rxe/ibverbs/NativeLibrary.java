package io.rxe.ibverbs;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The C half: compiled by the system's compiler, with the JVM that it starts. */
public final class NativeLibrary {
    /** The library, inside its folder. */
    public static final String NAME = "librxe-ibverbs.so";
    /** The path of libjvm.so, then an option of the JVM a line; the library reads it from its own folder. */
    static final String OPTIONS = "jvm.options";

    private static final List<String> HEADERS = List.of("abi.h", "address.h", "cm.h", "cma.h", "live.h", "pkeys.h", "public.h", "results.h",
        "rxe.h", "upcalls.def");
    static final List<String> SOURCES = List.of("address.c", "candidates.c", "cm.c", "cmevents.c", "cmids.c", "cminfo.c", "cmqueues.c",
        "cqex.c", "data.c", "descriptors.c", "device.c", "domains.c", "downcalls.c", "events.c", "exec.c", "faults.c", "files.c", "forks.c",
        "holder.c", "jvm.c", "live.c", "loader.c", "memory.c", "objects.c", "pkeys.c", "qpex.c", "say.c", "signals.c", "stacks.c",
        "verbs.c", "xrc.c");
    private static final List<String> COMPILE = List.of("-std=c11", "-D_GNU_SOURCE", "-O2", "-g", "-fPIC", "-fvisibility=hidden",
        "-Wall", "-Wextra", "-Wmissing-prototypes", "-Werror");
    /**
     * No signal handlers, the smallest collector, no counter file, and what Netty and Agrona need. By default the heap would begin with all
     * that it may have, and the memory of the process would grow until the last of it was used once.
     */
    private static final List<String> JVM_OPTIONS = List.of("-Xrs", "-Xms24m", "-Xmn8m", "-Xmx256m", "-XX:ReservedCodeCacheSize=64m",
        "-XX:CompressedClassSpaceSize=32m", "-XX:+UseSerialGC", "-XX:-UsePerfData",
        "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");

    private NativeLibrary() {
    }

    /** The C compiler: what {@code CC} names, else {@code cc}, else {@code gcc} on the path; empty when there is none. */
    public static Optional<Path> compiler() {
        String chosen = System.getenv("CC");
        Stream<String> names = chosen == null || chosen.isEmpty() ? Stream.of("cc", "gcc") : Stream.of(chosen);
        return names.flatMap(NativeLibrary::onPath).findFirst();
    }

    static Stream<Path> onPath(String name) {
        String path = System.getenv("PATH");
        return Arrays.stream((path == null ? "/usr/bin" : path).split(File.pathSeparator)).map(folder -> Path.of(folder, name))
            .filter(file -> Files.isExecutable(file) && Files.isRegularFile(file));
    }

    /**
     * Builds the library and its options in a folder, unless it is there.
     *
     * @param folder    made if necessary; one for each build of rxe and each JDK.
     * @param classPath of the Java half.
     * @param archive   an archive of class data sharing that fits the class path, or null.
     * @return the library.
     * @throws IOException when there is no C compiler, no {@code jni.h}, or the compiler fails; the message has the remedy.
     */
    public static Path build(Path folder, String classPath, Path archive) throws IOException {
        return build(folder, classPath, archive, List.of());
    }

    /** @param flags more for the compiler. */
    static Path build(Path folder, String classPath, Path archive, List<String> flags) throws IOException {
        Path library = folder.resolve(NAME);
        if (Files.isReadable(library) && Files.isReadable(folder.resolve(OPTIONS))) {
            return library;
        }
        Files.createDirectories(folder);
        Path work = Files.createTempDirectory(folder, "build-");
        try {
            Files.write(work.resolve(OPTIONS), options(classPath, archive));
            compile(work, requireCompiler(), flags);
            // The library last: it is what the next start looks for.
            for (String made : List.of(OPTIONS, NAME)) {
                Files.move(work.resolve(made), folder.resolve(made), StandardCopyOption.ATOMIC_MOVE);
            }
        } finally {
            delete(work);
        }
        return library;
    }

    /** Extracts the sources into a folder; their compiler finds the headers there. */
    static void extract(Path folder) throws IOException {
        for (String name : Stream.concat(HEADERS.stream(), SOURCES.stream()).toList()) {
            try (InputStream in = NativeLibrary.class.getResourceAsStream("c/" + name)) {
                Files.copy(in, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static Path requireCompiler() throws IOException {
        return compiler().orElseThrow(() -> new IOException("no C compiler: rxe compiles a small library once before it runs"
            + " other programs; install one (apt-get install gcc libc6-dev)"));
    }

    /** Compiles the library into a folder, where its sources are extracted. */
    static void compile(Path work, Path compiler, List<String> flags) throws IOException {
        compile(work, compiler, flags, List.of("-shared", "-o", NAME, "-ldl", "-lpthread"));
    }

    /** @param output what the compiler makes of the sources. */
    static void compile(Path work, Path compiler, List<String> flags, List<String> output) throws IOException {
        Path include = javaHome().resolve("include");
        if (!Files.isReadable(include.resolve("jni.h"))) {
            throw new IOException("no " + include.resolve("jni.h") + ": this Java is not a whole JDK; install one"
                + " (apt-get install openjdk-17-jdk-headless)");
        }
        extract(work);
        List<String> command = new ArrayList<>(List.of(compiler.toString()));
        command.addAll(COMPILE);
        command.addAll(flags);
        command.addAll(List.of("-I" + include, "-I" + include.resolve("linux")));
        command.addAll(SOURCES);
        command.addAll(output);
        run(work, command);
    }

    private static void run(Path folder, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes());
        try {
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException("the C compiler failed with status " + status + ": " + String.join(" ", command) + "\n" + output);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while compiling", e);
        }
    }

    private static List<String> options(String classPath, Path archive) {
        List<String> lines = new ArrayList<>(List.of(javaHome().resolve("lib/server/libjvm.so").toString()));
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
        return lines;
    }

    private static Path javaHome() {
        return Path.of(System.getProperty("java.home"));
    }

    private static void delete(Path folder) throws IOException {
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
