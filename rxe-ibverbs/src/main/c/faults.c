#include "rxe.h"
#include <errno.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Memory that the program has registered and need not keep. Nothing is pinned: the program may unmap or protect it while the NIC copies.
 * signals.c asks here whether a fault is of that kind. The copy of Java then ends with an error, and the process goes on. This file calls
 * no other.
 */

#ifndef MADV_POPULATE_READ
enum { MADV_POPULATE_READ = 22, MADV_POPULATE_WRITE = 23 };
#endif

/* ---- what is registered ---- */

enum { FIRST_CHUNK = 64, CHUNKS = 25 };

/* A handler of signals reads while others change: no lock, and what was once allocated stays. A span that is free contains nothing. */
struct span {
    _Atomic uintptr_t first, last;
    int next_free;
};

pthread_mutex_t rxe_spans_lock = PTHREAD_MUTEX_INITIALIZER;
/* Each is twice as long as the one before. */
static struct span *_Atomic chunks[CHUNKS];
static _Atomic int used;
static int first_free = -1;

/* Null beyond the last chunk, and without memory for it. */
static struct span *span_at(int number) {
    int chunk = 31 - __builtin_clz((unsigned)number + FIRST_CHUNK) - 6;
    struct span *spans = chunk < CHUNKS ? atomic_load(&chunks[chunk]) : NULL;
    return spans ? &spans[number + FIRST_CHUNK - (FIRST_CHUNK << chunk)] : NULL;
}

static int new_span(void) {
    int number = used, chunk = 31 - __builtin_clz((unsigned)number + FIRST_CHUNK) - 6;
    if (chunk < CHUNKS && !chunks[chunk]) {
        atomic_store(&chunks[chunk], calloc((size_t)FIRST_CHUNK << chunk, sizeof(struct span)));
    }
    struct span *span = span_at(number);
    if (!span) {
        return -1;
    }
    atomic_store(&span->first, UINTPTR_MAX);
    atomic_store(&used, number + 1);
    return number;
}

int rxe_watch_memory(const void *address, size_t bytes) {
    pthread_mutex_lock(&rxe_spans_lock);
    int number = first_free;
    if (number >= 0) {
        first_free = span_at(number)->next_free;
    } else {
        number = new_span();
    }
    if (number >= 0 && bytes > 0) {
        struct span *span = span_at(number);
        uintptr_t first = (uintptr_t)address;
        atomic_store(&span->last, bytes - 1 <= UINTPTR_MAX - first ? first + bytes - 1 : UINTPTR_MAX);
        atomic_store(&span->first, first);
    }
    pthread_mutex_unlock(&rxe_spans_lock);
    return number;
}

void rxe_unwatch_memory(int number) {
    pthread_mutex_lock(&rxe_spans_lock);
    struct span *span = span_at(number);
    atomic_store(&span->first, UINTPTR_MAX);
    atomic_store(&span->last, 0);
    span->next_free = first_free;
    first_free = number;
    pthread_mutex_unlock(&rxe_spans_lock);
}

bool rxe_is_watched(uintptr_t address) {
    for (int number = 0; number < used; number++) {
        struct span *span = span_at(number);
        if (address >= atomic_load(&span->first) && address <= atomic_load(&span->last)) {
            return true;
        }
    }
    return false;
}

/* ---- faults of copies, which Java makes ---- */

static _Atomic uint64_t count;

void rxe_count_fault(void) {
    atomic_fetch_add(&count, 1);
}

static jlong JNICALL counter(JNIEnv *env, jclass class) {
    (void)env, (void)class;
    return ADDRESS(&count);
}

/* ---- faults of what is changed at once: the interpreter of Java does not survive them, so that it is done here ---- */

static __thread struct {
    jmp_buf back;
    volatile int armed;
} guard __attribute__((tls_model("initial-exec")));

void rxe_leave_guarded(const sigset_t *mask) {
    if (guard.armed) {
        guard.armed = 0;
        pthread_sigmask(SIG_SETMASK, mask, NULL);
        longjmp(guard.back, 1);
    }
}

static void throw_fault(JNIEnv *env) {
    jclass error = (*env)->FindClass(env, "java/lang/InternalError");
    if (error) {
        (*env)->ThrowNew(env, error, "memory of the program is unmapped or protected");
    }
}

/* Runs what may fault. It must not declare anything, nor call what a fault may not leave. */
#define GUARDED(env, statement) \
    do { \
        if (setjmp(guard.back)) { \
            throw_fault(env); \
        } else { \
            guard.armed = 1; \
            atomic_signal_fence(memory_order_seq_cst); \
            statement; \
            atomic_signal_fence(memory_order_seq_cst); \
            guard.armed = 0; \
        } \
    } while (0)

static jlong JNICALL compare_and_swap(JNIEnv *env, jobject faults, jlong address, jlong compare, jlong swap) {
    (void)faults;
    volatile jlong former = 0;
    GUARDED(env, former = __sync_val_compare_and_swap((jlong *)(intptr_t)address, compare, swap));
    return former;
}

static jlong JNICALL fetch_and_add(JNIEnv *env, jobject faults, jlong address, jlong addend) {
    (void)faults;
    volatile jlong former = 0;
    GUARDED(env, former = __atomic_fetch_add((jlong *)(intptr_t)address, addend, __ATOMIC_SEQ_CST));
    return former;
}

static void JNICALL store(JNIEnv *env, jobject faults, jlong address, jlong value) {
    (void)faults;
    GUARDED(env, __atomic_store_n((jlong *)(intptr_t)address, value, __ATOMIC_SEQ_CST));
}

/*
 * A peer may name any address of an implicit region, also a page that the JVM protects: for safepoints, or at the end of a stack. The JVM
 * would take the fault for its own. What a sanitizer thinks of the memory is no concern of a NIC, nor are parts of words.
 */
struct __attribute__((packed, may_alias)) word {
    uint64_t value;
};

__attribute__((no_sanitize("address", "undefined"))) static void move(char *to, const char *from, size_t bytes) {
    size_t at = 0;
    for (; bytes - at >= sizeof(struct word); at += sizeof(struct word)) {
        ((volatile struct word *)(to + at))->value = ((const volatile struct word *)(from + at))->value;
    }
    for (; at < bytes; at++) {
        ((volatile char *)to)[at] = ((const volatile char *)from)[at];
    }
}

static void JNICALL copy(JNIEnv *env, jobject faults, jlong from, jlong to, jlong bytes) {
    (void)faults;
    GUARDED(env, move((char *)(intptr_t)to, (const char *)(intptr_t)from, (size_t)bytes));
}

/* ---- ibv_advise_mr ---- */

/* Kernels before 5.14 cannot bring pages in at once, but they say what is not mapped. */
static int populate(void *first, size_t bytes, bool writes) {
    if (madvise(first, bytes, writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0) {
        return 0;
    }
    bool is_old = madvise(NULL, 0, MADV_POPULATE_READ) != 0;
    return is_old && madvise(first, bytes, MADV_WILLNEED) == 0 ? 0 : EFAULT;
}

/* Brings pages in; with `waits` they are there on return, else an error is none. 0, or an errno. */
static jint JNICALL prefetch(JNIEnv *env, jclass class, jlong address, jlong bytes, jboolean writes, jboolean waits) {
    (void)env, (void)class;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)address & ~(page - 1);
    uintptr_t end = (uintptr_t)address + (uintptr_t)bytes;
    if (end > UINTPTR_MAX - page) {
        return waits ? EFAULT : 0;
    }
    size_t length = ((end + page - 1) & ~(page - 1)) - first;
    if (waits) {
        return populate((void *)first, length, writes);
    }
    madvise((void *)first, length, MADV_WILLNEED);
    return 0;
}

const JNINativeMethod rxe_fault_natives[FAULT_NATIVES] = {
    {"counter", "()J", (void *)counter},
    {"compareAndSwap", "(JJJ)J", (void *)compare_and_swap},
    {"fetchAndAdd", "(JJ)J", (void *)fetch_and_add},
    {"store", "(JJ)V", (void *)store},
    {"copy", "(JJJ)V", (void *)copy},
    {"prefetch", "(JJZZ)I", (void *)prefetch},
};
