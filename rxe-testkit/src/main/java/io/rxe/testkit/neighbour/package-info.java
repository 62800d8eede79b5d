/**
 * Stock programs that share a bottleneck between network namespaces: what each gets, what is lost, how long a ping takes through the same
 * queue, what is left to TCP, and what they and TCP get in turn where packets are dropped. docs/congestion.md has the command.
 */
package io.rxe.testkit.neighbour;
