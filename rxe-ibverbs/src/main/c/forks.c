#include "rxe.h"

/*
 * What a fork does with this library, in one handler, since the order matters. In the process that forks no other thread is within a
 * section that a lock guards, so that the child gets whole data and free locks; then each file mends what the two processes may not share.
 */

/*
 * In the order in which they are taken: a thread that has one takes only those behind it. Not the lock of the start of the JVM, during
 * which code of others may fork or wait for a thread that forks: jvm.c makes a new one in the child.
 */
static pthread_mutex_t *const LOCKS[] = {
    &rxe_cm_device_lock, &rxe_address_lock, &rxe_cm_routing_lock, &rxe_live_lock, &rxe_contexts_lock, &rxe_queues_lock,
    &rxe_graves_lock, &rxe_spans_lock, &rxe_sets_lock};

enum { LOCK_COUNT = sizeof LOCKS / sizeof *LOCKS };

static void before_fork(void) {
    for (int i = 0; i < LOCK_COUNT; i++) {
        pthread_mutex_lock(LOCKS[i]);
    }
    rxe_address_before_fork();
}

static void after_fork(void) {
    for (int i = LOCK_COUNT - 1; i >= 0; i--) {
        pthread_mutex_unlock(LOCKS[i]);
    }
}

static void after_fork_in_child(void) {
    rxe_address_in_child();
    rxe_events_in_child();
    rxe_jvm_in_child();
    rxe_stacks_in_child();
    rxe_signals_in_child();
    rxe_descriptors_in_child();
    rxe_waits_in_child();
    after_fork();
}

/* When the library is loaded, before any lock can be held. */
__attribute__((constructor)) static void watch_forks(void) {
    if (pthread_atfork(before_fork, after_fork, after_fork_in_child) != 0) {
        rxe_say("no memory to watch for forks: a child of this process may wait for ever in its first verb");
    }
}
