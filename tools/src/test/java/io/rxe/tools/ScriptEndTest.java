package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("How the scripts in Python end, by end of tools/bench/program.py: without a traceback, and with nothing left behind")
class ScriptEndTest {
    private static final Path TOOLS = Path.of(System.getProperty("basedir", ".")).toAbsolutePath().normalize();
    private static final String SCRIPT = """
        import os, sys, time
        sys.path.insert(0, "%s")
        import program
        def main():
            try:
                print("begun", flush=True)
                while sys.argv[1] == "print":
                    print("more")
                # A signal just before signal.pause() would be heeded only after the next one.
                while True:
                    time.sleep(0.1)
            finally:
                # print() would write the line end by itself, and head may write between the two.
                os.write(2, b"cleaned up\\n")
        program.end(main)
        """.formatted(TOOLS.resolve("bench"));

    @BeforeEach
    void requirePython() {
        assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(folder -> Files.isExecutable(Path.of(folder, "python3"))),
            "python3 is not installed");
    }

    private static String bash(String line) throws Exception {
        Process process = new ProcessBuilder("env", "--default-signal=HUP,PIPE", "bash", "-c", line, "bash", SCRIPT)
            .redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), output);
        return output;
    }

    @Test
    @DisplayName("a reader that has enough")
    void theReaderLeaves() throws Exception {
        assertEquals("begun\ncleaned up\nstatus 141\n", bash("exec 2>&1; python3 -B -c \"$1\" print | head -n 1;"
            + " echo status ${PIPESTATUS[0]}").lines().sorted().reduce("", (text, line) -> text + line + "\n"));
    }

    @Test
    @DisplayName("SIGINT, SIGTERM and SIGHUP")
    void signals() throws Exception {
        for (String signal : new String[] {"INT 130", "TERM 143", "HUP 129"}) {
            String[] words = signal.split(" ");
            assertEquals("begun\ncleaned up\nstatus " + words[1] + "\n",
                bash("coproc env --default-signal=INT python3 -B -c \"$1\" wait 2>&1; pid=$!;"
                + " read -r line <&${COPROC[0]}; echo $line; exec 3<&${COPROC[0]}; kill -" + words[0] + " $pid; cat <&3;"
                + " wait $pid; echo status $?"));
        }
    }

    @Test
    @DisplayName("below nohup SIGHUP ends nothing")
    void nohup() throws Exception {
        assertEquals("begun\ncleaned up\nstatus 143\n", bash("trap '' HUP; coproc python3 -B -c \"$1\" wait 2>&1;"
            + " pid=$!; read -r line <&${COPROC[0]}; echo $line; exec 3<&${COPROC[0]}; kill -HUP $pid; kill -TERM $pid; cat <&3;"
            + " wait $pid; echo status $?"));
    }
}
