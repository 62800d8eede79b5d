package io.rxe.tools.side;

import java.io.EOFException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;

/** A link whose peer sends the messages of a script. Records what is read and written. */
public final class ScriptedLink implements PeerLink {
    private final boolean isClient;
    private final Queue<byte[]> replies;
    private final List<String> log = new ArrayList<>();
    private final List<String> sent = new ArrayList<>();

    /** @param replies the messages of the peer, in order. */
    public ScriptedLink(boolean isClient, byte[]... replies) {
        this.isClient = isClient;
        this.replies = new ArrayDeque<>(List.of(replies));
    }

    /** Each read with its length and each write with its text, in order; a 0 is shown as a point. */
    public List<String> log() {
        return log;
    }

    /** Our messages in hexadecimal digits. */
    public List<String> sent() {
        return sent;
    }

    /** Whether the script is over. */
    public boolean isUsedUp() {
        return replies.isEmpty();
    }

    @Override
    public String peer() {
        return "script";
    }

    @Override
    public boolean isClient() {
        return isClient;
    }

    @Override
    public void readTimeout(Duration timeout) {
        // A script replies at once.
    }

    @Override
    public byte[] readExactly(int lengthBytes) throws EOFException {
        log.add("read " + lengthBytes);
        byte[] reply = replies.poll();
        if (reply == null || reply.length != lengthBytes) {
            throw new EOFException("the script has no reply of " + lengthBytes + " bytes");
        }
        return reply;
    }

    @Override
    public void write(byte[] message) {
        log.add("write " + new String(message, StandardCharsets.US_ASCII).replace('\0', '.'));
        sent.add(HexFormat.of().formatHex(message));
    }

    @Override
    public boolean isEnded() {
        return false;
    }

    @Override
    public void close() {
        log.add("close");
    }
}
