package io.rxe.testkit.agent;

import io.rxe.verbs.MemoryRegion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;

/** A registered buffer of the agent. */
record AgentMemory(ByteBuffer buffer, MemoryRegion region) implements AutoCloseable {
    /** Maps a file that goes when the memory is no longer used: only such memory can be persistent. */
    static ByteBuffer mapFile(int lengthBytes) {
        try {
            Path file = Files.createTempFile("rxe-agent", null);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot map a temporary file of " + lengthBytes + " bytes", e);
        }
    }

    byte[] read(int offset, int lengthBytes) {
        byte[] data = new byte[lengthBytes];
        buffer.get(offset, data);
        return data;
    }

    byte[] sha256(int offset, int lengthBytes) {
        MessageDigest digest = FillPattern.sha256();
        digest.update(buffer.duplicate().position(offset).limit(offset + lengthBytes));
        return digest.digest();
    }

    @Override
    public void close() {
        region.close();
    }
}
