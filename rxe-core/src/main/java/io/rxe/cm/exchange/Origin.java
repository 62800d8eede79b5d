package io.rxe.cm.exchange;

import io.rxe.wire.Gid;

/**
 * Where a message came from, and an answer to it goes: in the partition of the message.
 *
 * @param address           of the peer's port.
 * @param partitionKeyIndex of the P_Key in this NIC's table that the packets match.
 */
record Origin(Gid address, int partitionKeyIndex) {
}
