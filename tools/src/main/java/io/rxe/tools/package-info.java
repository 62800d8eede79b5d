/**
 * The {@code rxe} command line: one class for each command, and what they share. {@link io.rxe.tools.Main} is where
 * it begins.
 *
 * <p>A command parses (picocli), opens a NIC through {@link io.rxe.tools.NicOptions}, works through {@link
 * io.rxe.verbs}, and prints: results on standard output, notes, warnings and progress on standard error. It ends with
 * the status of {@link io.rxe.tools.ExitStatus}. Families of commands have packages of their own, such as {@link
 * io.rxe.tools.pingpong}. Nothing may import this package.
 */
package io.rxe.tools;
