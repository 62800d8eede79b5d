/**
 * {@link io.rxe.bench.example.connect.Echo} in a few lines, and three complete programs of less than 120 lines each: a key-value store
 * whose readers need no code of the store, a file transfer without a copy, and publish-subscribe over multicast. The last one uses the
 * verbs, the others {@link io.rxe.connect}. docs/api.md prints the first and counts the lines of all; tests run them with planted losses.
 */
package io.rxe.bench.example.connect;
