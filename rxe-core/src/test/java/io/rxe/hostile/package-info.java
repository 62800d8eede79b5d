/** Datagrams from somebody who means harm: anything at all, thrown at a whole NIC with everything open. */
package io.rxe.hostile;
