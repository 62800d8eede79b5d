package io.rxe.verbs;

import io.rxe.port.Flow;

/**
 * Where a datagram goes: made by {@link ProtectionDomain#createAddressHandle}, usable for any number of requests. Immutable; holds no
 * resource and needs no closing.
 *
 * @param vector the peer's address.
 * @param flow   the same for the NIC.
 */
public record AddressHandle(AddressVector vector, Flow flow) {
}
