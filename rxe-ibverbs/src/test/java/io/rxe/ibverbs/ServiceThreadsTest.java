package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.PortSpace;
import io.rxe.fault.TimedFault;
import io.rxe.net.FreePorts;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.net.InetAddress;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("an Error ends no thread that brings events to the program: the next event arrives")
class ServiceThreadsTest {
    private static final String ADDRESS = "127.41.0.1";
    private static final String PEER = "127.41.0.2";
    private static final int PORT = 7471;
    private static final int UDP_PORT = FreePorts.udp(ADDRESS, PEER);

    private final Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
    private final BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();

    @BeforeEach
    void listen() {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> thrown.add(error));
    }

    @AfterEach
    void forget() {
        Thread.setDefaultUncaughtExceptionHandler(usual);
    }

    private static RxeNic open(String address) throws Exception {
        return RxeNic.open(RxeNicOptions.defaults(address).withUdpPort(UDP_PORT).withCounterFile(false));
    }

    /** The process of a test has no C half: every call of it is an Error. */
    private void awaitError() throws InterruptedException {
        assertInstanceOf(UnsatisfiedLinkError.class, thrown.poll(60, TimeUnit.SECONDS));
    }

    @Test
    @DisplayName("rxe-events")
    void asynchronousEvents() throws Exception {
        try (RxeNic nic = open(ADDRESS)) {
            new AsyncEvents(0, nic.events()).start();
            for (int i = 0; i < 2; i++) {
                nic.core().make(new TimedFault(TimedFault.Kind.EVENT, AsyncEvent.Type.GID_CHANGE, 0, "planted"));
                awaitError();
            }
        }
    }

    @Test
    @DisplayName("an rdma_cm_id whose thread of events cannot start is refused, and the next one starts it")
    void aThreadThatCannotStart() throws Exception {
        try (RxeNic nic = open(ADDRESS)) {
            nic.connections();
            ConnectionIds ids = new ConnectionIds(0, nic, null);
            InheritableThreadLocal<Boolean> starved = new InheritableThreadLocal<>() {
                @Override
                protected Boolean childValue(Boolean value) {
                    throw new OutOfMemoryError("unable to create native thread: planted");
                }
            };
            starved.set(true);
            assertThrows(OutOfMemoryError.class, () -> ids.create(0, PortSpace.TCP.code()));
            starved.remove();
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            ids.create(0, PortSpace.TCP.code());
            assertTrue(Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> !before.contains(thread)
                && thread.getName().equals("rxe-connections")));
        }
    }

    @Test
    @DisplayName("rxe-connections")
    void connectionEvents() throws Exception {
        try (RxeNic nic = open(ADDRESS); RxeNic peer = open(PEER); CmEventChannel events = new CmEventChannel()) {
            ConnectionIds ids = new ConnectionIds(0, nic, null);
            ids.listen(ids.get(ids.create(0, PortSpace.TCP.code())), PORT, 0);
            for (int number = 1; number <= 2; number++) {
                peer.connections().connector(events).connect(QueuePairType.RC, Gid.of(InetAddress.getByName(ADDRESS).getAddress()), PORT,
                    new ConnectParameters().queuePairNumber(number));
                awaitError();
            }
        }
    }
}
