/**
 * Programs that only test rxe, and are part of no release: the verbs agent of the interoperability suite, both ends of tools/flood,
 * neighbours at a bottleneck, and the queue pairs of tools/dev/endurance. They use the library as an application would, and the option
 * parsing of {@code io.rxe.tools.cli}.
 */
package io.rxe.testkit;
