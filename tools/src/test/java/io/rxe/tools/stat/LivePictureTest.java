package io.rxe.tools.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.QueuePairLink;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.tools.ChildRun;
import io.rxe.tools.Chromium;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.dump.DumpCommand;
import io.rxe.verbs.PathMtu;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@DisplayName("rxe stat --html: the picture of a program that runs")
class LivePictureTest {
    private static final long PID = ProcessHandle.current().pid();
    private static final String ADDRESS = "127.0.0.1";
    /** Says how the page was loaded; once more is enough. */
    private static final String NAVIGATION = "const how = performance.getEntriesByType('navigation')[0].type;"
        + " document.body.append('page: ' + how); if (how === 'reload') { clearInterval(reloading); }";

    @TempDir
    private Path folder;

    /** A NIC of this process, which has captured some packets. */
    private RxeNic capturing() throws Exception {
        RxeNic nic = RxeNic.open(RxeNicOptions.defaults(ADDRESS).withUdpPort(FreePorts.udp(ADDRESS))
            .withCaptureFile(folder.resolve("live.pcapng")));
        QueuePairLink.exchange(nic, nic, PathMtu.MTU_1024, 10_000);
        nic.writeCapture();
        return nic;
    }

    @Test
    @DisplayName("draws what was captured so far; the last picture does not load itself again")
    void drawsARunningProgram() throws Exception {
        Path page = folder.resolve("live.html");
        try (RxeNic nic = capturing()) {
            Run run = Run.of("stat", Long.toString(PID), "--html", page.toString(), "--interval", "1ms", "--count", "2");
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().contains("drawing " + page + " from " + folder.resolve("live.pcapng") + " until process " + PID
                + " ends"), run.out());
            String drawn = Files.readString(page);
            assertTrue(drawn.contains("data-kind=\"first\""), nic.toString());
            assertFalse(drawn.contains("location.reload()"), drawn);
        }
    }

    @Test
    @DisplayName("a picture that does not fit is an error, and the page keeps what it has")
    void keepsThePageWithoutRoom() throws Exception {
        Path page = Files.writeString(folder.resolve("live.html"), "before");
        try (RxeNic nic = capturing(); ChildRun child = ChildRun.startLimited(folder, "-f 4", "stat", Long.toString(PID), "--html",
            page.toString(), "--interval", "1ms", "--count", "2")) {
            Run run = child.end();
            assertEquals(ExitStatus.FAILED, run.status(), nic + run.toString());
            assertTrue(run.err().contains("cannot write the picture to " + page + ".new.html: File too large"), run.err());
        }
        assertEquals("before", Files.readString(page));
        assertFalse(Files.exists(folder.resolve("live.html.new.html")));
    }

    @Test
    @DisplayName("in Chromium the page loads itself again, but not while a part of it is shown; skipped where it is not installed")
    void followsInABrowser() throws Exception {
        Chromium.require();
        Path page = folder.resolve("live.html");
        try (RxeNic nic = capturing()) {
            LivePicture picture = new LivePicture(new CommandLine(new DumpCommand()), page, PID);
            picture.draw(500);
            String followed = Chromium.load(page, NAVIGATION, folder);
            assertTrue(followed.contains("page: reload"), nic + followed);
            picture.draw(500);
            String zoomed = Chromium.load(page, NAVIGATION + "zoom(0, [.2, .4]);", folder);
            assertTrue(zoomed.contains("page: navigate"), zoomed);
        }
    }

    @Test
    void aProgramWithoutACaptureIsReportedWithARemedy() throws Exception {
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(ADDRESS).withUdpPort(FreePorts.udp(ADDRESS)))) {
            Run run = Run.of("stat", Long.toString(PID), "--html", folder.resolve("live.html").toString());
            assertEquals(ExitStatus.FAILED, run.status(), nic.toString());
            assertTrue(run.err().contains("writes no capture to draw: start it with --capture FILE"), run.err());
            assertTrue(Run.of("stat", "no-such-program", "--html", "x.html").err().contains("none is running"));
        }
    }
}
