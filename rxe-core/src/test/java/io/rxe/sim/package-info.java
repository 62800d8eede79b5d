/**
 * The deterministic simulation: whole NICs, links, applications and their faults in one thread under virtual time, everything drawn from
 * one seed.
 *
 * <pre>{@code
 *   Endpoint (application) -> NicStation (a whole NIC) -> SimulatedSink -> WireInspector, ExchangeMonitor -> SimulatedLink
 *          ^                        |                                                                          |
 *          +---- completions -------+ <------------------------- datagrams: lost, late, twice, changed <-------+
 * }</pre>
 *
 * <p>{@link io.rxe.sim.Simulation} runs one seed; the rules are checked by {@link io.rxe.sim.ExchangeMonitor} and
 * {@link io.rxe.sim.ResponderRules} on the wire, by {@link io.rxe.sim.Endpoint} and {@link io.rxe.sim.TargetWindow} in completions and
 * memory. {@link io.rxe.sim.Defect} lists defects that it is proven to notice, {@link io.rxe.sim.RecoveryTable} measures what losses
 * cost. Uses the public API and the port of the core, and looks into it only to count what is left at the end.
 */
package io.rxe.sim;
