/**
 * The deterministic simulation: NICs, links, applications and faults in one thread and in virtual time. The seed alone decides a run.
 *
 * <pre>{@code
 *   Application   posts requests and receives,          Application     of the peer
 *        |  ^     polls and checks completions               |  ^
 *        v  |                                                v  |
 *   NicNode       one NIC, its engine and its sink       NicNode
 *        |  ^                                                |  ^
 *        |  +------------- SimulatedLink <-------------------+  |      a link for each direction: loss, latency,
 *        +---------------- SimulatedLink -----------------------+      duplicates, reordering, bit flips, outages
 *
 *   RxeResponder       answers requests as rdma_rxe does, in place of a NIC
 *   Disruption         closes, resets, fails or starves a connection, or deregisters its memory, in the middle of traffic
 *   ThirdParty         sends hostile datagrams to the NICs from outside the connections
 *   WireInspector      sees each packet a NIC sends, before its ICRC is computed
 *   ProtocolMonitor    sees the packets of one queue pair when sent and when delivered; applies the rules:
 *                      RequesterRules for responses received, ResponderRules for responses sent, RetryRules for
 *                      requests that fail
 *   TargetMemoryModel  reference model of the memory that the peer reads and writes
 *   Simulation         advances time from event to event, ends the faults, checks what is left at the end
 * }</pre>
 *
 * <p>{@link io.rxe.sim.SimulationOptions} draws the scenario of a seed. {@link io.rxe.sim.Defect} lists defects that the simulation
 * detects. {@link io.rxe.sim.Transfer} measures what a path costs: queue pairs of several senders compete for a
 * {@link io.rxe.sim.Bottleneck}, with each other and with a {@link io.rxe.sim.ModelSender}. {@link io.rxe.sim.PathTable} and
 * {@link io.rxe.sim.RecoveryTable} print the figures. {@link io.rxe.sim.GoBackNNode} is a receiver that behaves like rdma_rxe. The package
 * uses the public API and io.rxe.port; it reads the state of a NIC only to report a failure and to count what is left at the end.
 */
package io.rxe.sim;
