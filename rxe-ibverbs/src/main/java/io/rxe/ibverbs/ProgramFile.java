package io.rxe.ibverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** A program to run: where it is, and whether a preloaded library reaches it. */
final class ProgramFile {
    private static final int SETUID_OR_SETGID = 06000;
    private static final int ELF_MAGIC = 0x464C457F;
    private static final int ELF_HEADER_BYTES = 64;
    private static final int INTERPRETER_SEGMENT = 3;

    private ProgramFile() {
    }

    /**
     * Finds a program as a shell does.
     *
     * @param path folders separated by colons; used for a name without a slash.
     * @throws IOException when there is none.
     */
    static Path find(String name, String path) throws IOException {
        Stream<Path> candidates = name.contains("/") ? Stream.of(Path.of(name))
            : Arrays.stream(path.split(":")).map(folder -> Path.of(folder, name));
        return candidates.filter(file -> Files.isRegularFile(file) && Files.isExecutable(file)).findFirst()
            .orElseThrow(() -> new NoSuchFileException(name + (!name.contains("/")
                ? ": there is no such program in PATH: install it, or give its path" : Files.isRegularFile(Path.of(name))
                ? ": this file may not be executed: chmod +x it, or put its interpreter in front of it" : ": there is no such program")));
    }

    /** @throws IOException when the loader would not preload a library into the program; the message says why. */
    static void requirePreloadable(Path program) throws IOException {
        int mode = (Integer) Files.getAttribute(program, "unix:mode");
        Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if ((mode & SETUID_OR_SETGID) != 0 && !user.equals(Files.getAttribute(program, "unix:uid"))) {
            throw new IOException(program + " is a setuid or setgid program, which the system's loader protects from preloaded libraries:"
                + " run a copy of it without that bit");
        }
        if (isElf64(program) && !hasInterpreter(program)) {
            throw new IOException(program + " is linked statically, so that no library can be preloaded: link it with libibverbs.so");
        }
    }

    private static boolean isElf64(Path program) throws IOException {
        ByteBuffer header = read(program, 0, ELF_HEADER_BYTES);
        return header.limit() == ELF_HEADER_BYTES && header.getInt(0) == ELF_MAGIC && header.get(4) == 2;
    }

    private static boolean hasInterpreter(Path program) throws IOException {
        ByteBuffer header = read(program, 0, ELF_HEADER_BYTES);
        long table = header.getLong(32);
        int entryBytes = header.getShort(54) & 0xFFFF;
        int entries = header.getShort(56) & 0xFFFF;
        ByteBuffer segments = read(program, table, entryBytes * entries);
        for (int at = 0; at + Integer.BYTES <= segments.limit(); at += entryBytes) {
            if (segments.getInt(at) == INTERPRETER_SEGMENT) {
                return true;
            }
        }
        return false;
    }

    /** Reads up to a number of bytes; the buffer's limit is what was there. */
    private static ByteBuffer read(Path file, long offset, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        try (SeekableByteChannel channel = Files.newByteChannel(file).position(offset)) {
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // Until the buffer is full or the file ends.
            }
        }
        return buffer.flip();
    }
}
