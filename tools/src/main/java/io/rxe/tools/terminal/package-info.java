/**
 * Output that changes while a command runs: the status line of a terminal ({@link io.rxe.tools.terminal.StatusLine}), with the steps of
 * a measurement, or a sign of life from a command that runs for more than two seconds ({@link io.rxe.tools.terminal.LongRun}). Where
 * standard error is not a terminal, all of it is silent. Also standard output that knows why it failed ({@link
 * io.rxe.tools.terminal.StandardOutput}).
 *
 * <p>Uses nothing else of rxe.
 */
package io.rxe.tools.terminal;
