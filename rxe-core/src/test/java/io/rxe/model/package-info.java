/**
 * The formal model of one reliable connection, {@code src/test/promela/reliable_connection.pml}, and the program that has spin check it
 * exhaustively. {@link io.rxe.model.ModelDefect} lists the defects that the check must find.
 */
package io.rxe.model;
