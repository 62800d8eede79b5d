package io.rxe.net.observe;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Says why a file cannot be written or read, and what to do; the exceptions of the JDK often have nothing but its name. */
public final class FileFailure {
    private FileFailure() {
    }

    /**
     * The sentence for a file that cannot be written.
     *
     * @param what  the contents, such as "the capture".
     * @param cause what the attempt threw.
     */
    public static String ofWrite(String what, Path file, IOException cause) {
        String remedy;
        if (cause instanceof NoSuchFileException) {
            Path folder = file.toAbsolutePath().getParent();
            remedy = "make that folder (mkdir -p " + folder + ") or choose another file";
        } else if (cause instanceof AccessDeniedException) {
            remedy = "choose a file that this user may write";
        } else if (isFull(cause)) {
            remedy = "make room (df " + file + ") or choose another file";
        } else if (String.valueOf(cause.getMessage()).contains("File too large")) {
            remedy = "raise the limit on the size of a file (ulimit -f)";
        } else {
            remedy = "choose another file";
        }
        return "cannot write " + what + " to " + file + ": " + reason(file, cause) + "; " + remedy;
    }

    private static boolean isFull(IOException cause) {
        String text = String.valueOf(cause.getMessage());
        return text.contains("No space left") || text.contains("quota exceeded");
    }

    /**
     * A file that a user named.
     *
     * @param what the contents, such as "the capture".
     * @throws IllegalArgumentException for an empty name, which would be taken for the current folder.
     */
    public static Path named(String what, Path file) {
        if (file.toString().isEmpty()) {
            throw new IllegalArgumentException("the name of the file for " + what + " is empty: name one");
        }
        return file;
    }

    /** @throws IllegalArgumentException with the {@link #sentence} for a name that the locale has no characters for. */
    public static Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(sentence(e), e);
        }
    }

    /** Why a file cannot be read, without its name. */
    public static String ofRead(IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "no such file";
        }
        if (cause instanceof CharacterCodingException) {
            return "it is no text in UTF-8";
        }
        return cause instanceof AccessDeniedException ? "this user may not read it" : message(cause);
    }

    /**
     * The message of an exception; of one whose cause is a name that the locale has no characters for, a sentence with the remedy, which
     * Java's has not.
     */
    public static String sentence(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidPathException name) {
                return "the name '" + name.getInput() + "' has characters that the locale of this process has not: set LC_ALL=C.UTF-8, or"
                    + " choose another name";
            }
        }
        return thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
    }

    private static String reason(Path file, IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "its folder " + file.toAbsolutePath().getParent() + " does not exist";
        }
        if (file.toString().isEmpty()) {
            return "its name is empty";
        }
        if (Files.isDirectory(file)) {
            return "it is a folder";
        }
        return cause instanceof AccessDeniedException ? "permission denied" : message(cause);
    }

    private static String message(IOException cause) {
        if (cause instanceof FileSystemException system && system.getReason() != null) {
            return system.getReason();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
