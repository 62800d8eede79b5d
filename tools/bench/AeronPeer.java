import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.BufferUtil;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The throughput of Aeron over UDP on loopback: one publisher, one subscriber, a media driver in the same process. Run as a source file
 * with the Aeron jar on the class path, so that the build does not depend on Aeron.
 *
 * <p>Usage: {@code AeronPeer goodput|rtt MTU_BYTES MESSAGE_BYTES shared|dedicated SECONDS}. Prints one line of JSON.
 */
public final class AeronPeer {
    private static final String CHANNEL = "aeron:udp?endpoint=127.0.0.1:";
    private static final int PORT = 24_325;
    private static final int STREAM = 1001;
    private static final int TERM_BYTES = 16 << 20;
    private static final int WINDOW_BYTES = 2 << 20;
    private static final int SOCKET_BYTES = 4 << 20;
    private static final int FRAGMENTS = 64;
    private static final int MAX_SAMPLES = 1 << 22;
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(1000);

    private static volatile boolean stopped;
    private static volatile long received;

    private AeronPeer() {
    }

    public static void main(String[] words) throws Exception {
        if (words.length != 5) {
            System.err.println("usage: AeronPeer goodput|rtt MTU_BYTES MESSAGE_BYTES shared|dedicated SECONDS");
            System.exit(2);
        }
        boolean isShared = words[3].equals("shared");
        String folder = System.getProperty("java.io.tmpdir") + "/aeron-peer-" + ProcessHandle.current().pid();
        MediaDriver.Context driver = new MediaDriver.Context().aeronDirectoryName(folder).dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true).threadingMode(isShared ? ThreadingMode.SHARED : ThreadingMode.DEDICATED)
            .ipcTermBufferLength(TERM_BYTES).publicationTermBufferLength(TERM_BYTES).mtuLength(Integer.parseInt(words[1]))
            .initialWindowLength(WINDOW_BYTES).socketRcvbufLength(SOCKET_BYTES).socketSndbufLength(SOCKET_BYTES)
            .sharedIdleStrategy(idle()).senderIdleStrategy(idle()).receiverIdleStrategy(idle());
        try (MediaDriver ignored = MediaDriver.launch(driver);
            Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(folder))) {
            int message = Integer.parseInt(words[2]);
            long durationNs = (long) (Double.parseDouble(words[4]) * 1e9);
            if (words[0].equals("goodput")) {
                measureGoodput(aeron, message, durationNs);
            } else {
                measureRoundTrips(aeron, message, durationNs);
            }
        }
    }

    private static IdleStrategy idle() {
        return new BackoffIdleStrategy(100, 10, 1_000, 100_000);
    }

    private static void measureGoodput(Aeron aeron, int messageBytes, long durationNs) throws Exception {
        try (Subscription subscription = aeron.addSubscription(CHANNEL + PORT, STREAM);
            Publication publication = aeron.addPublication(CHANNEL + PORT, STREAM)) {
            Thread subscriber = new Thread(() -> subscribe(subscription));
            Thread publisher = new Thread(() -> publish(publication, messageBytes));
            subscriber.start();
            publisher.start();
            LockSupport.parkNanos(WARM_UP_NS);
            long startNs = System.nanoTime();
            long first = received;
            TimeUnit.NANOSECONDS.sleep(durationNs);
            long bytes = received - first;
            double seconds = (System.nanoTime() - startNs) / 1e9;
            stopped = true;
            publisher.join();
            subscriber.join();
            System.out.printf("{\"gigabits_per_second\": %.4f, \"messages_per_second\": %.0f}%n", bytes * 8e-9 / seconds,
                bytes / seconds / messageBytes);
        }
    }

    private static void subscribe(Subscription subscription) {
        IdleStrategy idle = idle();
        long[] count = {0};
        UnsafeBuffer memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(1 << 20, 64));
        // Copies into application memory, as the receivers of all compared programs do.
        FragmentHandler handler = (buffer, offset, length, header) -> {
            memory.putBytes(0, buffer, offset, length);
            count[0] += length;
        };
        while (!stopped) {
            int fragments = subscription.poll(handler, FRAGMENTS);
            received = count[0];
            idle.idle(fragments);
        }
    }

    private static void publish(Publication publication, int messageBytes) {
        IdleStrategy idle = idle();
        UnsafeBuffer message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(messageBytes, 64));
        while (!stopped) {
            idle.idle(publication.offer(message, 0, messageBytes) > 0 ? 1 : 0);
        }
    }

    private static void measureRoundTrips(Aeron aeron, int messageBytes, long durationNs) throws Exception {
        try (Subscription requests = aeron.addSubscription(CHANNEL + PORT, STREAM);
            Publication request = aeron.addPublication(CHANNEL + PORT, STREAM);
            Subscription answers = aeron.addSubscription(CHANNEL + (PORT + 1), STREAM);
            Publication answer = aeron.addPublication(CHANNEL + (PORT + 1), STREAM)) {
            while (!request.isConnected() || !answer.isConnected()) {
                Thread.onSpinWait();
            }
            Thread echo = new Thread(() -> {
                IdleStrategy idle = new BusySpinIdleStrategy();
                while (!stopped) {
                    idle.idle(requests.poll((buffer, offset, length, header) -> send(answer, buffer, offset, length), FRAGMENTS));
                }
            });
            echo.start();
            UnsafeBuffer message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(messageBytes, 64));
            long[] samples = new long[MAX_SAMPLES];
            boolean[] isBack = {false};
            FragmentHandler handler = (buffer, offset, length, header) -> isBack[0] = true;
            long warmNs = System.nanoTime() + WARM_UP_NS;
            int count = 0;
            long startNs = System.nanoTime();
            while (startNs < warmNs + durationNs && count < MAX_SAMPLES) {
                isBack[0] = false;
                send(request, message, 0, messageBytes);
                while (!isBack[0]) {
                    answers.poll(handler, 1);
                }
                long endNs = System.nanoTime();
                if (startNs >= warmNs) {
                    samples[count++] = endNs - startNs;
                }
                startNs = System.nanoTime();
            }
            stopped = true;
            echo.join();
            Arrays.sort(samples, 0, count);
            System.out.printf("{\"samples\": %d, \"p50_us\": %.3f, \"p99_us\": %.3f}%n", count, samples[count / 2] / 1e3,
                samples[(int) (count * 99L / 100)] / 1e3);
        }
    }

    private static void send(Publication publication, org.agrona.DirectBuffer buffer, int offset, int length) {
        while (publication.offer(buffer, offset, length) < 0) {
            Thread.onSpinWait();
        }
    }
}
