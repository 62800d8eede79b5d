/**
 * Draws measurements as SVG: a few panels of curves or bars, readable on light and dark backgrounds, with nothing but the JDK.
 *
 * <p>Knows no NIC and does no measuring. {@link io.rxe.bench.plot.LoopbackPlot} turns the results of {@code io.rxe.bench} into {@link
 * io.rxe.bench.plot.Panel}s, which {@link io.rxe.bench.plot.SvgPlot} draws; {@link io.rxe.bench.plot.ComparisonPlot} draws a comparison
 * as bars. No packet comes through here.
 */
package io.rxe.bench.plot;
