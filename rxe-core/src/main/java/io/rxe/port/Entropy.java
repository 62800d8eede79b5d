package io.rxe.port;

/**
 * The only source of random numbers in the core, for queue pair numbers, start PSNs and memory keys. A NIC on a network needs a
 * cryptographic generator, because memory keys must not be guessable; a simulation uses a seeded one.
 */
@FunctionalInterface
public interface Entropy {
    /** Returns 32 random bits. */
    int nextInt();
}
