package io.rxe.verbs;

import io.rxe.port.Flow;

/**
 * The destination of UD datagrams. Created by {@link ProtectionDomain#createAddressHandle} and usable for any number of requests, from
 * any thread. Immutable; holds no resource, so there is no close.
 *
 * @param vector the peer's address.
 * @param flow   the addresses and ports of the packets, as the NIC needs them.
 */
public record AddressHandle(AddressVector vector, Flow flow) {
}
