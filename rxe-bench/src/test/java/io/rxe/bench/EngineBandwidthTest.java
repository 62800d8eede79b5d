package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A bandwidth test on the engines' threads")
class EngineBandwidthTest {
    private static final long DURATION_NS = 20_000_000;

    /** A device whose queue pairs send each post at once, and which records the posting threads. */
    private static final class PostingWatch {
        private final AtomicInteger posting = new AtomicInteger();
        private final AtomicInteger concurrentPosts = new AtomicInteger();
        private final Map<Thread, Integer> posts = new ConcurrentHashMap<>();

        <T> T watch(Class<T> type, T real) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                if ("postSendDeferred".equals(method.getName())) {
                    return post((QueuePair) real, method, arguments);
                }
                Object result = call(real, method, arguments);
                return switch (method.getName()) {
                    case "allocateProtectionDomain" -> watch(ProtectionDomain.class, (ProtectionDomain) result);
                    case "createQueuePair" -> watch(QueuePair.class, (QueuePair) result);
                    default -> result;
                };
            }));
        }

        private Object post(QueuePair real, Method method, Object[] arguments) throws Throwable {
            if (posting.incrementAndGet() > 1) {
                concurrentPosts.incrementAndGet();
            }
            posts.merge(Thread.currentThread(), 1, Integer::sum);
            try {
                Object result = call(real, method, arguments);
                real.ringDoorbell();
                // Time to send it, and to call the application.
                Thread.sleep(1);
                return result;
            } finally {
                posting.decrementAndGet();
            }
        }

        private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    /** Only one thread at a time may post to a queue pair, and an engine may find a request before the doorbell is rung. */
    @Test
    void theEngineWaitsUntilTheFirstRequestsArePosted() throws IOException {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withSeed(1L);
        PostingWatch watch = new PostingWatch();
        try (RxeNic first = RxeNic.open(options); RxeNic second = RxeNic.open(options.withAddress("127.0.0.2"))) {
            PairConfig config = new PairConfig(PathMtu.MTU_4096, 1, 32, 1);
            new BandwidthMeasurement(watch.watch(Device.class, first.device()), second.device(), config, Application.ENGINES)
                .run(new Workload(Operation.RDMA_WRITE, 64), DURATION_NS, DURATION_NS);
        }
        assertEquals(0, watch.concurrentPosts.get());
        assertTrue(watch.posts.getOrDefault(Thread.currentThread(), 0) >= 32, watch.posts::toString);
        assertEquals(2, watch.posts.size(), watch.posts::toString);
    }
}
