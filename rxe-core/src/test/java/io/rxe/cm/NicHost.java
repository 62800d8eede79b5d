package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.device.Nic;
import io.rxe.device.NicConfig;
import io.rxe.fault.VerbFaults;
import io.rxe.port.EcnOptions;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.port.PacketSink;
import io.rxe.port.SameThread;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** One host: steers packets to the engine of their destination, as the sockets do. */
final class NicHost {
    record Datagram(byte[] bytes, Flow flow) {
    }

    static final class Link implements PacketSink {
        final ArrayDeque<Datagram> queue = new ArrayDeque<>();
        final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
        final Icrc icrc = new Icrc();
        private Flow flow;
        private int length;

        @Override
        public int claim(Flow newFlow, int lengthBytes) {
            flow = newFlow;
            length = lengthBytes;
            return 0;
        }

        @Override
        public MutableDirectBuffer buffer() {
            return buffer;
        }

        @Override
        public void commit() {
            int covered = length - Icrc.LENGTH;
            Icrc.write(buffer, covered, icrc.compute(buffer, 0, covered, flow.icrcSeed(), flow.isIpv4(), 0));
            byte[] bytes = new byte[length];
            buffer.getBytes(0, bytes);
            queue.add(new Datagram(bytes, flow));
        }
    }

    final Nic nic;
    final Link out = new Link();
    final ConnectionService service;
    final CmEventChannel channel = new CmEventChannel();
    final ProtectionDomain domain;
    final CompletionQueue completions;
    final ByteBuffer memory = ByteBuffer.allocateDirect(8192);
    final MemoryRegion region;

    NicHost(int host, int engines, long seed) {
        this(host, engines, seed, PartitionKeys.DEFAULT);
    }

    NicHost(int host, int engines, long seed, PartitionKeys partitions) {
        List<Gid> ports = List.of(Gid.parse("10.0.0." + host), Gid.parse("10.1.0." + host));
        nic = new Nic(new NicConfig(ports, 4791, PathMtu.MTU_1024, engines, NicConfig.DEFAULT_WINDOW_BYTES, Set.of(),
            NicConfig.DEFAULT_REORDER_BYTES, NicConfig.DEFAULT_PATH_BYTES, partitions, EcnOptions.OFF, CongestionOptions.DELAY,
            VerbFaults.NONE), new Random(seed)::nextInt, Collections.nCopies(engines, SameThread.INLINE), MulticastPort.NONE, null);
        service = ConnectionService.open(nic);
        domain = nic.allocateProtectionDomain();
        completions = nic.createCompletionQueue(64);
        region = domain.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
    }

    QueuePair queuePair(QueuePairType type) {
        QueuePair pair = domain.createQueuePair(QueuePairConfig.of(type, completions, completions));
        ConnectionService.prepare(pair);
        return pair;
    }

    int poll(long nowNs) {
        int work = 0;
        for (int i = 0; i < nic.engines(); i++) {
            work += nic.engine(i).poll(nowNs, out);
        }
        return work;
    }

    int deliverTo(NicHost peer, long nowNs) {
        int count = 0;
        for (Datagram datagram = out.queue.poll(); datagram != null; datagram = out.queue.poll()) {
            UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
            peer.nic.engine(Bth.destinationQpn(buffer, 0) % peer.nic.engines())
                .onPacket(buffer, 0, datagram.bytes.length, datagram.flow, nowNs);
            count++;
        }
        return count;
    }

    CmEvent take(CmEvent.Type type) {
        CmEvent event = channel.poll();
        assertNotNull(event, () -> "no " + type);
        assertEquals(type, event.type(), event.explanation());
        return event;
    }

    WorkCompletion completion() {
        WorkCompletion completion = new WorkCompletion();
        assertTrue(completions.poll(completion), "no completion");
        return completion;
    }
}
