#include "rxe.h"
#include <dlfcn.h>
#include <signal.h>

/*
 * The JVM needs some signals: it reads through null pointers and lets the fault tell it. A program that installs a handler for one of them
 * later would get the JVM's faults, and one that reads its handler back would get the JVM's. So the program's handler is kept here, as
 * libjsig of the JDK does it, and the JVM, which asks for these functions by name, calls it for what is not its own.
 */

enum { NONE, INSTALLING, INSTALLED };

static const int NEEDED[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

enum { NEEDED_COUNT = sizeof NEEDED / sizeof *NEEDED };

/* What the program has installed, by the index in NEEDED, since the JVM did so. */
static struct sigaction kept[NEEDED_COUNT];
static int phase;
static pthread_t installer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void JVM_begin_signal_setting(void);
void JVM_end_signal_setting(void);
struct sigaction *JVM_get_signal_action(int signal);

static int index_of(int signal) {
    for (int i = 0; i < NEEDED_COUNT; i++) {
        if (NEEDED[i] == signal) {
            return i;
        }
    }
    return -1;
}

static int real_sigaction(int signal, const struct sigaction *action, struct sigaction *former) {
    static int (*real)(int, const struct sigaction *, struct sigaction *);
    if (!real) {
        real = (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT, "sigaction");
    }
    return real(signal, action, former);
}

PUBLIC void JVM_begin_signal_setting(void) {
    installer = pthread_self();
    __atomic_store_n(&phase, INSTALLING, __ATOMIC_RELEASE);
}

PUBLIC void JVM_end_signal_setting(void) {
    __atomic_store_n(&phase, INSTALLED, __ATOMIC_RELEASE);
}

PUBLIC struct sigaction *JVM_get_signal_action(int signal) {
    int index = index_of(signal);
    return index < 0 ? NULL : &kept[index];
}

/* A handler may install one: no handler runs while the lock is held. */
static int exchange(int index, const struct sigaction *action, struct sigaction *former) {
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    pthread_mutex_lock(&lock);
    struct sigaction before = kept[index];
    if (action) {
        kept[index] = *action;
    }
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (former) {
        *former = before;
    }
    return 0;
}

PUBLIC int sigaction(int signal, const struct sigaction *action, struct sigaction *former) {
    int index = index_of(signal), now = __atomic_load_n(&phase, __ATOMIC_ACQUIRE);
    if (index < 0 || now == NONE) {
        return real_sigaction(signal, action, former);
    }
    if (now == INSTALLED) {
        return exchange(index, action, former);
    }
    struct sigaction before;
    int status = real_sigaction(signal, action, &before);
    if (!status && action && pthread_equal(installer, pthread_self())) {
        kept[index] = before;
    }
    if (!status && former) {
        *former = before;
    }
    return status;
}

PUBLIC sighandler_t signal(int signal, sighandler_t handler) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, former;
    sigemptyset(&action.sa_mask);
    return sigaction(signal, &action, &former) == 0 ? former.sa_handler : SIG_ERR;
}

void rxe_signals_in_child(void) {
    pthread_mutex_init(&lock, NULL);
}
