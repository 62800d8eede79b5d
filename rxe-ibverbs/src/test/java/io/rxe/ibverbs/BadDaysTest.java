package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.process.ProcessSettings;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("what a program gets on a bad day: an errno and a sentence")
class BadDaysTest {
    private static final String ADDRESS = "127.0.0.77";

    @TempDir
    private static Path folder;

    private static Path library;

    @BeforeAll
    static void build() throws Exception {
        library = CProgram.library();
    }

    private static Map<String, String> variables(String device) throws Exception {
        Map<String, String> variables = new HashMap<>(new ProgramStart(library).variables());
        variables.put("RXE_DEV", device);
        variables.put(ProcessSettings.UDP_PORT, Integer.toString(FreePorts.udp(ADDRESS)));
        return variables;
    }

    private static ProcessBuilder threads(String... arguments) throws Exception {
        CProgram.requireHeader();
        Path program = CProgram.compile(folder, "threads", "-libverbs", "-lpthread");
        ProcessBuilder command = new ProcessBuilder(program.toString());
        command.command().addAll(List.of(arguments));
        return command;
    }

    /** Runs a program that must fail; returns what it prints. */
    private static String failing(ProcessBuilder command, Map<String, String> variables) throws Exception {
        Path output = folder.resolve("failing");
        Process process = CProgram.start(command, output, variables);
        try {
            assertTrue(process.waitFor(CProgram.TIMEOUT_SECONDS, TimeUnit.SECONDS), () -> CProgram.text(output));
            assertEquals(1, process.exitValue(), () -> CProgram.text(output));
        } finally {
            process.destroyForcibly();
        }
        return CProgram.text(output);
    }

    private static void assertContains(String expected, String text) {
        assertTrue(text.contains(expected), text);
    }

    @Test
    @DisplayName("64 threads that make, use and destroy objects at once")
    void manyThreads() throws Exception {
        List<String> printed = CProgram.finish(threads(), folder.resolve("output"), variables(ADDRESS));
        assertTrue(printed.contains("all right"), () -> String.join("\n", printed));
    }

    @Test
    @DisplayName("a JVM without memory answers ENOMEM, and goes on when objects are destroyed")
    void noMemory() throws Exception {
        List<String> options = Files.readAllLines(library.resolveSibling(NativeLibrary.OPTIONS)).stream()
            .map(line -> line.startsWith("-Xmx") ? "-Xmx48m" : line).toList();
        Map<String, String> variables = variables(ADDRESS);
        variables.put("RXE_JVM", Files.write(folder.resolve("small.options"), options).toString());
        List<String> printed = CProgram.finish(threads("exhaust"), folder.resolve("output"), variables);
        assertTrue(printed.contains("all right"), () -> String.join("\n", printed));
    }

    @ParameterizedTest
    @ValueSource(strings = {"polling", "thread"})
    @DisplayName("what programs do to a NIC inside them, a process each: hostile.c")
    void hostile(String progress) throws Exception {
        CProgram.requireHeader();
        Map<String, String> variables = variables(ADDRESS);
        variables.put("RXE_PROGRESS", progress);
        Path program = CProgram.compile(folder, "hostile", "-libverbs", "-lpthread", "-ldl");
        List<String> printed = CProgram.finish(new ProcessBuilder(program.toString()), folder.resolve("output"), variables);
        assertTrue(printed.contains("ok device"), () -> String.join("\n", printed));
    }

    @Test
    @DisplayName("a JVM that would end the process, because it cannot start, is an errno and a sentence")
    void jvmWithoutRoom() throws Exception {
        List<String> options = Files.readAllLines(library.resolveSibling(NativeLibrary.OPTIONS)).stream()
            .map(line -> line.startsWith("-Xmx") ? "-Xmx2g" : line).toList();
        Map<String, String> variables = variables(ADDRESS);
        variables.put("RXE_JVM", Files.write(folder.resolve("large.options"), options).toString());
        String program = threads("exhaust").command().get(0);
        String printed = failing(new ProcessBuilder("sh", "-c", "ulimit -v 1024000; exec " + program + " exhaust"), variables);
        assertContains("rxe: the JVM did not start: Error occurred during initialization of VM Could not reserve enough space", printed);
        assertContains("(errno 12)", printed);
    }

    @Test
    @DisplayName("a program that loads libibverbs itself finds the device: loaded.c")
    void loaded() throws Exception {
        CProgram.requireCmHeader();
        Path program = CProgram.compile(folder, "loaded", "-ldl");
        List<String> printed = CProgram.finish(new ProcessBuilder(program.toString()), folder.resolve("output"), variables(ADDRESS));
        assertTrue(printed.contains("all right"), () -> String.join("\n", printed));
    }

    /** A Java half of which every method throws, but for the one that opens. */
    private static String throwing(String error) throws Exception {
        StringBuilder source = new StringBuilder("package io.rxe.ibverbs; public class Upcalls { ");
        for (Method method : Upcalls.class.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers())) {
                String parameters = Stream.of(method.getParameters()).map(Parameter::toString).collect(Collectors.joining(", "));
                source.append("public static int ").append(method.getName()).append('(').append(parameters).append(") { ")
                    .append(method.getName().equals("open") ? "return 0; } " : "throw new " + error + "(); } ");
            }
        }
        Path file = Files.writeString(folder.resolve("Upcalls.java"), source.append("}"));
        Path classes = Files.createDirectories(folder.resolve(error));
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", classes.toString(), file.toString()));
        return classes.toString();
    }

    @ParameterizedTest
    @CsvSource({"OutOfMemoryError, 12, it has no memory", "StackOverflowError, 12, this thread has no stack left: give it more",
        "IllegalStateException, 5, an exception; please report it"})
    @DisplayName("what Java throws into C is an errno and a sentence")
    void thrown(String error, int errno, String reason) throws Exception {
        String stub = throwing(error);
        List<String> options = Files.readAllLines(library.resolveSibling(NativeLibrary.OPTIONS)).stream()
            .map(line -> line.replace("-Djava.class.path=", "-Djava.class.path=" + stub + ":")).toList();
        Map<String, String> variables = variables(ADDRESS);
        variables.put("RXE_JVM", Files.write(folder.resolve(error + ".options"), options).toString());
        String printed = failing(threads("exhaust"), variables);
        assertContains("rxe: the JVM could not do allocPd: " + reason, printed);
        assertContains("(errno " + errno + ")", printed);
    }

    @Test
    @DisplayName("another process has the address")
    void addressInUse() throws Exception {
        Map<String, String> variables = variables(ADDRESS);
        int port = Integer.parseInt(variables.get(ProcessSettings.UDP_PORT));
        try (DatagramSocket other = new DatagramSocket(new InetSocketAddress(ADDRESS, port))) {
            assertTrue(other.isBound());
            String self = " (process " + ProcessHandle.current().pid() + ", java)";
            assertContains("rxe: cannot use " + ADDRESS + ": Address already in use: another process has a NIC there" + self
                + "; choose another address with RXE_DEV or --dev", failing(threads(), variables));
        }
    }

    @Test
    @DisplayName("another process has the address at the usual port, and the variable for another one is blank")
    void blankPort() throws Exception {
        String address = "127.0.78.9";
        Map<String, String> variables = variables(address);
        variables.put(ProcessSettings.UDP_PORT, " ");
        try (DatagramSocket other = new DatagramSocket(new InetSocketAddress(address, RxeNicOptions.defaults(address).udpPort()))) {
            assertTrue(other.isBound());
            assertContains("rxe: cannot use " + address + ": Address already in use: another process has a NIC there", failing(threads(),
                variables));
        }
    }

    @Test
    @DisplayName("127.0.0.1 already has a NIC: it says which process, and takes the next address")
    void nextAddress() throws Exception {
        int port = FreePorts.udp("127.0.0.1");
        Map<String, String> variables = variables(ADDRESS);
        variables.remove("RXE_DEV");
        variables.put(ProcessSettings.UDP_PORT, Integer.toString(port));
        try (DatagramSocket other = new DatagramSocket(new InetSocketAddress("127.0.0.1", port))) {
            assertTrue(other.isBound());
            String printed = String.join("\n", CProgram.finish(threads(), folder.resolve("output"), variables));
            String name = Files.readString(Path.of("/proc/self/comm")).strip();
            assertContains(", because 127.0.0.1 already has a NIC (process " + ProcessHandle.current().pid() + ", " + name
                + "); choose with RXE_DEV or --dev", printed);
        }
    }

    @Test
    @DisplayName("of a network a program takes the first address that is free, and says when none is")
    void network() throws Exception {
        Map<String, String> variables = variables("127.0.77.0/30");
        int port = Integer.parseInt(variables.get(ProcessSettings.UDP_PORT));
        try (DatagramSocket first = new DatagramSocket(new InetSocketAddress("127.0.77.1", port))) {
            assertTrue(first.isBound());
            assertFalse(String.join("\n", CProgram.finish(threads(), folder.resolve("output"), variables)).contains("rxe:"));
            try (DatagramSocket second = new DatagramSocket(new InetSocketAddress("127.0.77.2", port))) {
                assertTrue(second.isBound());
                assertContains("rxe: all 2 addresses of 127.0.77.0/30 have a NIC", failing(threads(), variables));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.77.5/32", "127.0.77.6/31"})
    @DisplayName("a network of one address, or of two, has that many")
    void smallNetwork(String network) throws Exception {
        assertFalse(String.join("\n", CProgram.finish(threads(), folder.resolve("output"), variables(network))).contains("rxe:"));
    }

    @Test
    @DisplayName("a rank of a parallel job takes the next address without a word, and one of a network where ranks are on other hosts")
    void ranks() throws Exception {
        CProgram.requireNamespaces();
        Map<String, String> variables = variables("");
        variables.putAll(Map.of("OMPI_COMM_WORLD_LOCAL_SIZE", "2", "OMPI_COMM_WORLD_SIZE", "2"));
        try (DatagramSocket other = new DatagramSocket(new InetSocketAddress("127.0.0.1",
            Integer.parseInt(variables.get(ProcessSettings.UDP_PORT))))) {
            assertTrue(other.isBound());
            assertFalse(String.join("\n", CProgram.finish(threads(), folder.resolve("output"), variables)).contains("rxe:"));
        }
        variables.put("OMPI_COMM_WORLD_SIZE", "4");
        String program = threads().command().get(0);
        assertContains("rxe: this job has ranks on other hosts, and this host has no interface that is up but loopback", failing(
            new ProcessBuilder("unshare", "-Urn", "sh", "-c", "ip link set lo up; exec " + program), variables));
    }

    @Test
    @DisplayName("a device that does not exist")
    void wrongDevice() throws Exception {
        assertContains("rxe: nosuch in RXE_DEV=nosuch is neither an address nor an interface with an address", failing(threads(),
            variables("nosuch")));
        assertContains("rxe: nothing in RXE_DEV=" + ADDRESS + ", is neither an address", failing(threads(), variables(ADDRESS + ",")));
        assertContains("names 9 NICs, and a program has at most 8: leave some out", failing(threads(),
            variables(String.join(",", Collections.nCopies(9, ADDRESS)))));
        assertContains("rxe: cannot use 192.0.2.77: Cannot assign requested address", failing(threads(), variables("192.0.2.77")));
    }

    @Test
    @DisplayName("options for Java: those that it does not know, and too many")
    void javaOptions() throws Exception {
        Map<String, String> variables = variables(ADDRESS);
        variables.put("RXE_JAVA_OPTIONS", "-Dnothing=here  -XX:NoSuchOption ");
        assertContains("did not start (JNI error -6): Unrecognized VM option 'NoSuchOption'", failing(threads(), variables));
        variables.put("RXE_JAVA_OPTIONS", "-Dnothing=here ".repeat(61));
        assertContains("rxe: more than 61 options for Java: shorten RXE_JAVA_OPTIONS", failing(threads(), variables));
    }

    @Test
    @DisplayName("no JDK where the library was built with one: it says where it looked")
    void noJdk() throws Exception {
        Map<String, String> variables = variables(ADDRESS);
        Path options = Files.writeString(folder.resolve("gone.options"), "/nonexistent/lib/server/libjvm.so\n");
        variables.put("RXE_JVM", options.toString());
        String printed = failing(threads(), variables);
        assertContains("cannot load the JVM that " + options + " names: /nonexistent/lib/server/libjvm.so", printed);
        variables.put("RXE_JVM", folder.resolve("missing.options").toString());
        assertContains("cannot read " + folder.resolve("missing.options"), failing(threads(), variables));
    }
}
