package io.rxe.net.host;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.Callable;

/** A pipe that is readable from {@link #set} to {@link #clear}: a file descriptor for the selectors of Java. It holds one byte at most. */
public final class ReadinessPipe implements Closeable {
    private final Pipe pipe;
    private volatile boolean readable;

    public ReadinessPipe() throws IOException {
        pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        pipe.sink().configureBlocking(false);
    }

    public SelectableChannel source() {
        return pipe.source();
    }

    /** Makes it readable. Any thread; what it waits for is one call that does not block. */
    public void set() {
        if (readable) {
            return;
        }
        synchronized (this) {
            if (!readable) {
                readable = true;
                use(() -> pipe.sink().write(ByteBuffer.allocate(1)));
            }
        }
    }

    /** Makes it unreadable; false if it was not readable. The caller polls for events after that. */
    public synchronized boolean clear() {
        if (!readable) {
            return false;
        }
        use(() -> pipe.source().read(ByteBuffer.allocate(1)));
        readable = false;
        return true;
    }

    /** A channel of Java closes itself when an interrupted thread uses it. A channel that is closed stays readable. */
    private static void use(Callable<Integer> transfer) {
        boolean interrupted = Thread.interrupted();
        try {
            transfer.call();
        } catch (Exception e) {
            // Closed meanwhile.
        } finally {
            restore(interrupted);
        }
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            pipe.sink().close();
            pipe.source().close();
        } catch (IOException e) {
            // Nothing is left to be done with it.
        }
    }
}
