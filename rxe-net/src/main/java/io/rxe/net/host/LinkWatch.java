package io.rxe.net.host;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Looks whether the interfaces of a NIC's ports are up: reads {@code /sys/class/net/IF/operstate} by a descriptor that stays open. So it
 * goes on in a program that has forbidden itself to ask the kernel by socket, or to open files. Where /sys does not show the interface, as
 * in a network namespace that did not mount its own, the port counts as up. Used by one thread at a time.
 */
public final class LinkWatch implements Closeable {
    private static final Path INTERFACES = Path.of("/sys/class/net");
    private static final List<byte[]> DOWN = List.of(word("down"), word("lowerlayerdown"), word("notpresent"));
    private static final int LONGEST = 32;

    private final Path interfaces;
    private final Listener listener;
    private final List<Link> links = new ArrayList<>();

    /** Gets every change. */
    public interface Listener {
        /**
         * The interface of a port is up, or down; the first time for each port that is down.
         *
         * @param port 1 to the number of ports.
         */
        void onLink(int port, boolean isUp, String name);
    }

    public LinkWatch(Listener listener) {
        this(INTERFACES, listener);
    }

    LinkWatch(Path interfaces, Listener listener) {
        this.interfaces = interfaces;
        this.listener = listener;
    }

    private static byte[] word(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** @param index of the interface: another one may have its name in the namespace that /sys shows. */
    public void add(int port, String name, int index) {
        Path folder = interfaces.resolve(name);
        Link link = new Link(port, name, folder.resolve("operstate"));
        try {
            if (Files.readString(folder.resolve("ifindex")).trim().equals(Integer.toString(index))) {
                link.open();
                links.add(link);
            }
        } catch (IOException e) {
            // /sys does not show it.
        }
    }

    /** Tells the listener what has changed since the last look; returns whether anything has. */
    public boolean look() {
        boolean changed = false;
        for (Link link : links) {
            boolean isUp = link.isUp();
            if (isUp != link.up) {
                link.up = isUp;
                changed = true;
                listener.onLink(link.port, isUp, link.name);
            }
        }
        return changed;
    }

    /** Closes each descriptor, also where closing another has thrown. */
    @Override
    public void close() {
        UncheckedIOException failure = null;
        for (Link link : links) {
            try {
                link.channel.close();
            } catch (IOException e) {
                failure = failure == null ? new UncheckedIOException(e) : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static final class Link {
        private final int port;
        private final String name;
        private final Path file;
        private final ByteBuffer buffer = ByteBuffer.allocate(LONGEST);
        private FileChannel channel;
        private boolean up = true;

        Link(int port, String name, Path file) {
            this.port = port;
            this.name = name;
            this.file = file;
        }

        void open() throws IOException {
            channel = FileChannel.open(file, StandardOpenOption.READ);
        }

        boolean isUp() {
            try {
                return read();
            } catch (IOException e) {
                return isUpAgain();
            }
        }

        /** The interface of the descriptor is gone; another may have its name by now. */
        private boolean isUpAgain() {
            try {
                channel.close();
                open();
                return read();
            } catch (NoSuchFileException e) {
                return false;
            } catch (IOException e) {
                return up;
            }
        }

        private boolean read() throws IOException {
            int length = channel.read(buffer.clear(), 0);
            // One line.
            return DOWN.stream().noneMatch(word -> Arrays.equals(word, 0, word.length, buffer.array(), 0, Math.max(0, length - 1)));
        }
    }
}
