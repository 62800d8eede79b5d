/**
 * The TCP side channel over which test programs (pingpong, perftest) tell each other queue pair numbers, start PSNs and keys
 * before any packet can flow. Blocking calls on top of Netty; not part of the data path, knows nothing of the NIC.
 */
package io.rxe.net.side;
