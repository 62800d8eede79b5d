package io.rxe.bench.plot;

import java.util.List;

/**
 * One diagram.
 *
 * @param title  above it.
 * @param x      horizontal axis.
 * @param y      vertical axis.
 * @param curves at most {@value SvgPlot#STYLES} can be told apart.
 */
public record Panel(String title, Axis x, Axis y, List<Curve> curves) {
    /** Copies the list. */
    public Panel {
        curves = List.copyOf(curves);
    }
}
