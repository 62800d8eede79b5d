package io.rxe.fuzz;

import io.rxe.cm.PortSpace;
import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.GapReport;
import io.rxe.wire.HeaderField;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import io.rxe.wire.Transport;
import io.rxe.wire.XrcEth;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Datagrams for a whole NIC, with the ICRC made right: a peer that may send anything. Between them time passes and the application acts.
 *
 * <pre>
 *   0..4  how, length (2), bytes    a datagram; how: 0x07 queue pair, 0x08 keys of the region, 0x10 as a third party, 0x20 unsealed,
 *                                   0x40 poll to rest behind it; a packet of XRC for queue pair 0 goes to the target or, a
 *                                   response, to the initiator
 *   5     n                         n * 10 us pass; from 128 on (n - 127) * 50 ms
 *   6     n                         the application does something
 *   7                               poll to rest
 * </pre>
 */
final class DatagramFuzz implements FuzzTarget {
    static final int TIME = 5;
    static final int ACTION = 6;
    static final int REST = 7;
    private static final int WITH_KEYS = 0x08;
    private static final int FROM_THIRD_PARTY = 0x10;
    private static final int UNSEALED = 0x20;
    private static final int THEN_REST = 0x40;
    private static final int MAX_STEPS = 200;
    private static final int SEED_FRAMES = 24;
    private static final int SEED_BYTES = 6000;

    @Override
    public void run(byte[] bytes) {
        OpenNic nic = new OpenNic();
        nic.service.listen(nic.events, PortSpace.TCP, OpenNic.CM_PORT);
        FuzzInput input = new FuzzInput(bytes);
        for (int step = 0; input.hasMore() && step < MAX_STEPS; step++) {
            int operation = input.next() & 7;
            switch (operation) {
                case TIME -> pass(nic, input.next());
                case ACTION -> act(nic, input.next());
                case REST -> nic.rest();
                default -> receive(nic, input);
            }
        }
        nic.close();
    }

    static void pass(OpenNic nic, int amount) {
        nic.advance(amount < 128 ? amount * 10_000L : (amount - 127) * 50_000_000L);
    }

    private static void receive(OpenNic nic, FuzzInput input) {
        int how = input.next();
        byte[] bytes = input.take(input.nextShort() % (HeaderValidator.MAX_LENGTH + 64));
        UnsafeBuffer packet = new UnsafeBuffer(bytes);
        if (bytes.length >= HeaderValidator.MIN_LENGTH) {
            aim(nic, packet, how & 7);
            Opcode opcode = Opcode.of(Bth.opcode(packet, 0));
            if ((how & WITH_KEYS) != 0 && opcode != null && bytes.length >= opcode.headerLength()) {
                giveKeys(nic, packet, opcode);
            }
        }
        nic.receive(bytes, (how & FROM_THIRD_PARTY) != 0 ? OpenNic.THIRD_PARTY : OpenNic.PEER, (how & UNSEALED) == 0);
        if ((how & THEN_REST) != 0) {
            nic.rest();
        }
    }

    static void aim(OpenNic nic, UnsafeBuffer packet, int target) {
        switch (target) {
            case 0, 1, 2 -> HeaderField.BTH_QPN.set(packet, 0, reliable(nic, packet, target).number());
            case 3 -> HeaderField.BTH_QPN.set(packet, 0, nic.unreliable.number());
            case 4 -> HeaderField.BTH_QPN.set(packet, 0, nic.datagrams.number());
            case 5 -> HeaderField.BTH_QPN.set(packet, 0, 1);
            case 6 -> HeaderField.BTH_QPN.set(packet, 0, Bth.MULTICAST_QPN);
            default -> {
                // As in the input.
            }
        }
    }

    /** Packets of RC have one queue pair; those of XRC the half that they are for, or 1 the target and 2 the initiator. */
    private static QueuePair reliable(OpenNic nic, UnsafeBuffer packet, int number) {
        Opcode opcode = Opcode.of(Bth.opcode(packet, 0));
        if (opcode == null || opcode.transport() != Transport.XRC) {
            return nic.reliable;
        }
        boolean isForTarget = number == 0 ? opcode.isRequest() : number == 1;
        return isForTarget ? nic.target : nic.initiator;
    }

    /** The low 16 bits of an address are the input's, and may lie outside the region. */
    private static void giveKeys(OpenNic nic, UnsafeBuffer packet, Opcode opcode) {
        if (opcode.rethOffset() >= 0) {
            HeaderField.RETH_KEY.set(packet, opcode.rethOffset(), nic.key());
            HeaderField.RETH_ADDRESS.set(packet, opcode.rethOffset(),
                nic.address() + (short) Reth.virtualAddress(packet, opcode.rethOffset()));
        }
        if (opcode.atomicEthOffset() >= 0) {
            HeaderField.ATOMIC_KEY.set(packet, opcode.atomicEthOffset(), nic.key());
            HeaderField.ATOMIC_ADDRESS.set(packet, opcode.atomicEthOffset(),
                nic.address() + (short) AtomicEth.virtualAddress(packet, opcode.atomicEthOffset()));
        }
        if (opcode.xrcEthOffset() >= 0) {
            giveQueue(nic, packet, opcode.xrcEthOffset());
        }
        if (opcode.dethOffset() >= 0) {
            HeaderField.DETH_KEY.set(packet, opcode.dethOffset(), OpenNic.QUEUE_KEY);
        }
    }

    /** The low 3 bits of the number decide: 7 is no queue's, 6 the one without receives. */
    private static void giveQueue(OpenNic nic, UnsafeBuffer packet, int offset) {
        int number = XrcEth.queueNumber(packet, offset);
        if ((number & 7) != 7) {
            XrcEth.write(packet, offset, nic.queueNumber((number & 7) != 6));
        }
    }

    private static void act(OpenNic nic, int action) {
        switch (action & 7) {
            case 0 -> nic.revive();
            case 1 -> nic.queuePairs().forEach(nic::postReceives);
            case 2 -> List.of(nic.reliable, nic.initiator).forEach(nic::postRequests);
            case 3 -> List.of(nic.reliable, nic.initiator).forEach(nic::postWrite);
            case 4 -> nic.takeCompletions();
            case 5 -> nic.replaceRegion();
            case 6 -> List.of(nic.reliable, nic.initiator, nic.target).forEach(nic::reconnect);
            default -> drainOrGoOn(nic);
        }
    }

    private static void drainOrGoOn(OpenNic nic) {
        if (nic.reliable.state() == QueuePairState.RTS) {
            nic.reliable.modify(QueuePairAttributes.to(QueuePairState.SQD));
        } else if (nic.reliable.state() == QueuePairState.SQD) {
            nic.reliable.modify(QueuePairAttributes.to(QueuePairState.RTS));
        }
    }

    /**
     * Of each capture the requests, and the responses: both begin at our first PSN. Frames of RC a second time as frames of XRC. And what
     * no kernel sends, gap reports.
     */
    @Override
    public List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>(List.of(gapReports(Transport.RC), gapReports(Transport.XRC)));
        for (String name : GoldenCaptures.names()) {
            for (boolean requests : new boolean[] {true, false}) {
                FuzzInput.Writer seed = new FuzzInput.Writer();
                List<GoldenFrame> frames = GoldenCaptures.open(name).stream().filter(frame -> frame.opcode() != null
                    && frame.opcode().isRequest() == requests).limit(SEED_FRAMES).toList();
                for (GoldenFrame frame : frames) {
                    if (seed.size() + frame.length() < SEED_BYTES) {
                        write(seed, frame, frames.get(0).psn());
                    }
                }
                if (seed.size() > 0) {
                    seeds.add(seed.add(ACTION).add(0).add(TIME).add(200).toBytes());
                }
                FuzzInput.Writer extended = new FuzzInput.Writer();
                for (GoldenFrame frame : frames) {
                    if (frame.opcode().transport() == Transport.RC && extended.size() + frame.length() < SEED_BYTES) {
                        writeExtended(extended, frame, frames.get(0).psn());
                    }
                }
                if (extended.size() > 0) {
                    seeds.add(extended.add(ACTION).add(0).add(TIME).add(200).toBytes());
                }
            }
        }
        return seeds;
    }

    /** A peer with the mark: requests with gaps between them, one of them twice, and acknowledgements with a report of gaps. */
    private static byte[] gapReports(Transport transport) {
        FuzzInput.Writer seed = new FuzzInput.Writer().add(ACTION).add(2);
        for (int ahead : new int[] {0, 2, 5, 2, 1, 0}) {
            writeMarked(seed, Opcode.of(Opcode.RC_RDMA_WRITE_ONLY.code() | transport.opcodeBits()), OpenNic.PSN + ahead, 0);
        }
        for (int gaps = 0; gaps < 3; gaps++) {
            writeMarked(seed, Opcode.of(Opcode.RC_ACKNOWLEDGE.code() | transport.opcodeBits()), OpenNic.PSN, GapReport.lengthBytes(gaps));
        }
        return seed.add(TIME).add(200).toBytes();
    }

    private static void writeMarked(FuzzInput.Writer seed, Opcode opcode, int psn, int reportBytes) {
        UnsafeBuffer packet = new UnsafeBuffer(new byte[opcode.headerLength() + reportBytes + Icrc.LENGTH]);
        Bth.write(packet, 0, opcode, false, 0, 0, false, psn);
        Bth.mark(packet, 0);
        if (opcode.hasAeth()) {
            Aeth.write(packet, opcode.aethOffset(), Syndrome.ACK_UNLIMITED, 1);
        }
        if (reportBytes > 0) {
            int gaps = (reportBytes - GapReport.lengthBytes(0)) / (GapReport.lengthBytes(1) - GapReport.lengthBytes(0));
            GapReport.write(packet, opcode.headerLength(), gaps, psn + 1 + 3 * gaps, 1, 64);
            for (int gap = 0; gap < gaps; gap++) {
                GapReport.writeGap(packet, opcode.headerLength(), gap, psn + 1 + 3 * gap, 1);
            }
        }
        seed.add(0).add(WITH_KEYS | THEN_REST).addShort(packet.capacity()).addBytes(packet.byteArray());
    }

    /** The frame with the opcode of XRC, and behind the BTH of a request an XRCETH. No capture has such frames: no kernel sends them. */
    private static void writeExtended(FuzzInput.Writer seed, GoldenFrame frame, int firstPsn) {
        Opcode opcode = Opcode.of(frame.opcode().code() | Transport.XRC.opcodeBits());
        UnsafeBuffer plain = new UnsafeBuffer(frame.packet());
        int inserted = opcode.hasXrcEth() ? XrcEth.LENGTH : 0;
        UnsafeBuffer packet = new UnsafeBuffer(new byte[plain.capacity() + inserted]);
        packet.putBytes(0, plain, 0, Bth.LENGTH);
        packet.putBytes(Bth.LENGTH + inserted, plain, Bth.LENGTH, plain.capacity() - Bth.LENGTH);
        packet.putByte(0, (byte) opcode.code());
        HeaderField.BTH_PSN.set(packet, 0, frame.psn() - firstPsn + OpenNic.PSN & 0xFF_FFFF);
        clearAddress(packet, opcode);
        seed.add(0).add(WITH_KEYS | THEN_REST).addShort(packet.capacity()).addBytes(packet.byteArray());
    }

    private static void clearAddress(UnsafeBuffer packet, Opcode opcode) {
        if (opcode.rethOffset() >= 0) {
            HeaderField.RETH_ADDRESS.set(packet, opcode.rethOffset(), 0);
        }
        if (opcode.atomicEthOffset() >= 0) {
            HeaderField.ATOMIC_ADDRESS.set(packet, opcode.atomicEthOffset(), 0);
        }
    }

    private static void write(FuzzInput.Writer seed, GoldenFrame frame, int firstPsn) {
        UnsafeBuffer packet = new UnsafeBuffer(frame.packet());
        HeaderField.BTH_PSN.set(packet, 0, frame.psn() - firstPsn + OpenNic.PSN & 0xFF_FFFF);
        clearAddress(packet, frame.opcode());
        int target = switch (frame.opcode().transport()) {
            case RC -> 0;
            case UC -> 3;
            default -> frame.destinationQpn() == 1 ? 5 : 4;
        };
        seed.add(0).add(target | WITH_KEYS | THEN_REST).addShort(packet.capacity()).addBytes(packet.byteArray());
    }
}
