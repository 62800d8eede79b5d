/**
 * Small programs that show the API. {@link io.rxe.bench.example.Hello} sends one message over connection management; README.md
 * prints it. docs/api.md walks through the others: a ping-pong of messages, a table that peers read without involving its owner, a
 * file transfer by RDMA WRITE; and {@link io.rxe.bench.example.OneThread}, where one thread drives two NICs. Tests run all of them and
 * compare both documents with the sources.
 *
 * <p>Those three share {@link io.rxe.bench.example.Connected}: a NIC with one queue pair that exchanges its address over TCP. Uses
 * {@code io.rxe.verbs}, {@code io.rxe.cm} and {@code io.rxe.net.RxeNic}, as an application would, and nothing else of ours.
 */
package io.rxe.bench.example;
