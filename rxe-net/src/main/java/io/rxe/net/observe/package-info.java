/**
 * What others can see of a NIC: captures in pcapng, counters in a file that other processes map, events for Java Flight Recorder.
 *
 * <p>Frames pass through {@link io.rxe.net.observe.CaptureFile#tap}, a layer around a port; drops and failures arrive from the engine
 * at {@link io.rxe.net.observe.NicObserver}. Observing never sends, and knows neither sockets nor the loop.
 */
package io.rxe.net.observe;
