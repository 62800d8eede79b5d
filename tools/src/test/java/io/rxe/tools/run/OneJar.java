package io.rxe.tools.run;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.ibverbs.NativeLibrary;
import io.rxe.tools.Main;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;

/** A jar that is started as the one jar of a release, and is the only entry of a class path; its manifest leads to the classes. */
final class OneJar {
    /** The prebuilt library for this processor. */
    static final String LIBRARY = "prebuilt/" + System.getProperty("os.arch") + "/" + NativeLibrary.NAME;

    private OneJar() {
    }

    /** Skips a test where the build had no compiler for the library that the jar unpacks. */
    static void requireLibrary() {
        assumeTrue(NativeLibrary.class.getResource(LIBRARY) != null, "the build had no C compiler: apt-get install gcc libc6-dev");
    }

    static Path make(Path jar) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Main.class.getName());
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, Arrays.stream(System.getProperty("java.class.path")
            .split(File.pathSeparator)).map(entry -> Path.of(entry).toUri().toString()).collect(Collectors.joining(" ")));
        try (OutputStream out = Files.newOutputStream(jar)) {
            new JarOutputStream(out, manifest).close();
        }
        return jar;
    }
}
