/**
 * The queue pairs of {@code tools/dev/endurance}: they connect, transfer and disconnect on real sockets for a long time, beside injected
 * faults and hostile packets. A {@link io.rxe.testkit.endurance.Site} is one NIC with its connections. The script kills processes and
 * judges whether memory, descriptors and threads stay flat.
 */
package io.rxe.testkit.endurance;
