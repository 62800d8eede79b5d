package io.rxe.bench.raw;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * Round trips of one frame between two threads: spinning on the sockets, or sleeping in epoll like a NIC that does not spin.
 */
final class RawRoundTrip {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long GRACE_SECONDS = 30;

    private final int payloadBytes;
    private final Histogram trips = new Histogram(1, LONGEST_NS, 3);
    private volatile boolean stopped;

    RawRoundTrip(int payloadBytes) {
        this.payloadBytes = payloadBytes;
    }

    /** Round trips of two threads that never sleep, in nanoseconds. */
    Histogram spin(long warmUpNs, long durationNs) throws IOException {
        try (RawSocket here = RawSocket.open(); RawSocket there = RawSocket.open()) {
            CompletableFuture<Void> echo = new CompletableFuture<>();
            Thread echoer = new Thread(() -> echo(there, here.port(), echo), "raw-echo");
            echoer.setDaemon(true);
            echoer.start();
            Caller caller = new Caller(here, there.port(), warmUpNs, durationNs);
            caller.call();
            while (!caller.onReadable()) {
                if (echo.isCompletedExceptionally()) {
                    await(echo);
                }
                Thread.onSpinWait();
            }
            stopped = true;
            await(echo);
            return trips;
        } finally {
            stopped = true;
        }
    }

    private void echo(RawSocket socket, int port, CompletableFuture<Void> end) {
        try {
            Echo echo = new Echo(socket, port);
            while (!stopped) {
                echo.onReadable();
                Thread.onSpinWait();
            }
            end.complete(null);
        } catch (IOException e) {
            end.completeExceptionally(e);
        }
    }

    /** Round trips of two event loops that sleep until their socket is readable, in nanoseconds. */
    Histogram block(long warmUpNs, long durationNs) throws IOException {
        MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("raw", true), EpollIoHandler.newFactory());
        try (RawSocket here = RawSocket.open(); RawSocket there = RawSocket.open()) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            Echo echo = new Echo(there, here.port());
            Caller caller = new Caller(here, there.port(), warmUpNs, durationNs);
            register(group.next(), there, () -> echo.onReadable(), end);
            IoEventLoop loop = group.next();
            register(loop, here, () -> {
                if (caller.onReadable()) {
                    end.complete(null);
                }
            }, end);
            loop.execute(() -> {
                try {
                    caller.call();
                } catch (IOException e) {
                    end.completeExceptionally(e);
                }
            });
            await(end, warmUpNs + durationNs);
            return trips;
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private static void register(IoEventLoop loop, RawSocket socket, Step step, CompletableFuture<Void> end) throws IOException {
        CompletableFuture<IoRegistration> done = new CompletableFuture<>();
        loop.register(new Handle(socket, step, end)).addListener(future -> {
            if (future.isSuccess()) {
                done.complete((IoRegistration) future.getNow());
            } else {
                done.completeExceptionally(future.cause());
            }
        });
        await(done).submit(EpollIoOps.EPOLLIN);
    }

    private static <T> T await(CompletableFuture<T> future) throws IOException {
        return await(future, 0);
    }

    private static <T> T await(CompletableFuture<T> future, long expectedNs) throws IOException {
        try {
            return future.get(GRACE_SECONDS + TimeUnit.NANOSECONDS.toSeconds(expectedNs), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException("raw UDP failed: " + e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("raw UDP: no frame returned for " + GRACE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while raw UDP was measured", e);
        }
    }

    /** Called when a socket may be readable. */
    private interface Step {
        void run() throws IOException;
    }

    /** Sends a frame, and the next one when the echo arrives. */
    private final class Caller {
        private final RawSocket socket;
        private final int port;
        private final RawFrame frame = new RawFrame(payloadBytes);
        private final long measureFromNs;
        private final long endNs;
        private long sentNs;
        private long number;

        Caller(RawSocket socket, int port, long warmUpNs, long durationNs) {
            this.socket = socket;
            this.port = port;
            measureFromNs = System.nanoTime() + warmUpNs;
            endNs = measureFromNs + durationNs;
        }

        void call() throws IOException {
            sentNs = System.nanoTime();
            frame.make(0, number++);
            socket.send(frame, frame.lengthBytes(), port);
        }

        /** Whether the time is over. */
        boolean onReadable() throws IOException {
            if (socket.receive(frame) != frame.lengthBytes()) {
                return false;
            }
            if (!frame.take(0)) {
                throw new IOException("the echo of frame " + number + " has a wrong CRC");
            }
            long nowNs = System.nanoTime();
            if (nowNs >= measureFromNs) {
                trips.recordValue(nowNs - sentNs);
            }
            if (nowNs >= endNs) {
                return true;
            }
            call();
            return false;
        }
    }

    /** Echoes every frame. */
    private final class Echo {
        private final RawSocket socket;
        private final int port;
        private final RawFrame frame = new RawFrame(payloadBytes);

        Echo(RawSocket socket, int port) {
            this.socket = socket;
            this.port = port;
        }

        void onReadable() throws IOException {
            if (socket.receive(frame) == frame.lengthBytes()) {
                if (!frame.take(0)) {
                    throw new IOException("a frame arrived with a wrong CRC");
                }
                frame.make(0, frame.numberAt(0));
                socket.send(frame, frame.lengthBytes(), port);
            }
        }
    }

    /** Registration of a socket with epoll. */
    private static final class Handle implements EpollIoHandle {
        private final RawSocket socket;
        private final Step step;
        private final CompletableFuture<Void> end;

        Handle(RawSocket socket, Step step, CompletableFuture<Void> end) {
            this.socket = socket;
            this.step = step;
            this.end = end;
        }

        @Override
        public FileDescriptor fd() {
            return socket.socket();
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            try {
                step.run();
            } catch (IOException e) {
                end.completeExceptionally(e);
            }
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
