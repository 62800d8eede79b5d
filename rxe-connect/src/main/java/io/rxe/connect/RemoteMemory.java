package io.rxe.connect;

import io.rxe.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Memory of a peer that one-sided operations may reach: its address, length and remote key. Immutable. Its owner registers the memory with
 * remote access, and sends the {@link #BYTES} bytes of this in private data or in a message. Who has them can do what the region grants.
 *
 * @param address of the first byte, in the address space of its owner.
 * @param length  in bytes, 0 or more.
 * @param key     the rkey.
 */
public record RemoteMemory(long address, long length, int key) {
    /** Bytes on the wire: address, length and key, big-endian. */
    public static final int BYTES = 2 * Long.BYTES + Integer.BYTES;

    /** @throws IllegalArgumentException for a negative length. */
    public RemoteMemory {
        if (length < 0) {
            throw new IllegalArgumentException("remote memory of " + length + " bytes < 0: give the length of a region");
        }
    }

    /** Returns all of a region of this side, to be sent to a peer. */
    public static RemoteMemory of(MemoryRegion region) {
        Objects.requireNonNull(region, "the region is null: register memory with remote access");
        return new RemoteMemory(region.address(), region.length(), region.rKey());
    }

    /**
     * Returns a part of it.
     *
     * @throws IllegalArgumentException for a part that is not inside.
     */
    public RemoteMemory slice(long offset, long lengthBytes) {
        return new RemoteMemory(addressOf(offset, lengthBytes), lengthBytes, key);
    }

    /** Returns the bytes for a message or private data. */
    public byte[] toBytes() {
        byte[] bytes = new byte[BYTES];
        put(ByteBuffer.wrap(bytes));
        return bytes;
    }

    /**
     * Puts it into a buffer, big-endian whatever the buffer's order, and advances its position by {@link #BYTES}.
     *
     * @throws java.nio.BufferOverflowException if the buffer has less room.
     */
    public void put(ByteBuffer to) {
        ByteOrder order = to.order();
        to.order(ByteOrder.BIG_ENDIAN).putLong(address).putLong(length).putInt(key).order(order);
    }

    /**
     * Takes one out of a buffer, and advances its position by {@link #BYTES}.
     *
     * @throws IllegalArgumentException if fewer bytes are left, or they have a negative length.
     */
    public static RemoteMemory get(ByteBuffer from) {
        if (from.remaining() < BYTES) {
            throw new IllegalArgumentException("a remote memory is " + BYTES + " bytes, here are " + from.remaining()
                + ": check what the peer sent");
        }
        ByteOrder order = from.order();
        from.order(ByteOrder.BIG_ENDIAN);
        long address = from.getLong();
        long length = from.getLong();
        int key = from.getInt();
        from.order(order);
        return new RemoteMemory(address, length, key);
    }

    /** As {@link #get(ByteBuffer)}, for the begin of an array, for example {@link RxeConnection#peerData}. */
    public static RemoteMemory of(byte[] from) {
        return get(ByteBuffer.wrap(from));
    }

    /** @throws IllegalArgumentException for a range that is not inside. */
    long addressOf(long offset, long lengthBytes) {
        if (offset < 0 || lengthBytes < 0 || offset > length - lengthBytes) {
            throw new IllegalArgumentException(lengthBytes + " bytes at offset " + offset + " are not in remote memory of " + length
                + " bytes: name a part of it");
        }
        return address + offset;
    }

    @Override
    public String toString() {
        return "remote memory of " + length + " bytes at 0x" + Long.toHexString(address) + ", rkey 0x" + Integer.toHexString(key);
    }
}
