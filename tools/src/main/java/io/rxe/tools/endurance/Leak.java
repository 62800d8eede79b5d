package io.rxe.tools.endurance;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A planted leak: shows that the judge can fail. Each keeps one more thing at each sample. */
enum Leak {
    HEAP {
        @Override
        Object one() {
            return new byte[LEAKED_BYTES];
        }
    },
    DIRECT {
        @Override
        Object one() {
            return ByteBuffer.allocateDirect(LEAKED_BYTES);
        }
    },
    DESCRIPTORS {
        @Override
        Object one() throws IOException {
            return new FileInputStream(Path.of("/dev/null").toFile());
        }

        @Override
        void undo(Object leaked) throws IOException {
            ((FileInputStream) leaked).close();
        }
    },
    THREADS {
        @Override
        Object one() {
            Thread thread = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    LockSupport.park();
                }
            }, "planted-leak");
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        @Override
        void undo(Object leaked) {
            ((Thread) leaked).interrupt();
        }
    };

    private static final int LEAKED_BYTES = 128 << 10;

    private final List<Object> kept = new ArrayList<>();

    abstract Object one() throws IOException;

    void undo(Object leaked) throws IOException {
        // The collector frees it.
    }

    /** Gives back what was leaked. */
    void undo() throws IOException {
        for (Object leaked : kept) {
            undo(leaked);
        }
        kept.clear();
    }

    void grow() throws IOException {
        kept.add(one());
    }
}
