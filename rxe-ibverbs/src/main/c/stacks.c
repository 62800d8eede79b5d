#include "rxe.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/*
 * Java runs only on the stack that the thread was born with, and needs room on it. A program may call verbs on other stacks (coroutines of
 * ucontext, QEMU and boost, an alternative signal stack), or with little left of its own: those calls are made on a thread of ours.
 */

enum { OWN_STACK = 1 << 20 };

__thread struct rxe_stack rxe_stack __attribute__((tls_model("initial-exec")));

/* One call at a time is on its way; the thread of the call waits for it. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static bool has_thread;
static int (*asked_for)(void *);
static void *argument;
static int answer;

bool rxe_find_stack(void) {
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    if (rxe_stack.size || pthread_getattr_np(pthread_self(), &attr) != 0) {
        return false;
    }
    if (pthread_attr_getstack(&attr, &low, &size) == 0 && size > STACK_FOR_JAVA) {
        rxe_stack = (struct rxe_stack){(uintptr_t)low + STACK_FOR_JAVA, size - STACK_FOR_JAVA};
    } else {
        /* Nothing is in a range of one byte at zero. */
        rxe_stack = (struct rxe_stack){0, 1};
    }
    pthread_attr_destroy(&attr);
    return rxe_on_own_stack();
}

static void *serve(void *unused) {
    pthread_mutex_lock(&lock);
    while (true) {
        while (!asked_for) {
            pthread_cond_wait(&asked, &lock);
        }
        answer = asked_for(argument);
        asked_for = NULL;
        pthread_cond_signal(&answered);
    }
    return unused;
}

int rxe_start_thread(void *(*body)(void *), void *its_argument) {
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t mask;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, OWN_STACK);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    rxe_block_signals(&mask);
    int status = pthread_create(&thread, &attr, body, its_argument);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_attr_destroy(&attr);
    return status;
}

int rxe_forward(int (*call)(void *), void *its_argument) {
    pthread_mutex_lock(&turn);
    int status = has_thread ? 0 : rxe_start_thread(serve, NULL);
    has_thread = !status;
    if (status) {
        rxe_say("a call on another stack than the thread's own needs a thread of this library: no memory for it");
        status = -ENOMEM;
    } else {
        pthread_mutex_lock(&lock);
        asked_for = call;
        argument = its_argument;
        pthread_cond_signal(&asked);
        while (asked_for) {
            pthread_cond_wait(&answered, &lock);
        }
        status = answer;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_unlock(&turn);
    return status;
}

void rxe_stacks_in_child(void) {
    pthread_mutex_init(&turn, NULL);
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&asked, NULL);
    pthread_cond_init(&answered, NULL);
    has_thread = false;
    asked_for = NULL;
}
