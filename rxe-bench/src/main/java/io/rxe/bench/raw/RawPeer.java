package io.rxe.bench.raw;

import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * One side of a flow between two processes, which may be in two network namespaces or on two machines. Both sides use the same port.
 *
 * @param local        IPv4 address of this side.
 * @param peer         IPv4 address of the other side.
 * @param port         UDP port of both sides.
 * @param payloadBytes of each frame; the same on both sides.
 */
public record RawPeer(InetAddress local, InetAddress peer, int port, int payloadBytes) {
    private static final long STEP_NS = 10_000_000L;
    private static final long STALL_NS = 5_000_000_000L;

    /** @throws IllegalArgumentException for a payload out of range. */
    public RawPeer {
        if (payloadBytes < RawRun.MIN_PAYLOAD_BYTES || payloadBytes > RawRun.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("payload " + payloadBytes + " is not in " + RawRun.MIN_PAYLOAD_BYTES + ".."
                + RawRun.MAX_PAYLOAD_BYTES + ": a raw frame is one datagram; choose -s in that range");
        }
    }

    /**
     * Receives and acknowledges until the process ends.
     *
     * @param coalescing whether the kernel may coalesce received frames (UDP_GRO).
     * @throws IOException if a socket fails.
     */
    public void receive(boolean coalescing) throws IOException {
        try (RawSocket socket = RawSocket.open(local, port, peer)) {
            if (coalescing) {
                socket.coalesce();
            }
            new RawReceiver(payloadBytes, RawBandwidth.window(payloadBytes)).run(socket, port);
        }
    }

    /**
     * Sends, and counts what the receiver acknowledges.
     *
     * @throws IOException if a socket fails, or nothing is acknowledged for five seconds.
     */
    public RawGoodput send(long warmUpNs, long durationNs) throws IOException {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        RawSender sender = new RawSender(payloadBytes, RawBandwidth.window(payloadBytes));
        try (RawSocket socket = RawSocket.open(local, port, peer)) {
            Future<?> running = threads.submit(() -> sender.run(socket, port));
            awaitMore(sender, running, 0);
            long warmNs = System.nanoTime();
            while (System.nanoTime() - warmNs < warmUpNs) {
                awaitMore(sender, running, sender.acknowledged());
            }
            long startNs = System.nanoTime();
            long first = sender.acknowledged();
            while (System.nanoTime() - startNs < durationNs) {
                awaitMore(sender, running, sender.acknowledged());
            }
            long frames = sender.acknowledged() - first;
            long elapsedNs = System.nanoTime() - startNs;
            sender.stop();
            running.get();
            return new RawGoodput(payloadBytes, frames, elapsedNs, 0, 0);
        } catch (ExecutionException e) {
            throw new IOException("raw UDP failed: " + e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while raw UDP was measured", e);
        } finally {
            sender.stop();
            threads.shutdown();
        }
    }

    private void awaitMore(RawSender sender, Future<?> running, long acknowledged) throws IOException, ExecutionException,
        InterruptedException {
        long sinceNs = System.nanoTime();
        do {
            LockSupport.parkNanos(STEP_NS);
            if (running.isDone()) {
                running.get();
            }
            if (System.nanoTime() - sinceNs > STALL_NS) {
                throw new IOException("no acknowledgement from " + peer.getHostAddress() + " port " + port + " for 5 s: does the receiving "
                    + "side run, with the same port and payload? A frame that is lost stops the flow, too");
            }
        } while (sender.acknowledged() == acknowledged);
    }
}
