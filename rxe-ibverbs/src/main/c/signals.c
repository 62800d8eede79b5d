#include "rxe.h"
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/*
 * The program's handlers of signals, of which this library knows by its sigaction and signal.
 *
 * The JVM needs some signals: it reads through null pointers and lets the fault tell it. A program that installs a handler for one of them
 * later would get the JVM's faults, and one that reads its handler back would get the JVM's. So the program's handler is kept here, as
 * libjsig of the JDK does it, and the JVM, which asks for these functions by name, calls it for what is not its own.
 *
 * Other signals may come while a thread is in a block that nothing may interrupt. The kernel calls a function of this file for them, which
 * calls the program's handler, or sends the signal again, blocked, until the end of the block.
 */

enum { NONE, INSTALLING, INSTALLED };

enum { SIGNALS = 64 };

static const int NEEDED[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
/* What a thread does to itself, and what must not be blocked then. */
static const int OWN_FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

enum { NEEDED_COUNT = sizeof NEEDED / sizeof *NEEDED, OWN_FAULT_COUNT = sizeof OWN_FAULTS / sizeof *OWN_FAULTS };

/* What the program has installed, by the index in NEEDED, since the JVM did so, and whether that did. */
static struct sigaction kept[NEEDED_COUNT];
static bool is_of_jvm[NEEDED_COUNT];
/* The program's handlers of the other signals, by number, and whether they want a siginfo_t. */
static void *handlers[SIGNALS + 1];
static int wants_info[SIGNALS + 1];
static int phase;
static pthread_t installer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__thread struct rxe_shield rxe_shield __attribute__((tls_model("initial-exec")));
__thread volatile unsigned rxe_handled __attribute__((tls_model("initial-exec")));
/* The signals that were blocked before the first handler waited; the kernel's set has 64 bits, that of the C library more. */
static __thread uint64_t mask_before __attribute__((tls_model("initial-exec")));

void JVM_begin_signal_setting(void);
void JVM_end_signal_setting(void);
struct sigaction *JVM_get_signal_action(int signal);

static int index_of(int signal, const int *signals, int count) {
    for (int i = 0; i < count; i++) {
        if (signals[i] == signal) {
            return i;
        }
    }
    return -1;
}

static int real_sigaction(int signal, const struct sigaction *action, struct sigaction *former) {
    NEXT(sigaction);
    return next(signal, action, former);
}

/* ---- handlers that wait ---- */

/* Every signal but those that are never waited for. */
static sigset_t waiting_signals(void) {
    sigset_t set;
    sigfillset(&set);
    for (int i = 0; i < OWN_FAULT_COUNT; i++) {
        sigdelset(&set, OWN_FAULTS[i]);
    }
    return set;
}

void rxe_block_signals(sigset_t *before) {
    sigset_t set = waiting_signals();
    pthread_sigmask(SIG_BLOCK, &set, before);
}

/* Within a handler: the signal stays pending, since the thread goes on with all signals blocked. */
static void wait_for_end(int signal, siginfo_t *info, ucontext_t *interrupted) {
    sigset_t set = waiting_signals();
    uint64_t mask;
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    memcpy(&mask, &interrupted->uc_sigmask, sizeof mask);
    if (!rxe_shield.waiting) {
        mask_before = mask;
        rxe_shield.waiting = 1;
    }
    uint64_t blocked;
    memcpy(&blocked, &set, sizeof blocked);
    mask |= blocked;
    memcpy(&interrupted->uc_sigmask, &mask, sizeof mask);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), signal, info) != 0) {
        /* Without what the sender told. */
        raise(signal);
    }
}

void rxe_release_handlers(void) {
    sigset_t mask;
    sigemptyset(&mask);
    memcpy(&mask, &mask_before, sizeof mask_before);
    rxe_shield.waiting = 0;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void call_handler(int signal, siginfo_t *info, void *interrupted) {
    rxe_handled++;
    ((void (*)(int, siginfo_t *, void *))__atomic_load_n(&handlers[signal], __ATOMIC_ACQUIRE))(signal, info, interrupted);
}

static void on_signal(int signal, siginfo_t *info, void *interrupted) {
    if (rxe_shield.depth) {
        wait_for_end(signal, info, interrupted);
    } else {
        call_handler(signal, info, interrupted);
    }
}

/* The same with SA_RESETHAND, which the kernel must not obey before the handler is called. */
static void on_signal_once(int signal, siginfo_t *info, void *interrupted) {
    if (rxe_shield.depth) {
        wait_for_end(signal, info, interrupted);
    } else {
        struct sigaction none = {.sa_handler = SIG_DFL};
        real_sigaction(signal, &none, NULL);
        call_handler(signal, info, interrupted);
    }
}

/* ---- faults of memory that the program has registered ---- */

/* The JVM's handlers, by the index in NEEDED. */
static void (*handlers_of_jvm[NEEDED_COUNT])(int, siginfo_t *, void *);
/* Of a thread that asks the JVM whether a fault is its own: the JVM calls no handler of the program then, but the one that notes it. */
static __thread struct {
    bool asks, denied;
} question __attribute__((tls_model("initial-exec")));

static void note_denial(int signal, siginfo_t *info, void *interrupted) {
    (void)signal, (void)info, (void)interrupted;
    question.denied = true;
}

/* Lets the JVM handle a fault if it is its own. It may fault meanwhile, and answer that in another call of this function. */
static bool jvm_handles(int signal, siginfo_t info, void *interrupted) {
    bool asked_before = question.asks;
    info.si_signo = signal;
    question.asks = true;
    question.denied = false;
    handlers_of_jvm[index_of(signal, NEEDED, NEEDED_COUNT)](signal, &info, interrupted);
    bool handled = !question.denied;
    question.asks = asked_before;
    question.denied = false;
    return handled;
}

/*
 * The JVM survives a fault of a copy only where a mapped file has become too short, which is SIGBUS. A page that is not mapped, or is
 * protected, is SIGSEGV: what the JVM does not know as its own is shown to it as SIGBUS, if it concerns memory that the program has
 * registered. An address that no process can have comes without its number.
 */
static void on_fault(int signal, siginfo_t *info, void *interrupted) {
    sigset_t mask;
    sigemptyset(&mask);
    memcpy(&mask, &((ucontext_t *)interrupted)->uc_sigmask, sizeof(uint64_t));
    rxe_leave_guarded(&mask);
    bool is_watched = info->si_code == SI_KERNEL || (info->si_code > 0 && rxe_is_watched((uintptr_t)info->si_addr));
    if (is_watched && signal == SIGSEGV && jvm_handles(SIGSEGV, *info, interrupted)) {
        return;
    }
    if (is_watched && jvm_handles(SIGBUS, *info, interrupted)) {
        rxe_count_fault();
        return;
    }
    bool asks = question.asks;
    question.asks = false;
    handlers_of_jvm[index_of(signal, NEEDED, NEEDED_COUNT)](signal, info, interrupted);
    question.asks = asks;
}

/* ---- installing ---- */

PUBLIC void JVM_begin_signal_setting(void) {
    installer = pthread_self();
    __atomic_store_n(&phase, INSTALLING, __ATOMIC_RELEASE);
}

PUBLIC void JVM_end_signal_setting(void) {
    __atomic_store_n(&phase, INSTALLED, __ATOMIC_RELEASE);
}

PUBLIC struct sigaction *JVM_get_signal_action(int signal) {
    static struct sigaction asking = {.sa_sigaction = note_denial, .sa_flags = SA_SIGINFO | SA_NODEFER};
    int index = index_of(signal, NEEDED, NEEDED_COUNT);
    return index < 0 ? NULL : question.asks ? &asking : &kept[index];
}

static void exchange_kept(int index, const struct sigaction *action, struct sigaction *former) {
    struct sigaction before = kept[index];
    if (action) {
        kept[index] = *action;
    }
    if (former) {
        *former = before;
    }
}

static bool is_ours(const struct sigaction *action) {
    return action->sa_sigaction == on_signal || action->sa_sigaction == on_signal_once;
}

/* Only a handler is kept: in the child of a vfork, SIG_DFL is set for the child and memory is the parent's. */
static int exchange_handler(int signal, const struct sigaction *action, struct sigaction *former) {
    struct sigaction ours, before;
    void *handler = handlers[signal];
    int wanted = wants_info[signal];
    if (action) {
        ours = *action;
        if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
            __atomic_store_n(&handlers[signal], (void *)action->sa_sigaction, __ATOMIC_RELEASE);
            wants_info[signal] = action->sa_flags & SA_SIGINFO;
            ours.sa_sigaction = action->sa_flags & (int)SA_RESETHAND ? on_signal_once : on_signal;
            ours.sa_flags = (action->sa_flags | SA_SIGINFO) & ~(int)SA_RESETHAND;
        }
    }
    int status = real_sigaction(signal, action ? &ours : NULL, &before);
    if (status) {
        __atomic_store_n(&handlers[signal], handler, __ATOMIC_RELEASE);
        wants_info[signal] = wanted;
    } else if (former) {
        *former = before;
        if (is_ours(&before)) {
            former->sa_sigaction = (void (*)(int, siginfo_t *, void *))handler;
            former->sa_flags = (before.sa_flags & ~SA_SIGINFO) | wanted
                | (before.sa_sigaction == on_signal_once ? (int)SA_RESETHAND : 0);
        }
    }
    return status;
}

/* A handler may install one: no handler runs while the lock is held. */
static int exchange(int index, int signal, const struct sigaction *action, struct sigaction *former) {
    sigset_t all, mask;
    int status = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    pthread_mutex_lock(&lock);
    if (index < 0) {
        status = exchange_handler(signal, action, former);
    } else {
        exchange_kept(index, action, former);
    }
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return status;
}

PUBLIC int sigaction(int signal, const struct sigaction *action, struct sigaction *former) {
    int index = index_of(signal, NEEDED, NEEDED_COUNT), now = __atomic_load_n(&phase, __ATOMIC_ACQUIRE);
    if (index < 0) {
        /* The JVM's own are installed by a thread that is in a verb. */
        bool waits = signal > 0 && signal <= SIGNALS && index_of(signal, OWN_FAULTS, OWN_FAULT_COUNT) < 0 && !rxe_shield.depth;
        return waits ? exchange(index, signal, action, former) : real_sigaction(signal, action, former);
    }
    if (now == NONE) {
        return real_sigaction(signal, action, former);
    }
    if (now == INSTALLED) {
        return exchange(index, signal, action, former);
    }
    struct sigaction before, ours;
    bool asks_jvm = action && pthread_equal(installer, pthread_self());
    if (asks_jvm && (signal == SIGSEGV || signal == SIGBUS)) {
        handlers_of_jvm[index] = action->sa_sigaction;
        ours = *action;
        ours.sa_sigaction = on_fault;
        action = &ours;
    }
    int status = real_sigaction(signal, action, &before);
    if (!status && asks_jvm) {
        kept[index] = before;
        is_of_jvm[index] = true;
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

/* The JVM is the parent's, and would take the end of the child by a fault for its own. */
void rxe_signals_in_child(void) {
    pthread_mutex_init(&lock, NULL);
    for (int i = 0; i < NEEDED_COUNT; i++) {
        if (is_of_jvm[i]) {
            real_sigaction(NEEDED[i], &kept[i], NULL);
        }
    }
    phase = NONE;
}
