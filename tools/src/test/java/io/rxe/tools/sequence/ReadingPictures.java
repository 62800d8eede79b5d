package io.rxe.tools.sequence;

import io.rxe.tools.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Draws the pictures of docs/reading.md: {@code tools/dev/test-main tools io.rxe.tools.sequence.ReadingPictures ../docs/reading}. */
final class ReadingPictures {
    private ReadingPictures() {
    }

    /** @param arguments the folder. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        Files.createDirectories(folder);
        Path capture = Files.createTempFile("rxe-planted", ".pcapng");
        for (PlantedCapture planted : PlantedCapture.explained()) {
            planted.write(capture);
            Path picture = folder.resolve(planted.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".svg");
            PrintWriter out = new PrintWriter(System.out, true);
            int status = Main.run(out, new PrintWriter(System.err, true), "dump", "--time-sequence", picture.toString(),
                capture.toString());
            if (status != 0) {
                throw new IllegalStateException(planted + ": exit status " + status);
            }
        }
        Files.delete(capture);
    }
}
