/**
 * {@code rxe stat}: what running processes count, and what those that ended counted last. Reads the counter files that
 * {@code io.rxe.net.CounterFile} writes and disturbs nobody.
 *
 * <p>Not used: a NIC. No packet comes through here.
 */
package io.rxe.tools.stat;
