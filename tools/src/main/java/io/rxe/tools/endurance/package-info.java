/**
 * {@code tools/dev/endurance}: a thousand queue pairs on real sockets that connect, transfer, disconnect and are killed for a long time,
 * beside injected faults and hostile packets, and a judge that wants memory, descriptors and threads flat. A {@link Site} is one NIC with
 * its connections, in this process or in a child; {@link ResourceSample} is what a process holds; {@link Trend} decides.
 */
package io.rxe.tools.endurance;
