/**
 * The ring between an application and an engine. A send queue, receive queue or completion queue is one, with a producer and a consumer
 * index.
 *
 * <p>Does not know what its slots hold. A posted request enters the NIC through a ring, and a completion leaves it through one.
 */
package io.rxe.ring;
