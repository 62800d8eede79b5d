/** The lines on standard output: {@link io.rxe.tools.perftest.output.PerftestPrinter} has every format of perftest 4.5, to the byte. */
package io.rxe.tools.perftest.output;
