/**
 * What a NIC of ours must never do to a kernel peer, as a check that every test rig and the simulation feed with what they see.
 */
package io.rxe.guard;
