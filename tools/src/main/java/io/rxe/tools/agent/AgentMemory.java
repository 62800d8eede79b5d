package io.rxe.tools.agent;

import io.rxe.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/** A registered buffer of the agent. */
record AgentMemory(ByteBuffer buffer, MemoryRegion region) implements AutoCloseable {
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
