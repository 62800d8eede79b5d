package io.rxe.tools.cli;

import io.rxe.bench.MachineInfo;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Version of the program, its commit, and the Java it runs on. */
public final class VersionText implements IVersionProvider {
    private static final String HOME_PROPERTY = "rxe.home";

    @Override
    public String[] getVersion() {
        String text = "rxe " + number() + ", commit " + MachineInfo.commit(home()) + ", Java "
            + System.getProperty("java.version");
        return new String[] {text};
    }

    /** The checkout the launcher was started from, or null. */
    public static Path home() {
        String home = System.getProperty(HOME_PROPERTY);
        return home == null || home.isEmpty() ? null : Path.of(home);
    }

    /** Version number of the build. */
    public static String number() {
        Properties properties = new Properties();
        try (InputStream stream = VersionText.class.getResourceAsStream("version.properties")) {
            if (stream != null) {
                properties.load(stream);
            }
        } catch (IOException e) {
            // Reported as unknown below.
        }
        return properties.getProperty("version", "of unknown version");
    }
}
