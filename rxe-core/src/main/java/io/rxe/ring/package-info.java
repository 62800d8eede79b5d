/**
 * The rings between an application and an engine: send queue, receive queue and completion queue, each with a producer and a consumer
 * index. The only classes two threads touch at the same time; everything else in the core belongs to one thread.
 *
 * <p>Knows nothing of what its slots hold. A posted request enters the NIC here, a completion leaves it here.
 */
package io.rxe.ring;
