package io.rxe.ibverbs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Texts as the system has them: bytes, of any encoding. Java decodes its arguments and loses what is no text in the encoding of the locale,
 * which is all but ASCII where none is set, as in most containers.
 */
final class NativeText {
    private static final Path ARGUMENTS = Path.of("/proc/self/cmdline");

    private NativeText() {
    }

    /** Of the names of files and the arguments of this process, whatever Java writes by default. */
    private static Charset charset() {
        return Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    }

    static byte[] bytes(String text) {
        return text.getBytes(charset());
    }

    static byte[][] bytes(Collection<String> texts) {
        return texts.stream().map(NativeText::bytes).toArray(byte[][]::new);
    }

    /** The bytes of words: as this process was given them, where they are its last arguments. */
    static byte[][] arguments(List<String> words) {
        try {
            return arguments(words, Files.readAllBytes(ARGUMENTS), charset());
        } catch (IOException e) {
            return bytes(words);
        }
    }

    /**
     * @param given   the arguments of this process, each with a zero behind it.
     * @param charset in which Java decoded them.
     */
    static byte[][] arguments(List<String> words, byte[] given, Charset charset) {
        List<byte[]> all = split(given);
        List<byte[]> last = all.subList(Math.max(0, all.size() - words.size()), all.size());
        boolean same = last.stream().map(word -> new String(word, charset)).toList().equals(words);
        return same ? last.toArray(byte[][]::new) : words.stream().map(word -> word.getBytes(charset)).toArray(byte[][]::new);
    }

    private static List<byte[]> split(byte[] given) {
        List<byte[]> parts = new ArrayList<>();
        ByteArrayOutputStream part = new ByteArrayOutputStream();
        for (byte next : given) {
            if (next == 0) {
                parts.add(part.toByteArray());
                part.reset();
            } else {
                part.write(next);
            }
        }
        return parts;
    }
}
