package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.CountersView;
import io.rxe.net.observe.CounterFolder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Two class loaders of a process, as of two applications in a container, have NICs of their own")
class TwoLoadersTest {
    private static final String ADDRESS = "127.0.0.1";
    /** Kept: when one is collected, the native code of its Netty takes the methods of this loader's Netty away, too. */
    private static final List<ClassLoader> OTHERS = new ArrayList<>();

    /** Opens a NIC, for the other loader. */
    static AutoCloseable open(int udpPort, Path capture, Consumer<String> warnings) throws Exception {
        return RxeNic.open(RxeNicOptions.defaults(ADDRESS).withUdpPort(udpPort).withCaptureFile(capture).withWarnings(warnings));
    }

    /** The UDP ports with counters in the files of this process. */
    private static Set<Integer> counted() {
        return CounterFolder.candidates().stream().flatMap(folder -> CounterFolder.files(folder).stream())
            .filter(file -> file.getFileName().toString().startsWith(ProcessHandle.current().pid() + ".")).map(TwoLoadersTest::read)
            .flatMap(view -> view.counters().stream()).filter(counter -> !counter.closed()).map(CountersView.Counter::udpPort)
            .collect(Collectors.toSet());
    }

    private static CountersView read(Path file) {
        try {
            return CounterFolder.open(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ClassLoader otherLoader() throws Exception {
        List<URL> places = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
            places.add(Path.of(place).toUri().toURL());
        }
        OTHERS.add(new URLClassLoader(places.toArray(new URL[0]), ClassLoader.getPlatformClassLoader()));
        return OTHERS.get(OTHERS.size() - 1);
    }

    @Test
    void neitherWritesTheCaptureOfTheOther(@TempDir Path folder) throws Exception {
        Path capture = folder.resolve("x.pcapng");
        List<String> warnings = new ArrayList<>();
        Class<?> other = Class.forName(TwoLoadersTest.class.getName(), true, otherLoader());
        assertNotEquals(TwoLoadersTest.class, other);
        Method open = other.getDeclaredMethod("open", int.class, Path.class, Consumer.class);
        open.setAccessible(true);
        try (AutoCloseable one = open(FreePorts.udp(ADDRESS), capture, warnings::add);
             AutoCloseable two = (AutoCloseable) open.invoke(null, FreePorts.udp(ADDRESS), capture, (Consumer<String>) warnings::add)) {
            assertEquals(List.of("another NIC writes the capture " + capture + ": that of this one is " + folder.resolve("x-2.pcapng")),
                warnings);
            assertTrue(Files.exists(folder.resolve("x-2.pcapng")), () -> one + " " + two);
        }
    }

    @Test
    void theCountersOfBothAreShown() throws Exception {
        Method open = Class.forName(TwoLoadersTest.class.getName(), true, otherLoader())
            .getDeclaredMethod("open", int.class, Path.class, Consumer.class);
        open.setAccessible(true);
        int first = FreePorts.udp(ADDRESS);
        int second = FreePorts.udp(ADDRESS);
        try (AutoCloseable one = open(first, null, warning -> { });
             AutoCloseable two = (AutoCloseable) open.invoke(null, second, null, (Consumer<String>) warning -> { })) {
            assertTrue(counted().containsAll(Set.of(first, second)), () -> counted() + " of " + one + " and " + two);
        }
    }
}
