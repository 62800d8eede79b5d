package io.rxe.tools.sequence;

import java.util.stream.LongStream;

/** One rectangle of the picture with its axes: time to the right, a value upwards. */
final class Plot {
    private static final int MIN_TICK_PIXELS = 28;

    final double left;
    final double top;
    final double width;
    final double height;
    final long beginNs;
    final long endNs;
    final double low;
    final double high;

    /** @param low value at the bottom; high at the top. */
    Plot(double left, double top, double width, double height, long beginNs, long endNs, double low, double high) {
        this.left = left;
        this.top = top;
        this.width = width;
        this.height = height;
        this.beginNs = beginNs;
        this.endNs = Math.max(endNs, beginNs + 1);
        this.low = low;
        this.high = high <= low ? low + 1 : high;
    }

    double x(long timeNs) {
        return left + width * (timeNs - beginNs) / (endNs - beginNs);
    }

    double y(double value) {
        return top + height - height * (value - low) / (high - low);
    }

    /**
     * Where lines are drawn: at PSNs that are multiples of a power of two.
     *
     * @param psn that of value 0.
     */
    double[] psnLines(int psn) {
        double least = (high - low) * MIN_TICK_PIXELS / height;
        long step = Math.max(1, Long.highestOneBit(Math.max(1, (long) Math.ceil(least)) * 2 - 1));
        long first = (long) Math.ceil((low + psn) / step) * step - psn;
        return LongStream.iterate(first, value -> value <= high, value -> value + step).asDoubleStream().toArray();
    }

    /** The smallest of 1, 2 or 5 times a power of ten that is not below a value. */
    static double niceStep(double least) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-9))));
        for (double factor : new double[] {1, 2, 5}) {
            if (factor * power >= least * 0.999) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    /** A coordinate with as many digits as can be seen, or zoomed. */
    static String number(double value, int digits) {
        String text = String.format("%." + digits + "f", value);
        return digits == 0 || !text.contains(".") ? text : text.replaceAll("\\.?0+$", "");
    }

    /** A time in the unit that fits a step. */
    static String time(double ns, double stepNs) {
        String[] units = {"ns", "us", "ms", "s"};
        int unit = 0;
        double divisor = 1;
        while (unit < 3 && stepNs >= divisor * 999) {
            divisor *= 1000;
            unit++;
        }
        return number(Math.round(ns) == 0 ? 0 : ns / divisor, stepNs < divisor ? 1 : 0) + " " + units[unit];
    }

    /** A value with a suffix: 12 k, 3.4 M. */
    static String amount(double value, String unit) {
        String[] prefixes = {"", "k", "M", "G"};
        int prefix = 0;
        double scaled = value;
        while (prefix < 3 && Math.abs(scaled) >= 1000) {
            scaled /= 1000;
            prefix++;
        }
        return number(scaled, scaled < 10 ? 1 : 0) + (prefix == 0 && unit.isEmpty() ? "" : " " + prefixes[prefix] + unit);
    }
}
