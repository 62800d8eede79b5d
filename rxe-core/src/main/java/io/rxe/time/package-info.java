/** Deadlines as plain data: who is due when. Holds no clock; time comes in as an argument, in nanoseconds, and never goes back. */
package io.rxe.time;
