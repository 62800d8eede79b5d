/** The wire. */
package io.rxe.wire;
