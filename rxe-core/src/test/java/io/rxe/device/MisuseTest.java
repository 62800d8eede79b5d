package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProcessMemory;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The verbs called wrongly, one row for each mistake: it is refused at the call, with a sentence that names what is wrong and what to do,
 * and changes nothing.
 */
class MisuseTest {
    private static final Gid GROUP = Gid.parse("239.1.2.3");

    /** Everything an application may hold, whole, closed and foreign. */
    private static final class Holdings {
        final NicPair nics = new NicPair();
        final Nic nic = nics.leftNic;
        final ProtectionDomain domain = nics.left.domain;
        final QueuePair pair = nics.left.pair;
        final CompletionChannel channel = new CompletionChannel();
        final CompletionQueue queue = nic.createCompletionQueue(16, channel);
        final MemoryRegion region = nics.left.region;
        final MemoryRegion readOnly = domain.register(ByteBuffer.allocateDirect(64), AccessFlags.REMOTE_READ);
        final MemoryRegion ofOtherDomain = nic.allocateProtectionDomain().register(ByteBuffer.allocateDirect(64), AccessFlags.ALL);
        final MemoryRegion ofOtherNic = nics.right.region;
        final SharedReceiveQueue shared = domain.createSharedReceiveQueue(8, 1);
        final QueuePair datagrams = create(QueuePairType.UD, queue);
        final WorkCompletion completion = new WorkCompletion();

        QueuePair create(QueuePairType type, CompletionQueue completions) {
            return domain.createQueuePair(QueuePairConfig.of(type, completions, completions));
        }

        QueuePair create(SharedReceiveQueue receives) {
            return domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue).withSharedReceiveQueue(receives));
        }

        AddressHandle handle() {
            return domain.createAddressHandle(AddressVector.to(nics.rightNic.gid()));
        }
    }

    /** A call that must be refused. */
    private interface Call {
        void run(Holdings of) throws Exception;
    }

    /** A mistake; every word stands in the message. */
    private record Mistake(String name, Class<? extends Exception> refusal, List<String> words, Call call) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Mistake isNull(String name, Call call) {
        return new Mistake(name, NullPointerException.class, List.of(" null: "), call);
    }

    private static Mistake wrong(String name, Call call, String... words) {
        return new Mistake(name, IllegalArgumentException.class, List.of(words), call);
    }

    private static Mistake state(String name, Call call, String... words) {
        return new Mistake(name, IllegalStateException.class, List.of(words), call);
    }

    /** A call on something that is closed first. */
    private static Mistake closed(String name, Call close, Call call) {
        return state(name, of -> {
            close.run(of);
            call.run(of);
        }, "closed", "another");
    }

    static Stream<Mistake> nulls() {
        return Stream.of(
            isNull("postSend(null)", of -> of.pair.postSend(null)),
            isNull("postSendDeferred(null)", of -> of.pair.postSendDeferred(null)),
            isNull("postReceive(null)", of -> of.pair.postReceive(null)),
            isNull("modify(null)", of -> of.pair.modify(null)),
            isNull("attachMulticast(null)", of -> of.datagrams.attachMulticast(null)),
            isNull("detachMulticast(null)", of -> of.datagrams.detachMulticast(null)),
            isNull("poll(null)", of -> of.queue.poll((WorkCompletion) null)),
            isNull("poll(null array)", of -> of.queue.poll((WorkCompletion[]) null)),
            isNull("poll of a full queue(null entry)", of -> {
                of.nics.left.post(new WorkRequest().write(of.ofOtherNic.address(), of.ofOtherNic.rKey()).add(of.region, 0, 8));
                of.nics.run();
                of.nics.left.queue.poll(new WorkCompletion[1]);
            }),
            isNull("SRQ postReceive(null)", of -> of.shared.postReceive(null)),
            isNull("register(null buffer)", of -> of.domain.register(null, 0)),
            isNull("register(null array)", of -> of.domain.register(0, 0, (ByteBuffer[]) null)),
            isNull("register(null memory)", of -> of.domain.register(0, 0, (ProcessMemory) null)),
            isNull("allocateWindow(null)", of -> of.domain.allocateWindow(null)),
            isNull("reregister(null)", of -> of.region.reregister(null)),
            isNull("map(null array)", of -> of.domain.allocateRegion(1).map(0, (ByteBuffer[]) null)),
            isNull("bindWindow(null binding)", of -> new WorkRequest().bindWindow(of.domain.allocateWindow(MemoryWindowType.TYPE_1), null)),
            isNull("MemoryBinding.of(null)", of -> MemoryBinding.of(null, 0)),
            isNull("createQueuePair(null)", of -> of.domain.createQueuePair(null)),
            isNull("createAddressHandle(null)", of -> of.domain.createAddressHandle(null)),
            isNull("AddressVector.to(null)", of -> AddressVector.to(null)),
            isNull("CompletionChannel.calling(null)", of -> CompletionChannel.calling(null)),
            isNull("QueuePairConfig.of(null type)", of -> QueuePairConfig.of(null, of.queue, of.queue)),
            isNull("QueuePairConfig.of(null queue)", of -> QueuePairConfig.of(QueuePairType.RC, null, of.queue)),
            isNull("QueuePairAttributes.to(null)", of -> QueuePairAttributes.to(null)),
            isNull("addressVector(null)", of -> QueuePairAttributes.to(QueuePairState.RTR).addressVector(null)),
            isNull("pathMtu(null)", of -> QueuePairAttributes.to(QueuePairState.RTR).pathMtu(null)),
            isNull("send add(null)", of -> new WorkRequest().send().add(null, 0, 8)),
            isNull("receive add(null)", of -> new ReceiveRequest().add(null, 0, 8)),
            isNull("inline(null)", of -> new WorkRequest().send().inline(null)),
            isNull("to(null)", of -> new WorkRequest().send().to(null, 1, 1)));
    }

    static Stream<Mistake> closed() {
        Call pair = of -> of.pair.close();
        Call queue = of -> of.queue.close();
        Call shared = of -> of.shared.close();
        Call domain = of -> of.domain.close();
        Call channel = of -> of.channel.close();
        return Stream.of(
            closed("postSend", pair, of -> of.pair.postSend(new WorkRequest().send())),
            closed("postSendDeferred", pair, of -> of.pair.postSendDeferred(new WorkRequest().send())),
            closed("ringDoorbell", pair, of -> of.pair.ringDoorbell()),
            closed("postReceive", pair, of -> of.pair.postReceive(new ReceiveRequest())),
            closed("modify", pair, of -> of.pair.modify(QueuePairAttributes.to(QueuePairState.RESET))),
            closed("query", pair, of -> of.pair.query()),
            closed("drain", pair, of -> of.pair.drain()),
            closed("attachMulticast", of -> of.datagrams.close(), of -> of.datagrams.attachMulticast(GROUP)),
            closed("detachMulticast", of -> of.datagrams.close(), of -> of.datagrams.detachMulticast(GROUP)),
            closed("poll", queue, of -> of.queue.poll(of.completion)),
            closed("poll into an array", queue, of -> of.queue.poll(new WorkCompletion[] {of.completion})),
            closed("requestNotification", queue, of -> of.queue.requestNotification(false)),
            closed("resize", queue, of -> of.queue.resize(16)),
            closed("a queue pair with a closed queue", queue, of -> of.create(QueuePairType.RC, of.queue)),
            closed("a queue pair whose queue was closed", queue, of -> of.datagrams.modify(QueuePairAttributes.toInit(0))),
            closed("SRQ postReceive", shared, of -> of.shared.postReceive(new ReceiveRequest())),
            closed("SRQ armLimit", shared, of -> of.shared.armLimit(1)),
            closed("SRQ resize", shared, of -> of.shared.resize(16)),
            closed("a queue pair with a closed shared receive queue", shared, of -> of.create(of.shared)),
            closed("register", domain, of -> of.domain.register(ByteBuffer.allocateDirect(8), 0)),
            closed("createQueuePair", domain, of -> of.create(QueuePairType.RC, of.queue)),
            closed("createSharedReceiveQueue", domain, of -> of.domain.createSharedReceiveQueue(8, 1)),
            closed("createAddressHandle", domain, of -> of.handle()),
            closed("await", channel, of -> of.channel.await(0)),
            closed("wakeup", channel, of -> of.channel.wakeup()),
            closed("a queue with a closed channel", channel, of -> of.nic.createCompletionQueue(4, of.channel)),
            closed("NIC allocateProtectionDomain", of -> of.nic.close(), of -> of.nic.allocateProtectionDomain()),
            closed("NIC createCompletionQueue", of -> of.nic.close(), of -> of.nic.createCompletionQueue(4)),
            closed("NIC poll", of -> of.nic.close(), of -> of.queue.poll(of.completion)),
            closed("NIC SRQ postReceive", of -> of.nic.close(), of -> of.shared.postReceive(new ReceiveRequest())),
            wrong("a send from a closed region", of -> {
                MemoryRegion gone = of.domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL);
                gone.close();
                of.pair.postSend(new WorkRequest().send().add(gone, 8, 16));
            }, "element 0", "SEND", "16 bytes", "closed", "register"),
            wrong("a receive into a region closed after add", of -> {
                MemoryRegion gone = of.domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL);
                ReceiveRequest request = new ReceiveRequest().add(gone, 8, 16);
                gone.close();
                of.pair.postReceive(request);
            }, "element 0", "RECEIVE", "16 bytes", "closed"));
    }

    static Stream<Mistake> foreign() {
        return Stream.of(
            wrong("a region of another domain", of -> of.pair.postSend(new WorkRequest().send().add(of.region, 0, 8)
                .add(of.ofOtherDomain, 8, 16)), "element 1", "16 bytes at offset 8", "of 64 bytes", "protection domain", "register"),
            wrong("a region of another NIC", of -> of.pair.postSend(new WorkRequest().send().add(of.ofOtherNic, 0, 8)), "another NIC"),
            wrong("a receive into a region of another domain", of -> of.pair.postReceive(new ReceiveRequest().add(of.ofOtherDomain, 0, 8)),
                "8 bytes at offset 0", "protection domain"),
            wrong("an SRQ receive into a region of another domain",
                of -> of.shared.postReceive(new ReceiveRequest().add(of.ofOtherDomain, 0, 8)), "protection domain"),
            wrong("a completion queue of another device", of -> of.create(QueuePairType.RC, of.nics.right.queue), "another device"),
            wrong("a shared receive queue of another device",
                of -> of.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, of.queue, of.queue)
                    .withSharedReceiveQueue(of.nics.right.domain.createSharedReceiveQueue(1, 1))), "another device"),
            wrong("a destination on a connected queue pair", of -> of.pair.postSend(new WorkRequest().send().to(of.handle(), 5, 7)),
                "RC", "leave to(...)"),
            wrong("an address handle of another device", of -> {
                bringToSend(of.datagrams);
                of.datagrams.postSend(new WorkRequest().send()
                    .to(of.nics.right.domain.createAddressHandle(AddressVector.to(of.nic.gid())), 5, 1));
            }, "another device"));
    }

    private static void bringToSend(QueuePair datagrams) {
        datagrams.modify(QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(1));
        datagrams.modify(QueuePairAttributes.to(QueuePairState.RTR));
        datagrams.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
    }

    static Stream<Mistake> outOfRange() {
        String limit = "of 2097152 bytes";
        return Stream.of(
            wrong("offset -1", of -> new WorkRequest().send().add(of.region, -1, 8), "8 bytes at offset -1", limit, "begin at 0"),
            wrong("4 bytes too far", of -> new WorkRequest().send().add(of.region, of.region.length() - 4, 8), "8 bytes", limit),
            wrong("the largest offset", of -> new WorkRequest().send().add(of.region, Long.MAX_VALUE, 8), limit),
            wrong("the smallest offset", of -> new WorkRequest().send().add(of.region, Long.MIN_VALUE, 8), limit),
            wrong("a negative length", of -> new ReceiveRequest().add(of.region, 8, -1), "-1 bytes at offset 8", limit),
            wrong("longer than the region", of -> new ReceiveRequest().add(of.readOnly, 0, 65), "65 bytes", "of 64 bytes"),
            wrong("a READ into a region without LOCAL_WRITE",
                of -> of.pair.postSend(new WorkRequest().read(0, 0).add(of.readOnly, 0, 8)), "RDMA_READ", "REMOTE_READ", "add LOCAL_WRITE"),
            wrong("an atomic into a region without LOCAL_WRITE",
                of -> of.pair.postSend(new WorkRequest().fetchAndAdd(0, 0, 1).add(of.readOnly, 0, 8)), "FETCH_AND_ADD", "LOCAL_WRITE"),
            wrong("a receive into a region without LOCAL_WRITE",
                of -> of.pair.postReceive(new ReceiveRequest().add(of.readOnly, 0, 8)), "RECEIVE", "LOCAL_WRITE"),
            wrong("an RC peer that is a group", of -> of.create(QueuePairType.RC, of.queue).modify(QueuePairAttributes.to(
                QueuePairState.RTR).addressVector(AddressVector.to(GROUP)).pathMtu(PathMtu.MTU_1024).destinationQpn(5).receivePsn(0)),
                "INIT"),
            wrong("an RC peer in INIT that is a group", of -> {
                QueuePair pair = of.create(QueuePairType.RC, of.queue);
                pair.modify(QueuePairAttributes.toInit(0));
                pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(GROUP), PathMtu.MTU_1024, 5, 0));
            }, "239.1.2.3", "group", "unicast"),
            wrong("a shared receive queue of 0", of -> of.domain.createSharedReceiveQueue(0, 1), "0 requests", "1 to 32768"),
            wrong("a limit beyond the capacity", of -> of.shared.armLimit(9), "limit 9", "0..8"),
            state("await on a channel that calls", of -> CompletionChannel.calling(queue -> { }).await(0), "calls its listener"),
            state("requestNotification without a channel", of -> of.nics.left.queue.requestNotification(false), "no channel"),
            state("postSend in RESET", of -> of.datagrams.postSend(new WorkRequest().send()), "RESET", "bring it to RTS"),
            state("postReceive with an SRQ", of -> of.create(of.shared).postReceive(new ReceiveRequest()), "shared receive queue"),
            state("buffer of a region of two", of -> of.domain.register(0, 0, ByteBuffer.allocateDirect(8), ByteBuffer.allocateDirect(8))
                .buffer(), "2 buffers"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"nulls", "closed", "foreign", "outOfRange"})
    void isRefused(Mistake mistake) {
        Holdings of = new Holdings();
        String text = assertThrows(mistake.refusal(), () -> mistake.call().run(of)).getMessage();
        for (String word : mistake.words()) {
            assertTrue(text.contains(word), () -> "no '" + word + "' in: " + text);
        }
        assertTrue(Arrays.stream(text.split("[:;,]")).count() > 1, () -> "no remedy in: " + text);
        assertEquals(0, of.pair.outstandingSends());
    }
}
