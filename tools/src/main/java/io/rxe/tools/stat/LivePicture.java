package io.rxe.tools.stat;

import io.rxe.tools.cli.ResultFile;
import io.rxe.tools.cli.ToolFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import picocli.CommandLine;

/**
 * The picture of PSN over time of a program while it runs: {@code rxe dump} draws what its capture has so far, again and again. The page
 * loads itself again as long as nobody points at it or has zoomed.
 */
final class LivePicture {
    /** How a pcapng file begins. */
    private static final byte[] MAGIC = {0x0A, 0x0D, 0x0D, 0x0A};
    /** The names are those of page.js. */
    private static final String RELOAD = "<script>const reloading = setInterval(() => { if (!drag && tip.hidden && views.every(view =>"
        + " view.join() === \"0,1,0,1\")) { location.reload(); } }, %d);</script></body>";

    private final CommandLine dump;
    private final Path page;
    private final Path capture;

    /**
     * Finds the capture of a process among the files that it has open.
     *
     * @param dump the command that draws.
     */
    LivePicture(CommandLine dump, Path page, long processId) {
        this.dump = dump;
        this.page = page;
        ResultFile.of("the picture", page);
        this.capture = captureOf(processId);
    }

    private static Path captureOf(long processId) {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/" + processId + "/fd"))) {
            for (Path descriptor : open) {
                if (Files.isRegularFile(descriptor) && isCapture(descriptor)) {
                    return Files.readSymbolicLink(descriptor);
                }
            }
        } catch (IOException e) {
            throw new ToolFailure("the files of process " + processId + " cannot be seen: " + ResultFile.whyUnreadable(e), e);
        }
        throw new ToolFailure("process " + processId + " writes no capture to draw: start it with --capture FILE, or RXE_CAPTURE=FILE");
    }

    private static boolean isCapture(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return Arrays.equals(MAGIC, in.readNBytes(MAGIC.length));
        } catch (IOException e) {
            // Closed meanwhile, or not ours to read.
            return false;
        }
    }

    Path capture() {
        return capture;
    }

    /** @param reloadMs how often the page loads itself again; 0 for the last picture. */
    void draw(long reloadMs) {
        Path drawn = page.resolveSibling(page.getFileName() + ".new.html");
        StringWriter failure = new StringWriter();
        // The last block of the capture is being written: that it is cut off is no failure here.
        dump.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(failure))
            .execute("--quiet", "--time-sequence", drawn.toString(), capture.toString());
        try {
            if (reloadMs > 0) {
                ResultFile.of("the picture", drawn)
                    .writeOrPrint(Files.readString(drawn).replace("</body>", String.format(RELOAD, reloadMs)), null);
            }
            Files.move(drawn, page, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new ToolFailure("no picture of " + capture + ": " + failure, e);
        }
    }
}
