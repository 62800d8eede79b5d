/**
 * What the commands share: the options of the NIC ({@link io.rxe.tools.cli.NicOptions}), converters for option values, exit status,
 * failures that become one line of output, files for results, corrections of mistyped words, what a signal leaves to do, the version,
 * and the warm-up of a NIC before its first real packet.
 *
 * <p>Uses the verbs, connection management and {@code io.rxe.net.RxeNic}; must not use any command. No packet passes here.
 */
package io.rxe.tools.cli;
