package io.rxe.verbs;

import io.rxe.wire.Gid;
import java.util.List;

/**
 * One port of a device; {@code ibv_port_attr} with the table of GIDs.
 *
 * @param number           1 to {@link Device#ports}.
 * @param active           whether its interface is up: state ACTIVE, or DOWN.
 * @param gids             the GID table, all RoCE v2. rdma_rxe has a link-local GID at index 0 and that of the address at index 1. Here
 *                         both are that of the address, so that either index of a program works: packets have no other source address.
 * @param maxMtu           largest path MTU of any port.
 * @param activeMtu        largest path MTU that fits the interface; with several ports, each of their interfaces.
 * @param maxMessageBytes  longest message, in bytes.
 * @param partitionKeys    the P_Key table, as {@link Device#partitionKeys}.
 * @param badPartitionKeys packets of all ports that were dropped because of their P_Key since the device was opened;
 *                         {@code bad_pkey_cntr}.
 */
public record PortAttributes(int number, boolean active, List<Gid> gids, PathMtu maxMtu, PathMtu activeMtu, long maxMessageBytes,
                             List<Integer> partitionKeys, long badPartitionKeys) {
    public PortAttributes {
        gids = List.copyOf(gids);
        partitionKeys = List.copyOf(partitionKeys);
    }
}
