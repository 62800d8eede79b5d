package io.rxe.net.observe;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * The file of one capture, which no other NIC writes: the ranks of a job are all told the same. An existing file is overwritten. Where
 * another NIC writes it, of this process or another, the file is {@code run-2.pcapng} beside {@code run.pcapng}, then
 * {@code run-3.pcapng} and so on. Files that cannot be locked, such as pipes, are not checked.
 *
 * <p>Any thread may call.
 */
final class CaptureTarget implements AutoCloseable {
    private static final int MOST_FILES = 1000;
    /** The keys of the files that NICs of this process write. A process that opens and closes such a file would lose its lock. */
    private static final Set<Object> WRITTEN = new HashSet<>();

    private final Path path;
    private final FileOutputStream stream;
    private final Object key;

    private CaptureTarget(Path path, FileOutputStream stream, Object key) {
        this.path = path;
        this.stream = stream;
        this.key = key;
    }

    /** @throws IOException if neither the file nor one beside it can be written. */
    static CaptureTarget open(Path wanted) throws IOException {
        Path path = wanted;
        try {
            for (int number = 2; number <= MOST_FILES; number++) {
                CaptureTarget target = tryOpen(path);
                if (target != null) {
                    return target;
                }
                path = wanted.resolveSibling(wanted.getFileName().toString().replaceFirst("(\\.[^.]*)?$", "-" + number + "$1"));
            }
            throw new IOException("other NICs write the " + (MOST_FILES - 1) + " files before it");
        } catch (IOException e) {
            throw new IOException(FileFailure.ofWrite("the capture", path, e), e);
        }
    }

    /** Null where another NIC writes it. */
    static CaptureTarget tryOpen(Path path) throws IOException {
        check(path);
        // Looked for and added at once: two NICs that open would each find the file free.
        synchronized (WRITTEN) {
            if (WRITTEN.contains(key(path))) {
                return null;
            }
            // Not a channel: one that an interrupted thread uses is closed, and what was captured last would be lost with the NIC's close.
            FileOutputStream stream = new FileOutputStream(path.toFile(), true);
            if (Files.isRegularFile(path)) {
                if (!lock(stream)) {
                    stream.close();
                    return null;
                }
                stream.getChannel().truncate(0);
            }
            Object key = key(path);
            if (key != null) {
                WRITTEN.add(key);
            }
            return new CaptureTarget(path, stream, key);
        }
    }

    private static void check(Path path) throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new NoSuchFileException(path.toString());
        }
        if (Files.isDirectory(path) || Files.exists(path) && !Files.isWritable(path)) {
            throw new AccessDeniedException(path.toString());
        }
    }

    /** Null for what is no file. */
    private static Object key(Path path) throws IOException {
        return Files.isRegularFile(path) ? Files.getAttribute(path, "unix:fileKey") : null;
    }

    /** False where another process has the lock, which ends with that process, or a NIC of another class loader of this one. */
    private static boolean lock(FileOutputStream stream) {
        try {
            return stream.getChannel().tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            // A file system without locks.
            return true;
        }
    }

    Path path() {
        return path;
    }

    FileOutputStream stream() {
        return stream;
    }

    /** Others may write the file from now on. */
    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException e) {
            // Whoever wrote has met it before.
        }
        synchronized (WRITTEN) {
            WRITTEN.remove(key);
        }
    }
}
