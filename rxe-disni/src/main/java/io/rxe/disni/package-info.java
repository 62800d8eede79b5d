/**
 * A provider of DiSNI (jVerbs, {@code com.ibm.disni}) on this NIC: programs that were written for DiSNI run unchanged, without libdisni, an
 * adapter or a kernel module.
 *
 * <p>DiSNI has one provider, the class {@code com.ibm.disni.verbs.impl.RdmaProviderNat}. This module has a class of that name, which is
 * {@link io.rxe.disni.RxeProvider}, so its jar must stand before DiSNI's on the class path. {@code com.ibm.disni.util} has two more
 * classes of DiSNI that need libdisni or an option of {@code java}.
 *
 * <p>A request goes from {@code IbvQP.postSend}, which makes a {@code PostSendCall} that a program may run any number of times, to
 * {@link io.rxe.verbs.QueuePair#postSendDeferred}; a completion comes back through {@code PollCall}. {@code DisniId} and
 * {@code DisniEventChannel} map {@code rdma_cm_id} and its events to {@link io.rxe.cm}. Every decision about the protocol is made below
 * {@code io.rxe.verbs} and {@code io.rxe.cm}.
 *
 * <p>A process has one NIC, which {@code LocalNic} opens when the first id is bound or resolves an address.
 */
package io.rxe.disni;
