package io.rxe.port;

/**
 * The only source of chance in the core: queue pair numbers, start PSNs and memory keys come from here. A NIC on a network is given
 * a cryptographic generator, because a key that can be guessed is no key; a simulation is given a seeded one.
 */
@FunctionalInterface
public interface Entropy {
    /** Thirty-two random bits. */
    int nextInt();
}
