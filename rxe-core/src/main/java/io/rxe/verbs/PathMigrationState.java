package io.rxe.verbs;

/** State of the automatic path migration of a queue pair; {@code ibv_mig_state} (rule M1). */
public enum PathMigrationState {
    /** The queue pair uses its primary path, and the alternate one is not in use. The state of a new queue pair, and after a migration. */
    MIGRATED,
    /** An alternate path is loaded, and the peer is asked to arm too. */
    REARM,
    /** Both sides have an alternate path. Only the NIC enters this state, when the peer has armed or asks to. */
    ARMED
}
