/**
 * Drives the engines of a NIC: {@link io.rxe.net.drive.EngineDriver}, one for each engine.
 *
 * <pre>
 *   EngineDriver
 *     EngineOwnership  who drives it now; NEW, RUNNING, CLOSED
 *     EngineCommands   what other threads want run on it, and who waits for whom
 *     EngineLoop       its event loop: drives, sleeps (LoopWakeUp, LoopTimer), lends
 *     Iteration        receive, poll, send; frames for other engines (FrameForwarding)
 *     LoopFaults       what becomes of it when something is thrown
 *   Watchdog, NicUpkeep, ListenerWatch  look at it from outside
 * </pre>
 *
 * <p>A received packet comes from {@link io.rxe.net.port.UdpPort} and goes to {@link io.rxe.port.DrivenEngine}; a sent one the other way.
 * No queue pair, completion or socket is known here.
 */
package io.rxe.net.drive;
