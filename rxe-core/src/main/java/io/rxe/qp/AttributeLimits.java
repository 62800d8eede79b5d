package io.rxe.qp;

import io.rxe.qp.context.ReadPlaces;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.wire.Gid;
import io.rxe.wire.Psn;
import java.util.List;

/** Checks the values of attributes. {@link TransitionTable} checks which may be set in which transition. */
public final class AttributeLimits {
    /** Most READs and atomics outstanding in either direction. */
    public static final int MAX_READ_ATOMIC = ReadPlaces.MOST_AGREED;
    /** Shortest ACK timeout: code 8, 1.05 ms. Shorter ones are raised to it (rule T4). */
    public static final int MIN_TIMEOUT_CODE = 8;

    private AttributeLimits() {
    }

    /**
     * Checks every attribute that is set.
     *
     * @param gids          addresses of the ports.
     * @param port          the queue pair's port, 1 for the first.
     * @param portMtu       largest path MTU of the ports.
     * @param partitionKeys the P_Key table of the ports.
     * @throws IllegalArgumentException naming the attribute, its value and the limit.
     */
    public static void check(QueuePairAttributes change, List<Gid> gids, int port, PathMtu portMtu, PartitionKeys partitionKeys) {
        for (QueuePairAttribute attribute : change.present()) {
            switch (attribute) {
                case ACCESS_FLAGS -> AccessFlags.requireKnown(change.accessFlags());
                case PARTITION_KEY_INDEX -> partitionKeys.checkIndex(attribute.name(), change.partitionKeyIndex());
                case PORT -> range(attribute, change.port(), 1, gids.size());
                case QUEUE_KEY, DRAINED_NOTIFICATION, PATH_MIGRATION_STATE -> {
                    // Every value is valid.
                }
                case ADDRESS_VECTOR -> checkAddress(attribute, change.addressVector(), gids.get(port - 1));
                case ALTERNATE_PATH -> checkAlternate(change.alternatePath(), gids, partitionKeys);
                case PATH_MTU -> checkMtu(change.pathMtu(), portMtu);
                case DESTINATION_QPN -> range(attribute, change.destinationQpn(), 1, Psn.MASK);
                case RECEIVE_PSN -> range(attribute, change.receivePsn(), 0, Psn.MASK);
                case SEND_PSN -> range(attribute, change.sendPsn(), 0, Psn.MASK);
                case MAX_DEST_RD_ATOMIC -> range(attribute, change.maxDestRdAtomic(), 0, MAX_READ_ATOMIC);
                case MAX_RD_ATOMIC -> range(attribute, change.maxRdAtomic(), 0, MAX_READ_ATOMIC);
                case MIN_RNR_TIMER -> range(attribute, change.minRnrTimer(), 0, 31);
                case TIMEOUT -> range(attribute, change.timeout(), 0, 31);
                case RETRY_COUNT -> range(attribute, change.retryCount(), 0, 7);
                case RNR_RETRY -> range(attribute, change.rnrRetry(), 0, 7);
                case KEEP_ALIVE -> checkKeepAlive(change.keepAliveNs());
            }
        }
    }

    private static void checkKeepAlive(long ns) {
        if (ns != 0 && (ns < QueuePairAttributes.MIN_KEEP_ALIVE_NS || ns > QueuePairAttributes.MAX_KEEP_ALIVE_NS)) {
            throw new IllegalArgumentException("KEEP_ALIVE " + ns + " ns is not in " + QueuePairAttributes.MIN_KEEP_ALIVE_NS + ".."
                + QueuePairAttributes.MAX_KEEP_ALIVE_NS
                + ": give nanoseconds, 1 ms to 1 h, or 0 for none");
        }
    }

    private static void checkAlternate(AlternatePath path, List<Gid> gids, PartitionKeys partitionKeys) {
        if (path.port() < 1 || path.port() > gids.size()) {
            throw new IllegalArgumentException("ALTERNATE_PATH port " + path.port() + " is not in 1.." + gids.size()
                + ": open the NIC with one more address for each further port");
        }
        if (path.timeout() < 0 || path.timeout() > 31) {
            throw new IllegalArgumentException("ALTERNATE_PATH timeout " + path.timeout() + " is not in 0..31");
        }
        partitionKeys.checkIndex("ALTERNATE_PATH P_Key index", path.partitionKeyIndex());
        checkAddress(QueuePairAttribute.ALTERNATE_PATH, path.addressVector(), gids.get(path.port() - 1));
    }

    private static void checkAddress(QueuePairAttribute attribute, AddressVector vector, Gid gid) {
        Gid peer = vector.destination();
        if (peer.isIpv4() != gid.isIpv4()) {
            throw new IllegalArgumentException(attribute + " destination " + peer + " is of another address family than the port's "
                + gid + ": use the peer's " + (gid.isIpv4() ? "IPv4" : "IPv6") + " GID, or bind the NIC to an address of its family");
        }
        if (!peer.isUnicast()) {
            throw new IllegalArgumentException(attribute + " destination " + peer + " is a group, broadcast or unspecified address: an RC"
                + " or UC queue pair has one peer, so use the peer's unicast GID, or a UD queue pair for a multicast group");
        }
    }

    private static void checkMtu(PathMtu mtu, PathMtu portMtu) {
        if (mtu.bytes() > portMtu.bytes()) {
            throw new IllegalArgumentException("PATH_MTU " + mtu.bytes() + " > port MTU " + portMtu.bytes()
                + ": lower the path MTU, or raise the interface MTU to " + (mtu.bytes() + PathMtu.HEADROOM_BYTES));
        }
    }

    private static void range(QueuePairAttribute attribute, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(attribute + " " + value + " is not in " + min + ".." + max);
        }
    }
}
