/** Deadlines, rates and the delay of a host as plain data. Has no clock: time is an argument, in nanoseconds, and never goes back. */
package io.rxe.time;
