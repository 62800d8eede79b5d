/**
 * The management datagrams (MADs) of connection management, IBTA chapter 12: one class of static accessors per message, over (buffer,
 * offset), where the offset is that of the first byte of the MAD, not of the body. Setters keep neighbouring bits and ignore bits that
 * do not fit. Times are codes: n stands for 4.096 us x 2^n.
 *
 * <p>Accessors check nothing: {@link io.rxe.cm.mad.MadHeader#check} does so once per MAD, and after it no accessor reads outside the
 * MAD. {@link io.rxe.cm.mad.MadHeader#write} clears all 256 bytes, so a field that is not set is 0.
 *
 * <p>May use java.*, org.agrona and {@link io.rxe.wire}; nothing else. Previous hop of a received MAD: queue pair 1. Next hop: the
 * state machines of io.rxe.cm.exchange. A MAD we send takes the reverse path.
 */
package io.rxe.cm.mad;
