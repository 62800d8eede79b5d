package io.rxe.tools.perftest.handshake;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;

/** A control connection whose peer sends the messages of a script. Records our messages in hex. */
final class ScriptedLink implements ControlLink {
    private final Queue<byte[]> replies;
    private final List<String> sent = new ArrayList<>();

    ScriptedLink(byte[]... replies) {
        this.replies = new ArrayDeque<>(List.of(replies));
    }

    List<String> sent() {
        return sent;
    }

    boolean isUsedUp() {
        return replies.isEmpty();
    }

    @Override
    public String peer() {
        return "script";
    }

    @Override
    public boolean isClient() {
        return true;
    }

    @Override
    public KeyFormat keyFormat() {
        return KeyFormat.TEXT;
    }

    @Override
    public byte[] exchange(byte[] own, boolean isUnbounded) throws IOException {
        sent.add(HexFormat.of().formatHex(own));
        byte[] reply = replies.poll();
        if (reply == null || reply.length != own.length) {
            throw new EOFException("the script has no reply of " + own.length + " bytes");
        }
        return reply;
    }

    @Override
    public void sendLast(byte[] message) {
        sent.add(HexFormat.of().formatHex(message));
    }

    @Override
    public String endReason() {
        return null;
    }

    @Override
    public void close() {
        sent.add("close");
    }
}
