/** {@code rxe run}: unchanged programs for libibverbs on a NIC of their own. The work is done by {@code io.rxe.ibverbs}. */
package io.rxe.tools.run;
