package io.rxe.ibverbs;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Makes the C half from its sources, which are resources of this package, with a C compiler of the system. */
final class LibraryCompiler {
    private static final List<String> HEADERS = List.of("abi.h", "address.h", "cm.h", "cma.h", "live.h", "pkeys.h", "public.h", "results.h",
        "rsockets.h", "rxe.h", "upcalls.def");
    static final List<String> SOURCES = List.of("address.c", "candidates.c", "cm.c", "cmevents.c", "cmids.c", "cminfo.c", "cmqueues.c",
        "cmresolve.c", "cqex.c", "data.c", "descriptors.c", "device.c", "domains.c", "downcalls.c", "epoll.c", "events.c", "exec.c",
        "faults.c", "files.c", "forks.c", "holder.c", "host.c", "jvm.c", "live.c", "loader.c", "memory.c", "newer.c", "objects.c",
        "pkeys.c", "qpex.c", "refusals.c", "rehearsal.c", "rsockets.c", "say.c", "signals.c", "stacks.c", "verbs.c", "xrc.c");
    private static final List<String> COMPILE = List.of("-std=c11", "-D_GNU_SOURCE", "-O2", "-g", "-fPIC", "-fvisibility=hidden",
        "-Wall", "-Wextra", "-Wmissing-prototypes", "-Werror");

    private LibraryCompiler() {
    }

    /** The C compiler: what {@code CC} names, else {@code cc}, else {@code gcc} on the path; empty when there is none. */
    static Optional<Path> find() {
        String chosen = System.getenv("CC");
        Stream<String> names = chosen == null || chosen.isEmpty() ? Stream.of("cc", "gcc") : Stream.of(chosen);
        return names.flatMap(LibraryCompiler::onPath).findFirst();
    }

    static Stream<Path> onPath(String name) {
        String path = System.getenv("PATH");
        return Arrays.stream((path == null ? "/usr/bin" : path).split(File.pathSeparator)).map(folder -> Path.of(folder, name))
            .filter(file -> Files.isExecutable(file) && Files.isRegularFile(file));
    }

    /** Extracts the sources into a folder; their compiler finds the headers there. */
    static void extract(Path folder) throws IOException {
        for (String name : files()) {
            try (InputStream in = open(name)) {
                Files.copy(in, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Adds to a digest all that decides what a compiler makes. */
    static void digest(MessageDigest digest, List<String> flags) throws IOException {
        digest.update(String.join(" ", COMPILE).getBytes());
        digest.update(String.join(" ", flags).getBytes());
        for (String name : files()) {
            try (InputStream in = open(name)) {
                digest.update(in.readAllBytes());
            }
        }
    }

    private static List<String> files() {
        return Stream.concat(HEADERS.stream(), SOURCES.stream()).toList();
    }

    private static InputStream open(String name) {
        return LibraryCompiler.class.getResourceAsStream("c/" + name);
    }

    /** Compiles the library into a folder, where its sources are extracted. */
    static void compile(Path work, Path compiler, List<String> flags) throws IOException {
        compile(work, compiler, flags, List.of("-shared", "-o", NativeLibrary.NAME, "-ldl", "-lpthread"));
    }

    /**
     * Compiles the sources in a folder, where they are extracted.
     *
     * @param flags  more for the compiler.
     * @param output what the compiler makes of the sources.
     * @throws IOException when there is no {@code jni.h}, or the compiler fails.
     */
    static void compile(Path work, Path compiler, List<String> flags, List<String> output) throws IOException {
        Path include = Path.of(System.getProperty("java.home"), "include");
        if (!Files.isReadable(include.resolve("jni.h"))) {
            throw new IOException("no " + include.resolve("jni.h") + ": this Java is not a whole JDK; install one"
                + " (apt-get install openjdk-17-jdk-headless)");
        }
        extract(work);
        List<String> command = new ArrayList<>(List.of(compiler.toString()));
        command.addAll(COMPILE);
        command.addAll(flags);
        // The name of the folder is no part of the library: the same sources make the same bytes.
        command.add("-fdebug-prefix-map=" + work.toRealPath() + "=.");
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
}
