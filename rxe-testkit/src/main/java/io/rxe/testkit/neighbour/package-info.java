/**
 * Stock programs that share a bottleneck between network namespaces: what each gets, what is lost, how long a ping takes through the same
 * queue, and what is left to TCP. docs/congestion.md has the command.
 */
package io.rxe.testkit.neighbour;
