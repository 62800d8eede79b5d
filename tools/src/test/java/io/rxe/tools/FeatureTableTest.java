package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Opcode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The table of features, made from what is there: classes and methods, opcodes, the simulator's sources, the names of the kernel-peer
 * cases. With -Drxe.features.write=true it is written anew.
 */
@DisplayName("docs/features.md")
class FeatureTableTest {
    private static final Path TABLE = Path.of("..", "docs", "features.md");
    private static final Path SIMULATOR = Path.of("..", "rxe-core", "src", "test", "java", "io", "rxe", "sim");
    private static final Path SUITE = Path.of("interop", "suite.py");
    private static final String BEGIN = "<!-- FeatureTableTest: begin -->\n";
    private static final String END = "<!-- FeatureTableTest: end -->\n";
    private static final String VERBS = "io.rxe.verbs.";
    private static final String CM = "io.rxe.cm.";

    /**
     * A row.
     *
     * @param kernels what rdma_rxe of 6.1 and 6.12 has, with a space between.
     * @param api     "Class#method", or "Class"; nothing when there is no way to offer it.
     * @param wire    names of opcodes, or classes of the wire; nothing when it puts nothing of its own on the wire.
     * @param sim     an expression found in the simulator's sources; nothing for none.
     * @param cases   an expression found in the names of cases; nothing for none.
     */
    private record Feature(String name, String kernels, String api, String wire, String sim, String cases) {
    }

    private static final List<Feature> FEATURES = List.of(
        new Feature("RC: SEND", "yes yes", VERBS + "WorkRequest#send", "RC_SEND_ONLY", "SEND\\b", "^verbs SEND"),
        new Feature("RC: SEND with immediate", "yes yes", VERBS + "WorkRequest#sendWithImmediate", "RC_SEND_ONLY_WITH_IMMEDIATE",
            "SEND_WITH_IMMEDIATE", "^verbs SEND_IMM"),
        new Feature("RC: SEND with invalidate", "yes yes", VERBS + "WorkRequest#sendWithInvalidate", "RC_SEND_ONLY_WITH_INVALIDATE",
            "SEND_WITH_INVALIDATE", "SEND_INV"),
        new Feature("RC: WRITE, with immediate", "yes yes", VERBS + "WorkRequest#writeWithImmediate", "RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE",
            "RDMA_WRITE_WITH_IMMEDIATE", "^verbs WRITE_IMM"),
        new Feature("RC: READ", "yes yes", VERBS + "WorkRequest#read", "RC_RDMA_READ_REQUEST", "RDMA_READ", "^verbs READ"),
        new Feature("RC: COMPARE_AND_SWAP, FETCH_AND_ADD", "yes yes", VERBS + "WorkRequest#compareAndSwap",
            "RC_COMPARE_SWAP RC_FETCH_ADD", "COMPARE_AND_SWAP", "^verbs CMP_SWAP"),
        new Feature("RC: ATOMIC_WRITE", "no yes", VERBS + "WorkRequest#atomicWrite", "RC_ATOMIC_WRITE", "ATOMIC_WRITE", "ATOMIC_WRITE"),
        new Feature("RC: FLUSH, global visibility", "no yes", VERBS + "WorkRequest#flush", "RC_FLUSH", "FlushType.GLOBAL",
            "R21: FLUSH, "),
        new Feature("RC: FLUSH, persistence", "no yes", VERBS + "FlushType", "RC_FLUSH", "FLUSH_PERSISTENT", "FLUSH to persistence"),
        new Feature("RC: end-to-end credits", "no no", VERBS + "QueuePair", "io.rxe.wire.Aeth", "CreditRules", ""),
        new Feature("RC: path migration", "no no", VERBS + "AlternatePath", "io.rxe.cm.mad.CmLap", "AlternatePath|PathMigration", ""),
        new Feature("RC: keep-alive of an idle connection", "no no", VERBS + "QueuePairAttributes#keepAliveNs", "RC_RDMA_WRITE_ONLY",
            "KeepAliveRules", "T11"),
        new Feature("XRC", "no no", VERBS + "XrcDomain", "XRC_SEND_ONLY", "XRC", ""),
        new Feature("XRC: ATOMIC_WRITE, FLUSH", "no no", VERBS + "WorkRequest#flush", "XRC_ATOMIC_WRITE XRC_FLUSH",
            "XRC_FLUSH_OVERTAKES", ""),
        new Feature("UC", "yes yes", VERBS + "QueuePairType", "UC_SEND_ONLY", "", "uc_pingpong|RC, UC|-c UC"),
        new Feature("UD, address handles", "yes yes", VERBS + "AddressHandle", "UD_SEND_ONLY", "", "ud_pingpong"),
        new Feature("UD multicast", "yes yes", VERBS + "QueuePair#attachMulticast", "UD_SEND_ONLY", "", "mckey|multicast"),
        new Feature("RD: deprecated in the specification, and nothing implements it", "no no", "", "", "", ""),
        new Feature("shared receive queue, limit, resize", "yes yes", VERBS + "SharedReceiveQueue#resize", "",
            "SharedReceiveQueue|createSharedReceive",
            "srq_pingpong|SRQ|srq"),
        new Feature("memory window of type 1", "yes yes", VERBS + "QueuePair#bindWindow", "", "WindowOwner", "window type 1"),
        new Feature("memory window of type 2B", "yes yes", VERBS + "WorkRequest#bindWindow", "", "WindowOwner", "window type 2"),
        new Feature("zero-based window", "yes yes", VERBS + "MemoryBinding", "", "zeroBased|ZERO_BASED|ZeroBased", "window zero-based"),
        new Feature("LOCAL_INV", "yes yes", VERBS + "WorkRequest#localInvalidate", "", "LOCAL_INV|localInvalidate", "LOCAL_INV"),
        new Feature("fast registration (REG_MR)", "kernel's own programs | kernel's own programs", VERBS + "WorkRequest#registerMemory",
            "", "REG_MR|registerMemory", "REG_MR"),
        new Feature("re-registration", "no yes", VERBS + "MemoryRegion#reregister", "", "reregister", "re-registration"),
        new Feature("resize of completion queues", "yes yes", VERBS + "CompletionQueue#resize", "", "\\.resize\\(", "queues resized"),
        new Feature("on-demand paging", "no no", "", "", "", ""),
        new Feature("query: device limits", "yes yes", VERBS + "Device#attributes", "", "", ""),
        new Feature("query: port, GID table", "yes yes", VERBS + "Device#port", "", "", ""),
        new Feature("query: queue pair", "yes yes", VERBS + "QueuePair#capabilities", "", "", ""),
        new Feature("query: shared receive queue", "yes yes", VERBS + "SharedReceiveQueue#query", "", "", ""),
        new Feature("completion timestamps", "no no", VERBS + "WorkCompletion#timestampNs", "", "", ""),
        new Feature("CM: end-to-end flow control bit", "the program's | the program's", CM + "ConnectParameters#sharedReceiveQueue",
            "io.rxe.cm.mad.CmReq", "CREDIT_BIT", ""),
        new Feature("asynchronous events", "yes yes", VERBS + "AsyncEvent", "", "AsyncEvent", "^error "),
        new Feature("CM: REQ to DREP, MRA, REJ", "yes yes", CM + "Connector", "io.rxe.cm.mad.CmReq", "", "^rping"),
        new Feature("CM: SIDR", "yes yes", CM + "CmConnection", "io.rxe.cm.mad.SidrReq", "", "udaddy"),
        new Feature("CM: LAP, APR", "no no", "io.rxe.cm.mad.CmLap", "io.rxe.cm.mad.CmLap", "", ""));

    private static List<String> caseNames() throws IOException, InterruptedException {
        Process list = new ProcessBuilder("python3", "-B", SUITE.toString(), "--list").redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
        List<String> names = new String(list.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        assertEquals(0, list.waitFor(), "python3 " + SUITE + " --list");
        assertFalse(names.isEmpty());
        return names;
    }

    private static String simulator() throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(SIMULATOR)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
                text.append(Files.readString(file));
            }
        }
        return text.toString();
    }

    private static String api(String wanted) {
        String[] parts = wanted.split("#");
        if (parts[0].isEmpty() || !exists(parts[0])) {
            return "no";
        }
        String name = parts[0].substring(parts[0].lastIndexOf('.') + 1);
        if (parts.length == 1) {
            return "`" + name + "`";
        }
        return Arrays.stream(load(parts[0]).getMethods()).anyMatch(method -> method.getName().startsWith(parts[1]))
            ? "`" + name + "." + parts[1] + "`" : "no";
    }

    private static boolean exists(String name) {
        return FeatureTableTest.class.getClassLoader().getResource(name.replace('.', '/') + ".class") != null;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(name, e);
        }
    }

    private static String wire(String wanted) {
        List<String> found = new ArrayList<>();
        for (String name : wanted.split(" ")) {
            if (name.startsWith("io.")) {
                found.add(exists(name) ? "`" + name.substring(name.lastIndexOf('.') + 1) + "`" : "no");
            } else if (!name.isEmpty()) {
                found.add(Arrays.stream(Opcode.values()).filter(opcode -> opcode.name().equals(name)).findAny()
                    .map(opcode -> String.format("0x%02X", opcode.code())).orElse("no"));
            }
        }
        return found.isEmpty() ? "-" : String.join(", ", found);
    }

    /** The kernels whose cases cover a feature. */
    private static String kernels(String expression, List<String> names) {
        TreeSet<String> kernels = new TreeSet<>();
        if (!expression.isEmpty()) {
            names.stream().filter(Pattern.compile(expression).asPredicate()).forEach(name -> kernels.add(name.endsWith("6.12") ? "6.12"
                : "6.1"));
        }
        return kernels.isEmpty() ? "no" : String.join(", ", kernels);
    }

    private static String table() throws IOException, InterruptedException {
        List<String> names = caseNames();
        String simulator = simulator();
        StringBuilder text = new StringBuilder("| feature | rdma_rxe 6.1 | rdma_rxe 6.12 | rxe: API | wire | simulated | kernel peer |\n"
            + "|---|---|---|---|---|---|---|\n");
        for (Feature feature : FEATURES) {
            String[] kernels = feature.kernels.split(feature.kernels.contains("|") ? " \\| " : " ");
            String api = api(feature.api);
            String simulated = !feature.sim.isEmpty() && Pattern.compile(feature.sim).matcher(simulator).find() ? "yes" : "no";
            text.append(String.format("| %s | %s | %s | %s | %s | %s | %s |%n", feature.name, kernels[0], kernels[1], api,
                "no".equals(api) && feature.wire.isEmpty() ? "no" : wire(feature.wire), simulated, kernels(feature.cases, names)));
        }
        return text.toString();
    }

    @Test
    void theTableShowsWhatIsThere() throws IOException, InterruptedException {
        String document = Files.readString(TABLE);
        int from = document.indexOf(BEGIN) + BEGIN.length();
        int to = document.indexOf(END);
        assertTrue(from >= BEGIN.length() && to >= from, TABLE + " needs the lines " + BEGIN + END);
        String table = table();
        if (Boolean.getBoolean("rxe.features.write")) {
            Files.writeString(TABLE, document.substring(0, from) + table + document.substring(to));
        } else {
            assertEquals(table, document.substring(from, to), "write it anew with -Drxe.features.write=true");
        }
    }
}
