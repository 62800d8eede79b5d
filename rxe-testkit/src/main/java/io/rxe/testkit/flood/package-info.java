/**
 * Both ends of the transfer that {@code tools/flood} runs beside hostile traffic. They print what they measure as lines.
 * The traffic itself is made by tools/hostile; nothing here sends anything but verbs requests.
 */
package io.rxe.testkit.flood;
