/**
 * What {@link io.rxe.connect} costs beside the verbs it uses: the same work with both, in turn, in one process. {@code tools/connect-cost}
 * runs it.
 */
package io.rxe.bench.connect;
