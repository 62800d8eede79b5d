/**
 * Three small programs that show the API: a ping-pong of messages, a table that others read without its owner's doing, a file that moves
 * by RDMA WRITE. docs/api.md walks through them; tests run them.
 *
 * <p>{@link io.rxe.bench.example.Connected} is what they share: a NIC with one queue pair, connected by a few words over TCP. Uses
 * {@code io.rxe.verbs} and {@code io.rxe.net.RxeNic}, as an application would, and nothing else of ours.
 */
package io.rxe.bench.example;
