/**
 * Connection management: how two queue pairs find each other, as rdma_cm of Linux does it on RoCE.
 *
 * <p>No I/O, no threads, no clock, no chance: MADs and commands come in, MADs and events go out, deadlines are answered, and random
 * numbers are drawn from an {@link io.rxe.port.Entropy}. Belongs to the thread of the engine that has queue pair 1; applications use
 * {@link io.rxe.cm.ConnectionService} from any thread.
 *
 * <p>May use the floors below it (wire, time, port, verbs, device); must not use sockets, clocks or threads. Previous hop of a
 * received MAD: queue pair 1, which has checked Q_Key and ICRC. Next hop: the dialogue its communication ID names. A MAD to be sent is
 * kept by its dialogue until the sink of {@link io.rxe.device.ManagementAgent} takes it.
 */
package io.rxe.cm;
