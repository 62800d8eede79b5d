package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Progress;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A thread descends its stack to the end, and calls the NIC at each depth. Wherever in the NIC the stack overflows, the call throws
 * StackOverflowError and has taken nothing along: the queue pairs of others work, and everything closes.
 */
@DisplayName("StackOverflowError at every depth of a call: it fails alone, and nobody else notices")
@Timeout(120)
class StackOverflowTest {
    private static final int ROUNDS = 5;
    private static final long STACK_BYTES = 256 << 10;
    /** At the end of the stack, each in a frame less deep: more than have no room. */
    private static final int CALLS = 600;

    /** One call, with what it needs. */
    private enum Call {
        POST_SEND {
            @Override
            void run(Victim on) {
                on.link.queuePair.postSend(on.write);
            }
        },
        POST_RECEIVE {
            @Override
            void run(Victim on) {
                on.link.queuePair.postReceive(on.receive);
            }
        },
        POLL {
            @Override
            void run(Victim on) {
                on.link.completions().poll(on.completion);
            }
        },
        PROGRESS {
            @Override
            void run(Victim on) {
                on.nic.progress();
            }
        },
        AWAIT {
            @Override
            void run(Victim on) throws InterruptedException {
                on.channel.await(1);
            }
        },
        QUERY {
            @Override
            void run(Victim on) {
                on.link.queuePair.query();
            }
        },
        CLOSE {
            @Override
            void run(Victim on) {
                if (!on.toClose.isEmpty()) {
                    on.toClose.remove().close();
                }
            }
        };

        abstract void run(Victim on) throws Exception;
    }

    /** The thread whose stack ends, and what it uses. */
    private static final class Victim {
        final RxeNic nic;
        final CompletionChannel channel = new CompletionChannel();
        final QueuePairLink link;
        final WorkRequest write;
        final ReceiveRequest receive;
        final WorkCompletion completion = new WorkCompletion();
        final Queue<QueuePair> toClose = new ArrayDeque<>();
        int left;
        int overflows;
        Throwable thrown;

        Victim(RxeNic nic, RxeNic peer) {
            this.nic = nic;
            link = new QueuePairLink(nic.device(), ByteBuffer.allocateDirect(4096), channel);
            QueuePairLink end = new QueuePairLink(peer.device(), 4096);
            QueuePairLink.connect(link, end, PathMtu.MTU_1024);
            // The completion queue would overflow: nobody polls it meanwhile.
            write = new WorkRequest().write(end.region.address(), end.region.rKey()).signaled(false).add(link.region, 0, 8);
            receive = new ReceiveRequest().add(link.region, 0, 8);
        }

        void createToClose(int count) {
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            while (toClose.size() < count) {
                toClose.add(domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, link.completions(), link.completions())));
            }
        }

        /** To the end of the stack, and on the way back a call at each depth, of which the first have no room. */
        void descend(Call call) {
            try {
                descend(call);
            } catch (StackOverflowError e) {
                left = CALLS;
            }
            if (left > 0) {
                left--;
                try {
                    call.run(this);
                } catch (Throwable e) {
                    judge(e);
                }
            }
        }

        private void judge(Throwable of) {
            // The JDK wraps it in another Error where it links code that runs for the first time.
            if (of instanceof StackOverflowError || of instanceof Error && String.valueOf(of).contains("StackOverflowError")) {
                overflows++;
            } else {
                thrown = of;
            }
        }
    }

    static Stream<Arguments> everything() {
        return Stream.of(Progress.values()).flatMap(progress -> Stream.of(Call.values()).map(call -> Arguments.of(progress, call)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("everything")
    void failsAlone(Progress progress, Call call) throws Exception {
        BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2"))
            .withWarnings(warnings::add);
        try (RxeNic nic = RxeNic.open(options.withProgress(progress)); RxeNic peer = RxeNic.open(options.withAddress("127.0.0.2"))) {
            Victim victim = new Victim(nic, peer);
            QueuePairLink other = new QueuePairLink(nic.device(), 4096);
            QueuePairLink otherEnd = new QueuePairLink(peer.device(), 4096);
            QueuePairLink.connect(other, otherEnd, PathMtu.MTU_1024);
            for (int round = 0; round < ROUNDS; round++) {
                if (call == Call.CLOSE) {
                    victim.createToClose(CALLS);
                }
                Thread thread = new Thread(null, () -> victim.descend(call), "test-victim", STACK_BYTES + 512 * round);
                thread.start();
                thread.join();
                other.queuePair.postSend(new WorkRequest().id(round).write(otherEnd.region.address(), otherEnd.region.rKey())
                    .add(other.region, 0, 8));
                WorkCompletion done = other.completion();
                assertTrue(done.isSuccess(), () -> done + " " + warnings);
                assertEquals(QueuePairState.RTS, victim.link.queuePair.state(), warnings::toString);
            }
            assertNull(victim.thrown);
            // progress() of an engine with a thread of its own does nothing, in as little stack as the descent takes for a step.
            assertTrue(victim.overflows > ROUNDS || call == Call.PROGRESS && progress == Progress.THREAD,
                () -> victim.overflows + " calls had no room");
        }
        assertEquals(List.of(), List.copyOf(warnings));
    }
}
