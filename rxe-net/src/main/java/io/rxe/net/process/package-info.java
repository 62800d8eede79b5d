/**
 * What the adapters of foreign interfaces (rxe-ibverbs, rxe-disni) share: the NICs of a program, which the environment describes, ports
 * that its ids are bound to, and sentences on its standard error. Not for applications.
 */
package io.rxe.net.process;
