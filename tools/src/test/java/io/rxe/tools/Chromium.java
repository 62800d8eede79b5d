package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Loads a page in headless Chromium; tests are skipped where it is not installed. */
public final class Chromium {
    private static final int SECONDS = 120;

    private Chromium() {
    }

    /** Skips the test. */
    public static void require() {
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(one ->
            Files.isExecutable(Path.of(one, "chromium"))), "chromium is not installed (apt-get install chromium)");
    }

    /**
     * What a page has become.
     *
     * @param script put at the end of the page.
     * @param folder for the browser's files.
     */
    public static String load(Path page, String script, Path folder) throws IOException, InterruptedException {
        Files.writeString(page, Files.readString(page).replace("</body>", "<script>" + script + "</script></body>"));
        Path out = folder.resolve("dom");
        Process browser = new ProcessBuilder("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
            "--user-data-dir=" + folder.resolve("profile"), "--dump-dom", page.toUri().toString()).redirectOutput(out.toFile())
            .redirectError(folder.resolve("err").toFile()).start();
        assertTrue(browser.waitFor(SECONDS, TimeUnit.SECONDS), "chromium ends");
        return Files.readString(out);
    }
}
