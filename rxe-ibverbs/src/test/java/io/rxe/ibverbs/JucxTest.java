package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.net.FreePorts;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openucx.jucx.ucp.UcpContext;

@DisplayName("a program in Java, whose JVM the NIC shares")
class JucxTest {
    private static final String ADDRESS = "127.0.0.77";
    private static final Path UCX = Path.of("/usr/lib/x86_64-linux-gnu/libucp.so.0");

    @TempDir
    private Path folder;

    private static Path place(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"at once", "at exit"})
    @DisplayName("JUCX sends messages and reads memory, although a callback throws, also in a shutdown hook: JucxProgram")
    void jucx(String when) throws Exception {
        assumeTrue(Files.exists(UCX), "no " + UCX + ": apt-get install libucx0");
        Map<String, String> variables = new HashMap<>(new ProgramStart(CProgram.library()).address(ADDRESS)
            .udpPort(FreePorts.udp(ADDRESS)).fault("loss 0.1%").seed(1).variables());
        variables.putAll(Map.of("UCX_TLS", "ib", "UCX_LOG_LEVEL", "error"));
        // Nothing of this project is on its class path but the program, and no option of the JVM is for the NIC.
        Path classes = Files.createDirectories(folder.resolve("io/rxe/ibverbs"));
        for (String name : List.of("JucxProgram.class", "JucxProgram$Thrower.class")) {
            Files.copy(place(JucxProgram.class).resolve("io/rxe/ibverbs").resolve(name), classes.resolve(name));
        }
        ProcessBuilder java = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            folder + File.pathSeparator + place(UcpContext.class), JucxProgram.class.getName(), when);
        List<String> printed = CProgram.finish(java, folder.resolve("jucx.out"), variables);
        printed.removeIf(line -> !line.startsWith("rxe: ") && !List.of("thrown", "all right").contains(line));
        assertEquals(List.of("thrown", "all right"), printed);
    }
}
