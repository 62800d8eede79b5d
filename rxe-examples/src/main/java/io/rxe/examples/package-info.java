/**
 * Small programs that show the API. README.md prints {@link io.rxe.examples.Echo}, the shortest; {@link io.rxe.examples.Hello} sends one
 * message over connection management.
 * docs/api.md walks through the others, from {@link io.rxe.examples.PingPong} to {@link io.rxe.examples.OneThread}, where one thread drives
 * two NICs. {@link io.rxe.examples.Echo}, {@link io.rxe.examples.KeyValueStore} and {@link io.rxe.examples.SendFile} use
 * {@code io.rxe.connect}, the others the verbs. Tests run all of them, and compare both documents with the sources.
 *
 * <p>Uses {@code io.rxe.connect}, {@code io.rxe.verbs}, {@code io.rxe.cm} and {@code io.rxe.net.RxeNic}, as an application would, and
 * nothing else of ours.
 */
package io.rxe.examples;
