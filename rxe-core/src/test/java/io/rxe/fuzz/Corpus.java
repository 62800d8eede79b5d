package io.rxe.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** The committed inputs of a target: {@code /fuzz/NAME.zip} on the test class path, written by {@code tools/dev/fuzz keep NAME}. */
public final class Corpus {
    private static final int SHOWN_BYTES = 512;

    private Corpus() {
    }

    /**
     * Runs the seeds and the committed corpus of a target.
     *
     * @return how many inputs ran.
     * @throws AssertionError that shows the input that broke an invariant.
     */
    public static int replay(String name, FuzzTarget target) throws IOException {
        List<byte[]> inputs = new ArrayList<>(target.seeds());
        inputs.addAll(read(name));
        for (byte[] input : inputs) {
            try {
                target.run(input);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("fuzz target " + name + " fails on " + input.length + " bytes: " + show(input), e);
            }
        }
        return inputs.size();
    }

    private static List<byte[]> read(String name) throws IOException {
        String resource = "/fuzz/" + name + ".zip";
        List<byte[]> inputs = new ArrayList<>();
        try (InputStream in = Corpus.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("no resource " + resource + ": write it with tools/dev/fuzz keep " + name);
            }
            ZipInputStream zip = new ZipInputStream(in);
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                inputs.add(zip.readAllBytes());
            }
        }
        return inputs;
    }

    private static String show(byte[] input) {
        int shown = Math.min(input.length, SHOWN_BYTES);
        return HexFormat.of().formatHex(input, 0, shown) + (shown < input.length ? "..." : "");
    }
}
