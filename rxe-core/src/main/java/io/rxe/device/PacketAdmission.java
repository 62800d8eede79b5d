package io.rxe.device;

import io.rxe.counters.EngineCounters;
import io.rxe.counters.NicCounter;
import io.rxe.port.Flow;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;

/**
 * Decides whether a well-formed packet may reach a queue pair. rdma_rxe does the same in hdr_check, check_type_state, check_keys,
 * check_addr and rxe_icrc_check.
 *
 * <p>Every check returns the reason to drop the packet, or {@link DropReason#NONE}. The ICRC is checked last: it is the only check that
 * reads the whole packet. Owned by the engine thread.
 */
final class PacketAdmission {
    /** The default partition key without its membership bit. */
    private static final int DEFAULT_PARTITION = 0x7FFF;

    private final NicConfig config;
    private final EngineCounters counters;
    private final Icrc icrc = new Icrc();
    private final IpIdTracker ipIds = new IpIdTracker();

    PacketAdmission(NicConfig config, EngineCounters counters) {
        this.config = config;
        this.counters = counters;
    }

    /** Checks a unicast packet for a queue pair: transport, state, partition, addresses, ICRC. */
    DropReason checkUnicast(InboundPacket packet, QueuePairContext context) {
        DropReason reason = checkTransport(packet, context);
        if (reason == DropReason.NONE) {
            reason = checkAddresses(packet, context);
        }
        return reason == DropReason.NONE ? checkIcrc(packet) : reason;
    }

    /** Checks a packet for queue pair 1, whose other checks {@link Gsi#check} has made: source, partition and ICRC. */
    DropReason checkManagement(InboundPacket packet) {
        DropReason reason = config.isHost(packet.flow().source()) ? checkPartition(packet) : DropReason.WRONG_SOURCE_ADDRESS;
        return reason == DropReason.NONE ? checkIcrc(packet) : reason;
    }

    /** Checks one member of a multicast group: transport, source, state, partition. The ICRC is checked once for all members. */
    DropReason checkTransport(InboundPacket packet, QueuePairContext context) {
        Opcode opcode = packet.opcode();
        if (opcode.transport() != context.type().transport()) {
            return DropReason.WRONG_TRANSPORT;
        }
        if (context.type() == QueuePairType.UD && !config.isHost(packet.flow().source())) {
            // Applications answer the source of a datagram.
            return DropReason.WRONG_SOURCE_ADDRESS;
        }
        QueuePairState state = context.state();
        if (opcode.isRequest() ? !state.canReceive() : !state.canSend()) {
            return state == QueuePairState.ERROR ? DropReason.QUEUE_PAIR_ERROR_STATE : DropReason.QUEUE_PAIR_NOT_READY;
        }
        return checkPartition(packet);
    }

    private DropReason checkAddresses(InboundPacket packet, QueuePairContext context) {
        Flow flow = packet.flow();
        if (context.type() == QueuePairType.UD) {
            return flow.destination().equals(config.gid()) ? DropReason.NONE : DropReason.WRONG_DESTINATION_ADDRESS;
        }
        boolean isFromPeer = flow.source().equals(context.flow().destination());
        if (isFromPeer && flow.destination().equals(context.flow().source()) || context.path().isMigration(packet)) {
            return DropReason.NONE;
        }
        if (context.path().isRefusable(packet) && checkIcrc(packet) == DropReason.NONE) {
            context.path().refuse(packet);
        }
        return isFromPeer ? DropReason.WRONG_DESTINATION_ADDRESS : DropReason.WRONG_SOURCE_ADDRESS;
    }

    private static DropReason checkPartition(InboundPacket packet) {
        int key = Bth.partitionKey(packet.buffer(), packet.offset());
        return (key & DEFAULT_PARTITION) == DEFAULT_PARTITION ? DropReason.NONE : DropReason.WRONG_PARTITION_KEY;
    }

    /** Checks the ICRC, and counts whether it was verified to 32 or to 16 bits (rule R16). */
    DropReason checkIcrc(InboundPacket packet) {
        Flow flow = packet.flow();
        if (!flow.isIpv4()) {
            if (!icrc.isValidIpv6(packet.buffer(), packet.offset(), packet.length(), flow.icrcSeed())) {
                return DropReason.BAD_ICRC;
            }
            counters.count(NicCounter.ICRC_FULL);
            return DropReason.NONE;
        }
        int id = icrc.recoverIpId(packet.buffer(), packet.offset(), packet.length(), flow.icrcSeed());
        if (id < 0) {
            return DropReason.BAD_ICRC;
        }
        counters.count(ipIds.isPlausible(flow.source(), id) ? NicCounter.ICRC_FULL : NicCounter.ICRC_INFERRED);
        return DropReason.NONE;
    }
}
