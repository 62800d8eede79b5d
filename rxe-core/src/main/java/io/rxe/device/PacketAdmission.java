package io.rxe.device;

import io.rxe.counters.EngineCounters;
import io.rxe.counters.EngineEvents;
import io.rxe.counters.NicCounter;
import io.rxe.port.EngineEvent;
import io.rxe.port.Flow;
import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.PartitionKeys;
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

    /** Checks a packet for queue pair 1, whose other checks {@link Gsi#check} has made: source, any partition of the table, ICRC. */
    DropReason checkManagement(InboundPacket packet) {
        if (!config.isHost(packet.flow().source())) {
            return DropReason.WRONG_SOURCE_ADDRESS;
        }
        int key = Bth.partitionKey(packet.buffer(), packet.offset());
        return config.partitionKeys().indexFor(key) < 0 ? DropReason.WRONG_PARTITION_KEY : checkIcrc(packet);
    }

    /** Checks one member of a multicast group: transport, source, state, partition. The ICRC is checked once for all members. */
    DropReason checkTransport(InboundPacket packet, QueuePairContext context) {
        Opcode opcode = packet.opcode();
        if (opcode.transport() != context.type().transport() && !(opcode.isNotification() && context.type() != QueuePairType.UD)) {
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
        return checkPartition(packet, context);
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

    /** On its alternate path a queue pair may have another P_Key, which a migration of the peer must match. */
    private static DropReason checkPartition(InboundPacket packet, QueuePairContext context) {
        boolean matches = PartitionKeys.matches(context.partitionKey(), Bth.partitionKey(packet.buffer(), packet.offset()));
        return matches || context.path().isMigration(packet) ? DropReason.NONE : DropReason.WRONG_PARTITION_KEY;
    }

    /** Reports a packet that was dropped because of its P_Key; to no queue pair if it is for queue pair 1. */
    static void reportPartition(InboundPacket packet, QueuePairTasks queuePair, EngineEvents events) {
        int wanted = queuePair == null ? 0 : queuePair.context().partitionKey();
        events.report(EngineEvent.BAD_PARTITION_KEY, queuePair == null ? Gsi.QPN : queuePair.context().number(), packet.psn(),
            (long) Bth.partitionKey(packet.buffer(), packet.offset()) << 16 | wanted);
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
