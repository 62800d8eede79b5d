package io.rxe.bench.perftest;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;

/** A control connection whose other end says what a test tells it to. Remembers what we said, in hex. */
final class ScriptedLink implements ControlLink {
    private final Queue<byte[]> answers;
    private final List<String> said = new ArrayList<>();

    ScriptedLink(byte[]... answers) {
        this.answers = new ArrayDeque<>(List.of(answers));
    }

    List<String> said() {
        return said;
    }

    boolean isUsedUp() {
        return answers.isEmpty();
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
    public byte[] exchange(byte[] own, boolean isPatient) throws IOException {
        said.add(HexFormat.of().formatHex(own));
        byte[] answer = answers.poll();
        if (answer == null || answer.length != own.length) {
            throw new EOFException("the script has no answer of " + own.length + " bytes");
        }
        return answer;
    }

    @Override
    public void sendLast(byte[] message) {
        said.add(HexFormat.of().formatHex(message));
    }

    @Override
    public void close() {
        said.add("close");
    }
}
