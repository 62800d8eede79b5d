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
        String text = "rxe " + number() + ", commit " + commit() + ", Java " + System.getProperty("java.version");
        return new String[] {text};
    }

    /** The commit of the checkout the launcher was started from, as it is now, or else of the build. */
    public static String commit() {
        String home = System.getProperty(HOME_PROPERTY, "");
        return home.isEmpty() ? ofBuild("commit", MachineInfo.UNKNOWN) : MachineInfo.commit(Path.of(home));
    }

    /** Version number of the build. */
    public static String number() {
        return ofBuild("version", "of unknown version");
    }

    private static String ofBuild(String name, String unknown) {
        Properties properties = new Properties();
        try (InputStream stream = VersionText.class.getResourceAsStream("version.properties")) {
            if (stream != null) {
                properties.load(stream);
            }
        } catch (IOException e) {
            // Reported as unknown below.
        }
        String value = properties.getProperty(name, "");
        return value.isEmpty() ? unknown : value;
    }
}
