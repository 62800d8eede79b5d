/**
 * The management datagrams of connection management: one class of static accessors for each message, over (buffer, offset) where
 * the offset is that of the first byte of the MAD, not of the body. Setters keep neighbouring bits and ignore bits that do not fit.
 *
 * <p>Accessors never check: {@link io.rxe.cm.mad.MadHeader#check} does so once per MAD, and after it none of them can read outside.
 * {@link io.rxe.cm.mad.MadHeader#write} clears all 256 bytes, so a setter that is not called leaves its field 0.
 *
 * <p>May use java.*, org.agrona and {@link io.rxe.wire}; nothing else. Previous hop of a received MAD: queue pair 1. Next hop: the
 * state machines of {@link io.rxe.cm}. A MAD we send goes the other way.
 */
package io.rxe.cm.mad;
