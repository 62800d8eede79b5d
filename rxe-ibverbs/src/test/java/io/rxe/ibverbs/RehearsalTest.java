package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("an archive of the classes that a program needs first")
class RehearsalTest {
    private static final String ADDRESS = "127.0.0.79";
    private static final String PROGRAM = """
        #include <arpa/inet.h>
        #include <rdma/rdma_cma.h>
        int main(void) {
            struct rdma_event_channel *channel = rdma_create_event_channel();
            struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(7471), .sin_addr.s_addr = inet_addr("127.0.0.79")};
            struct rdma_cm_id *id;
            return rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) || rdma_bind_addr(id, (struct sockaddr *)&address)
                || rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 1000) || !ibv_alloc_pd(id->verbs);
        }
        """;

    @TempDir
    private Path folder;

    /** Of a JVM of its own, which ends then and writes the archive: the library. */
    public static void main(String[] arguments) {
        System.exit(Rehearsal.run(Path.of(arguments[0])) ? 0 : 1);
    }

    /** The class path in jars alone: an archive has no classes of folders. */
    private String jars() throws Exception {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String jar = folder.resolve(jars.size() + ".jar").toString();
            boolean isFolder = Files.isDirectory(Path.of(entry));
            if (isFolder) {
                assertEquals(0, ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err, "-cf", jar, "-C", entry, "."));
            }
            jars.add(isFolder ? jar : entry);
        }
        return String.join(File.pathSeparator, jars);
    }

    @Test
    @DisplayName("has those of connections, lambdas too, when a JVM wrote it that called the verbs itself")
    void hasClassesOfPrograms() throws Exception {
        CProgram.requireCmHeader();
        String classPath = jars();
        Path archive = Files.createFile(folder.resolve("java.jsa"));
        Path library = NativeLibrary.compile(folder.resolve("library"), NativeLibrary.options(classPath, archive), List.of());
        Map<String, String> variables = Map.of("RXE_DEV", ADDRESS, "RXE_UDP_PORT", Integer.toString(FreePorts.udp(ADDRESS)));
        CProgram.finish(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "-XX:ArchiveClassesAtExit=" + archive, "-cp", classPath,
            RehearsalTest.class.getName(), library.toString()), folder.resolve("java.out"), variables);

        Map<String, String> own = new ProgramStart(library).variables();
        own.putAll(variables);
        own.put("RXE_JAVA_OPTIONS", "-Xlog:class+load");
        Path source = Files.writeString(folder.resolve("program.c"), PROGRAM);
        String program = folder.resolve("program").toString();
        Path output = folder.resolve("output");
        CProgram.finish(new ProcessBuilder(CProgram.requireCompiler().toString(), "-o", program, source.toString(), "-lrdmacm",
            "-libverbs"), output, Map.of());
        List<String> loaded = CProgram.finish(new ProcessBuilder(program), output, own);
        for (String name : List.of("io.rxe.ibverbs.ConnectionId ", "io.rxe.ibverbs.ConnectionIds$$Lambda", "io.rxe.cm.Connector ")) {
            Optional<String> line = loaded.stream().filter(text -> text.contains(name)).findFirst();
            assertTrue(line.orElse("none of " + name).endsWith("source: shared objects file (top)"), line::toString);
        }
    }
}
