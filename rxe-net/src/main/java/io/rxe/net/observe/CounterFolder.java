package io.rxe.net.observe;

import io.rxe.counters.CountersView;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The folder with the counter files of a user's processes: {@code rxe-UID} in $XDG_RUNTIME_DIR, or in /tmp where that is not set. Each
 * process has one file, or one for each class loader of rxe, named after its ID. Files of the last few processes that ended are kept.
 */
public final class CounterFolder {
    /** Files of ended processes that are kept. */
    static final int KEPT = 4;

    private static final String SUFFIX = ".counters";
    /** Where a process's start is in {@code /proc/PID/stat}, behind the name of its program. */
    private static final int START_WORD = 19;

    private CounterFolder() {
    }

    /** Folders in which files of this user may be, whether or not they exist. */
    public static List<Path> candidates() {
        List<Path> folders = new ArrayList<>();
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        String name = "rxe-" + userId();
        if (runtime != null && !runtime.isEmpty()) {
            folders.add(Path.of(runtime, name));
        }
        folders.add(Path.of("/tmp", name));
        return folders;
    }

    private static Object userId() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException | UnsupportedOperationException e) {
            return System.getProperty("user.name");
        }
    }

    /**
     * The first usable folder, created if necessary: no other user may write there.
     *
     * @throws IOException if there is none.
     */
    public static Path prepare() throws IOException {
        IOException refusal = null;
        for (Path folder : candidates()) {
            try {
                return own(folder);
            } catch (IOException e) {
                refusal = e;
            }
        }
        throw refusal;
    }

    /** Creates a folder, or checks that an existing one belongs to this user alone: in /tmp any user could have created it. */
    static Path own(Path folder) throws IOException {
        Set<PosixFilePermission> mine = PosixFilePermissions.fromString("rwx------");
        try {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(mine));
        } catch (FileAlreadyExistsException e) {
            // Checked below.
        }
        boolean ours = Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
            && Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(userId());
        if (!ours || !mine.containsAll(Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS))) {
            throw new IOException(folder + " is not a folder of this user alone: remove it, or set XDG_RUNTIME_DIR");
        }
        return folder;
    }

    static Path file(Path folder, long processId) {
        return folder.resolve(processId + SUFFIX);
    }

    /** The file that this process makes: not one that another class loader of it has made. */
    static Path ofProcess(Path folder) {
        long process = ProcessHandle.current().pid();
        Path file = file(folder, process);
        for (int loader = 2; isOfRunning(file); loader++) {
            file = folder.resolve(process + "." + loader + SUFFIX);
        }
        return file;
    }

    private static boolean isOfRunning(Path file) {
        try {
            return isRunning(open(file));
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    /** The counter files of a folder, the latest change first; none when there is no such folder. */
    public static List<Path> files(Path folder) {
        // Each time is read once, as the files change meanwhile: a sort throws where its order does.
        Map<Path, FileTime> found = new HashMap<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
                stream.forEach(file -> found.put(file, changed(file)));
            } catch (IOException | DirectoryIteratorException e) {
                return List.copyOf(found.keySet());
            }
        }
        return found.entrySet().stream().sorted(Map.Entry.<Path, FileTime>comparingByValue().reversed()).map(Map.Entry::getKey).toList();
    }

    private static FileTime changed(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            return FileTime.fromMillis(0);
        }
    }

    /**
     * Opens a file for reading, without disturbing its writer.
     *
     * @throws IOException              if it cannot be read.
     * @throws IllegalArgumentException if it is not a counter file.
     */
    public static CountersView open(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            long length = channel.size();
            if (length > Integer.MAX_VALUE) {
                throw new IllegalArgumentException(file + " is not a counter file of rxe: it is longer than 2 GiB");
            }
            return new CountersView(new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_ONLY, 0, length)));
        }
    }

    /** Whether the process that writes the file is alive: another process may have its ID meanwhile. */
    public static boolean isRunning(CountersView view) {
        long ticks = startTicks(view.processId());
        return ticks != 0 && ticks == view.startTicks();
    }

    /**
     * When a process started, in ticks since the system did: its start as a time of day moves when the clock is set. 0 where there is no
     * such process.
     */
    static long startTicks(long processId) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(processId), "stat"), StandardCharsets.ISO_8859_1);
            // The name, in parentheses, may have any characters.
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[START_WORD]);
        } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
            return 0;
        }
    }

    /** When a process started, in ms since 1970; 0 when the system does not report it. */
    static long startMs(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /** Removes the files of ended processes, except for the last few. */
    static void clean(Path folder) {
        int kept = 0;
        for (Path file : files(folder)) {
            if (!isInUse(file) && ++kept > KEPT - 1) {
                try {
                    Files.deleteIfExists(file);
                } catch (IOException e) {
                    // Tried again with the next process.
                    continue;
                }
            }
        }
    }

    private static boolean isInUse(Path file) {
        try {
            return isRunning(open(file));
        } catch (IOException | IllegalArgumentException e) {
            // Its process may be about to write the header, or is another version of rxe.
            return isNamedAfterProcess(file);
        }
    }

    private static boolean isNamedAfterProcess(Path file) {
        String name = file.getFileName().toString();
        try {
            return ProcessHandle.of(Long.parseLong(name.substring(0, name.indexOf('.')))).isPresent();
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
