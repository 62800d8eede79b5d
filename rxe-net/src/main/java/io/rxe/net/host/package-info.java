/**
 * What the host and the Java runtime have to offer before a NIC can be opened (versions, file descriptors, threads, names of hosts), a
 * pipe for selectors, and threads that serve whatever happens. Knows no other package of rxe-net.
 */
package io.rxe.net.host;
