package io.rxe.verbs;

import java.util.Objects;

/**
 * The path a queue pair migrates to when its primary one fails: {@code alt_ah_attr}, {@code alt_port_num}, {@code alt_timeout}
 * and {@code alt_pkey_index} of {@code ibv_qp_attr}. Immutable.
 *
 * @param addressVector     address of the peer's other port.
 * @param port              port of this device that packets leave from, 1 to {@link Device#ports}.
 * @param timeout           local ACK timeout code on this path, 0 to 31, as {@link QueuePairAttributes#timeout}; UC ignores it.
 * @param partitionKeyIndex index of the P_Key on this path in {@link Device#partitionKeys}.
 */
public record AlternatePath(AddressVector addressVector, int port, int timeout, int partitionKeyIndex) {
    /** Ranges are checked by modify, which knows the ports. */
    public AlternatePath {
        Objects.requireNonNull(addressVector, "the address vector of the alternate path is null: make one with AddressVector.to");
    }

    /** A path with the first P_Key of the table. */
    public AlternatePath(AddressVector addressVector, int port, int timeout) {
        this(addressVector, port, timeout, 0);
    }
}
