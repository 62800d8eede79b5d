package io.rxe.tools.rdmacm;

import io.rxe.cm.CmEvent;
import io.rxe.verbs.WorkCompletion;

/** Handles the completions and connection events of a {@link ManagedNic}. One thread. */
interface EventHandler {
    /** A work request has completed; the object is reused after this returns. */
    void onCompletion(WorkCompletion completion);

    /** An event of a connection or a listener. */
    void onEvent(CmEvent event);
}
