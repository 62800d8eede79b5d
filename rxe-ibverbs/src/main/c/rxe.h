/* What the files of this library share. Nothing here is visible to the program. */
#ifndef RXE_H
#define RXE_H

#include "abi.h"
#include "public.h"
#include <dlfcn.h>
#include <jni.h>
#include <signal.h>
#include <stdbool.h>

/* A process may have several NICs, with numbers from 0 on, each a device. Java has the number in the upper bits of a handle. */
enum { MOST_NICS = 8, NIC_SHIFT = 28 };

static inline unsigned rxe_nic_of_handle(int handle) {
    return (unsigned)handle >> NIC_SHIFT;
}

/* The function of this name behind this library. */
#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) { \
        next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name); \
    }

/* ---- signals.c: what may not be interrupted ---- */

/* Of a thread: how many blocks it is in that may not be interrupted, and whether a handler of the program waits for their end. */
struct rxe_shield {
    volatile int depth, waiting;
};

extern __thread struct rxe_shield rxe_shield __attribute__((tls_model("initial-exec")));

/* How many handlers of the program have run in this thread: what waits in several steps ends as if it had waited in one. */
extern __thread volatile unsigned rxe_handled __attribute__((tls_model("initial-exec")));

/*
 * Declares that nothing interrupts the rest of the block: nothing in it is a cancellation point, and the program's handlers of signals run
 * behind it. A thread that is cancelled or jumps out of a handler would take along the locks it has or the engine it drives, and a handler
 * that calls a verb would wait for its own thread. Nothing in the block may wait for the program.
 */
#define UNINTERRUPTED int cancel_state __attribute__((cleanup(rxe_allow_interrupts))) = rxe_refuse_interrupts()

/* Lets the handlers run that wait. */
void rxe_release_handlers(void);

/* Blocks all signals but a thread's own faults: threads that are started meanwhile leave those of the process to the program's threads. */
void rxe_block_signals(sigset_t *before);

static inline int rxe_refuse_interrupts(void) {
    int state;
    rxe_shield.depth++;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

static inline void rxe_allow_interrupts(const int *state) {
    pthread_setcancelstate(*state, NULL);
    rxe_shield.depth--;
    if (rxe_shield.waiting && !rxe_shield.depth) {
        rxe_release_handlers();
    }
}

/* The same, with a lock until the end of the block. */
#define HOLD(lock) \
    UNINTERRUPTED; \
    pthread_mutex_t *held_lock __attribute__((cleanup(rxe_unlock))) = rxe_lock(lock)

static inline pthread_mutex_t *rxe_lock(pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    return lock;
}

static inline void rxe_unlock(pthread_mutex_t *const *lock) {
    pthread_mutex_unlock(*lock);
}

/* ---- faults.c: memory that the program has registered, and may unmap or protect ---- */

/* Watches a range from now on. Its number, or -1 without memory. */
int rxe_watch_memory(const void *address, size_t bytes);
void rxe_unwatch_memory(int number);
/* The rest is for a handler of signals. Whether an address is watched. */
bool rxe_is_watched(uintptr_t address);
/* Java looks at the count. */
void rxe_count_fault(void);
/* Where this thread changes memory of the program at once: gives it back its mask of signals and ends that. Returns elsewhere. */
void rxe_leave_guarded(const sigset_t *mask);
/* The native methods of io.rxe.ibverbs.ProgramFaults. */
enum { FAULT_NATIVES = 6 };
extern const JNINativeMethod rxe_fault_natives[FAULT_NATIVES];

/* ---- say.c ---- */

/* Prints a sentence to standard error, after "rxe: ". */
void rxe_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- events.c: what a completion channel or a context reports through its file descriptor ---- */

/* One event. `reported` counts the events of its element that the program has taken; `body` is more about it, or null. */
struct event {
    void *element;
    int type;
    uint32_t *reported;
    void *body;
};

/* Events that wait for the program, oldest first, and a descriptor that is readable while there are any. */
struct event_queue {
    int fd;
    pthread_mutex_t lock;
    struct event *ring;
    unsigned capacity, first, count;
    /* All open queues are in a list, for the child of a fork. */
    struct event_queue *next, **link;
};

int event_queue_open(struct event_queue *queue);
void event_queue_close(struct event_queue *queue);
void event_queue_push(struct event_queue *queue, struct event event);
/* Waits for the next event. Returns -1 with errno when the descriptor is non-blocking and there is none. */
int event_queue_pop(struct event_queue *queue, struct event *event);
/* Takes out the oldest waiting event of an element; false without. */
bool event_queue_take(struct event_queue *queue, const void *element, struct event *event);
/* From now on nothing is reported: the program is in exit(). */
void rxe_end_events(void);
bool rxe_events_have_ended(void);
/* Forgets the waiting events of an element that is destroyed. */
void event_queue_forget(struct event_queue *queue, const void *element);

/* ---- jvm.c: the JVM in this process, and the calls into Java ---- */

/* UP_OPEN and so on. */
enum upcall {
#define UPCALL(name, class, method, signature) UP_##name,
#include "upcalls.def"
#undef UPCALL
    UPCALLS
};

/* What an address or a 64-bit number is passed to Java as. */
#define LONG(value) ((int64_t)(value))
#define ADDRESS(pointer) ((int64_t)(intptr_t)(pointer))

/* Starts the NICs unless they run, and calls a method with the arguments its signature names: int, LONG or ADDRESS. Negative: an errno. */
int up(enum upcall method, ...);
/* The same for the data path: the JVM runs and the arguments are in place. */
int up_fast(enum upcall method, const jvalue *arguments);
/* What a method returns whose arguments are the number of a NIC that runs, and a pointer where it has a second; 0 where it does not. */
int up_if_running(enum upcall method, unsigned nic, const void *pointer);
/* Starts the JVM and the NICs at their addresses unless they run. 0, or an errno. */
int rxe_start(void);

/* ---- refusals.c: faults of verbs that are done without Java ---- */

/* The errno with which a verb, named as its man page without ibv_, is to fail because a fault is made on purpose; 0 for none. */
int rxe_refusal(unsigned nic, const char *verb);

/* ---- host.c: the JVM of a program in Java ---- */

/* Null for another program. */
JavaVM *rxe_host_jvm(void);
/* For a program that has the Java half on its class path: no loader is made. */
void rxe_use_classes_of_host(void);
/* Makes a loader for the classes of the Java half in that JVM. False with an exception. */
bool rxe_make_loader(JNIEnv *env, const char *class_path);
/*
 * The JVM runs a Runnable when it exits, behind the shutdown hooks of the program, which may still use the NICs: those of a kernel work to
 * the end. It keeps that place for classes of Java. False where it has none.
 */
bool rxe_run_last(JNIEnv *env, jobject task);
/* Finds a class of the Java half; null with an exception. */
jclass rxe_find_class(JNIEnv *env, const char *name);

/* ---- stacks.c: Java runs on a thread's own stack only, where there is room for it ---- */

enum { STACK_FOR_JAVA = 192 * 1024 };

/* Where on the stack of this thread Java may be called: a lowest address and the bytes above it. No bytes before it is known. */
struct rxe_stack {
    uintptr_t low, size;
};

extern __thread struct rxe_stack rxe_stack __attribute__((tls_model("initial-exec")));

static inline bool rxe_on_own_stack(void) {
    return (uintptr_t)__builtin_frame_address(0) - rxe_stack.low < rxe_stack.size;
}

/*
 * Starts a thread that ends with its body, on a stack with room for Java. The signals of the program stay those of its own threads, but
 * for faults, which the JVM needs. 0, or an errno.
 */
int rxe_start_thread(void *(*body)(void *), void *argument);
/* Finds out where the stack is, unless that is known. Whether Java may be called here. */
bool rxe_find_stack(void);
/* Calls a function on a thread of this library, and returns what it returns; a negative errno without memory for the thread. */
int rxe_forward(int (*call)(void *), void *argument);

/* ---- forks.c: the locks of files, and what files do around a fork, with all of these locks held ---- */

extern pthread_mutex_t rxe_cm_device_lock, rxe_address_lock, rxe_cm_routing_lock, rxe_live_lock, rxe_contexts_lock,
    rxe_queues_lock, rxe_graves_lock, rxe_spans_lock, rxe_sets_lock;
void rxe_address_before_fork(void);
void rxe_address_in_child(void);
/* Gives every queue a descriptor of its own, of the same number, and no events: those are of objects of the parent. */
void rxe_events_in_child(void);
/* The JVM that runs is the parent's. */
void rxe_jvm_in_child(void);
void rxe_stacks_in_child(void);
/* The handlers of faults are the program's again. */
void rxe_signals_in_child(void);
/* Those of the parent's JVM are the child's to close. */
void rxe_descriptors_in_child(void);
void rxe_waits_in_child(void);

/* ---- descriptors.c: what a program may not close ---- */

/* Before the JVM of a library starts. 0, or an errno after a sentence where there are too few for it. */
int rxe_watch_descriptors(const char *libjvm, unsigned nics);
/* Keeps those from the program that the JVM has opened since. */
void rxe_keep_descriptors(void);
/* Whether code is the JVM's, or of the library with which it makes sockets. */
bool rxe_is_of_jvm(const void *code);

/* ---- the objects: what the program sees, first, and what we keep behind it. Their handles are those of the Java objects. ---- */

struct rxe_context {
    struct verbs_context verbs;
    unsigned nic;
    struct event_queue async;
};

struct rxe_channel {
    struct ibv_comp_channel base;
    struct event_queue events;
};

struct rxe_cq {
    struct ibv_cq_ex ex;
    uint32_t comp_reported, async_reported;
    unsigned empty_polls;
    /* Whether threads exclude each other when they poll: an extended queue, unless the program promises to poll from one thread. */
    bool is_locked;
    /* Of a queue that is polled with ibv_start_poll: who is between that and ibv_end_poll, and the completion that the program reads. */
    pthread_mutex_t poll_lock;
    struct ibv_wc wc;
    /* When the completion in `wc` was made, in ns since the NIC was opened and since 1970; of a queue with timestamps. */
    uint64_t stamps[2];
};

struct rxe_mr {
    struct ibv_mr base;
    /* Of rxe_watch_memory. */
    int watch;
};

struct rxe_srq {
    struct ibv_srq base;
    uint32_t async_reported;
};

struct rxe_qp {
    struct ibv_qp_ex ex;
    /* Where libibverbs 45 and later have it. */
    void (*wr_flush)(struct ibv_qp_ex *, uint32_t rkey, uint64_t remote_addr, size_t length, uint8_t type, uint8_t level);
    uint32_t async_reported;
    unsigned max_wr, max_sge, max_inline;
    /* The batch that ibv_wr_* builds; its first error is reported by ibv_wr_complete. Allocated with the queue pair. */
    pthread_mutex_t batch_lock;
    struct ibv_send_wr *batch;
    struct ibv_sge *batch_sges;
    char *batch_inline;
    unsigned batch_count;
    int batch_error;
};

static inline struct rxe_context *context_of(struct ibv_context *context) {
    return (struct rxe_context *)((char *)context - offsetof(struct verbs_context, context));
}

static inline int nic_of(struct ibv_context *context) {
    return (int)context_of(context)->nic;
}

/* objects.c: the contexts that are open. False without memory. */
bool rxe_remember_context(struct rxe_context *context);
void rxe_forget_context(struct rxe_context *context);
/* Whether the last event of a NIC's port says so; the interface may be up all the same, if a fault was made on purpose. */
bool rxe_port_is_down(unsigned nic);
/* Whether there was DEVICE_FATAL. */
bool rxe_has_failed(unsigned nic);
/* Reports an event of a NIC's port or device to each of its contexts. */
void rxe_raise_everywhere(unsigned nic, int type);
/*
 * Frees a destroyed object after many more were destroyed: a program that still uses it gets EINVAL, as Java knows no object with the
 * handle that is in it then.
 */
enum { DESTROYED = -1 };
void rxe_bury(void *object);
/* Structures that Java does not know yet; null without memory. */
struct rxe_qp *rxe_new_qp(struct ibv_context *context, struct ibv_pd *pd, const struct ibv_qp_init_attr *attr);
struct rxe_srq *rxe_new_srq(struct ibv_context *context, void *srq_context, struct ibv_pd *pd);

/* downcalls.c: binds the native methods of Java. */
bool rxe_register_downcalls(JNIEnv *env);

/* device.c: the device of a NIC. */
struct ibv_device *rxe_device(unsigned nic);
/* As ibv_open_device, which a fault may refuse. */
struct ibv_context *rxe_open_device(struct ibv_device *device);

/* ---- what device.c puts into the tables of a context ---- */

int rxe_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size);
int rxe_query_device_ex(struct ibv_context *context, const void *input, struct ibv_device_attr_ex *attr, size_t size);
/* domains.c, memory.c and xrc.c have more of them. */
struct ibv_pd *rxe_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr);
bool rxe_is_parent_domain(const struct ibv_pd *pd);
struct ibv_td *rxe_alloc_td(struct ibv_context *context, const uint32_t *comp_mask);
int rxe_dealloc_td(struct ibv_td *td);
int rxe_advise_mr(struct ibv_pd *pd, int advice, uint32_t flags, struct ibv_sge *list, uint32_t count);
struct ibv_mw *rxe_alloc_mw(struct ibv_pd *pd, int type);
int rxe_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
int rxe_dealloc_mw(struct ibv_mw *mw);
struct ibv_xrcd *rxe_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr);
int rxe_close_xrcd(struct ibv_xrcd *xrcd);
struct ibv_srq *rxe_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr);
int rxe_get_srq_num(struct ibv_srq *srq, uint32_t *number);
struct ibv_cq_ex *rxe_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
struct ibv_qp *rxe_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
int rxe_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc);
/* The same for a thread that has the lock of the queue, if it has one. */
int rxe_take_completions(struct rxe_cq *cq, int count, struct ibv_wc *wc);
int rxe_req_notify_cq(struct ibv_cq *cq, int solicited_only);
/* Posts all or none where `bad` is null. */
int rxe_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int rxe_post_recv(struct ibv_qp *qp, void *wr, void **bad);
int rxe_post_srq_recv(struct ibv_srq *srq, void *wr, void **bad);
/* An XRC_RECV queue pair, for rxe_create_qp_ex, which has checked that there is an XRC domain. */
struct ibv_qp *rxe_create_xrc_receiver(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
/* qpex.c: sets up the table of ibv_wr_*; false without memory. */
bool rxe_qp_begin_batches(struct rxe_qp *qp);
void rxe_qp_end_batches(struct rxe_qp *qp);
/* cqex.c: sets up the table of ibv_start_poll and its kin; without a lock if the program promises to poll from one thread. */
void rxe_cq_begin_polling(struct rxe_cq *cq, bool single_threaded);

#endif
