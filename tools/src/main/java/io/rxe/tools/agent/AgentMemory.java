package io.rxe.tools.agent;

import io.rxe.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/** A registered buffer of the agent. */
record AgentMemory(ByteBuffer buffer, MemoryRegion region) implements AutoCloseable {
    byte[] read(final int offset, final int lengthBytes) {
        final byte[] data = new byte[lengthBytes];
        buffer.get(offset, data);
        return data;
    }

    byte[] sha256(final int offset, final int lengthBytes) {
        final MessageDigest digest = FillPattern.sha256();
        digest.update(buffer.duplicate().position(offset).limit(offset + lengthBytes));
        return digest.digest();
    }

    @Override
    public void close() {
        region.close();
    }
}
