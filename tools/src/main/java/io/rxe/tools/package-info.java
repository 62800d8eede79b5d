/**
 * The {@code rxe} command line. {@link io.rxe.tools.Main} is the entry point, {@link io.rxe.tools.RxeCommand} the tree of commands; the
 * small commands are here, the others each have a package of their own:
 *
 * <ul>
 * <li>{@code run}: an unchanged program on a NIC of its own; {@code loopback}, {@code dump} (with {@code flow} for {@code dump --flow}),
 *     {@code stat}: our own commands;
 * <li>{@code pingpong}, {@code perftest}, {@code rping}: work-alikes of stock programs, which either end of a connection may be.
 * </ul>
 *
 * <p>A command parses its options (picocli), opens a NIC through {@link io.rxe.tools.cli.NicOptions}, works through {@link
 * io.rxe.verbs}, and prints: results on standard output; notes, warnings and progress on standard error. It ends with a status of
 * {@link io.rxe.tools.cli.ExitStatus}. Commands share {@code cli}, {@code terminal} and {@code side}, and do not use each other; nothing
 * may import this package.
 */
package io.rxe.tools;
