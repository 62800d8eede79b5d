/**
 * A check of the rules on what a kernel peer must never be sent. Every test rig and the simulation pass their frames to it.
 */
package io.rxe.guard;
