package io.rxe.tools.rdmacm;

import io.rxe.cm.CmEvent;
import io.rxe.verbs.WorkCompletion;

/** What a program does with what comes from its NIC. One thread. */
interface Activity {
    /** A work request ended; read it before returning. */
    void onCompletion(WorkCompletion completion);

    /** Something happened to a connection or a listener. */
    void onEvent(CmEvent event);
}
