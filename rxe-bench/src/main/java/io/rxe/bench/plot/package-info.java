/**
 * Draws measurements as SVG: a few panels with axes, curves and a legend, readable on light and dark backgrounds, with nothing but
 * the JDK.
 *
 * <p>Knows no NIC and does no measuring: {@link io.rxe.bench.plot.LoopbackPlot} turns what {@code io.rxe.bench} found into {@link
 * io.rxe.bench.plot.Panel}s, {@link io.rxe.bench.plot.SvgPlot} draws them. No packet comes through here.
 */
package io.rxe.bench.plot;
