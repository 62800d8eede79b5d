/**
 * {@code rxe stat}: the counters of running processes, and the last ones of processes that have ended. Reads the counter files that
 * {@code io.rxe.net.observe} writes, without any effect on those processes.
 *
 * <p>Must not open a NIC. No packet passes here.
 */
package io.rxe.tools.stat;
