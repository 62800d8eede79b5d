/*
 * Many threads that use the device at once: each has its own objects, makes two queue pairs, connects them, writes from one memory to
 * another and polls. Then some threads poll one extended queue. With an argument the program does one other thing: "exhaust" makes queue
 * pairs until there is no memory for more, and goes on with fewer; "cancel" cancels threads that post and poll; "stacks" uses the device
 * on stacks that are not a thread's own, or small; "signals" installs handlers after the JVM has.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 64, WRITES = 20, BYTES = 2048, MOST = 1 << 20, POLLERS = 4, SHARED_WRITES = 2000, CANCELS = 400, SMALL_STACK = 64 << 10 };

static struct ibv_context *context;

static struct ibv_qp *create(struct ibv_pd *pd, struct ibv_cq *cq, unsigned depth) {
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1, .max_recv_sge = 1}};
    return ibv_create_qp(pd, &init);
}

static void connect_to(struct ibv_qp *qp, struct ibv_qp *peer) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS) == 0);
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qp_num, .rq_psn = 7,
        .max_dest_rd_atomic = 4, .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 1, .hop_limit = 9}}};
    CHECK(ibv_query_gid(context, 1, 1, &attr.ah_attr.grh.dgid) == 0);
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
        | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0);
    /* A long timeout: on a busy machine the engine may not run for a while. */
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 20, .retry_cnt = 7, .rnr_retry = 7, .sq_psn = 7, .max_rd_atomic = 4};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
        | IBV_QP_MAX_QP_RD_ATOMIC) == 0);
}

static void *use(void *number) {
    char *memory = calloc(2, BYTES);
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq *cq = ibv_create_cq(context, 64, NULL, NULL, 0);
    CHECK(memory && pd && cq);
    struct ibv_mr *mr = ibv_reg_mr(pd, memory, 2 * BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    struct ibv_qp *left = create(pd, cq, 8), *right = create(pd, cq, 8);
    CHECK(mr && left && right);
    connect_to(left, right);
    connect_to(right, left);
    for (int i = 0; i < WRITES; i++) {
        struct ibv_sge sge = {.addr = (uintptr_t)memory, .length = BYTES, .lkey = mr->lkey};
        struct ibv_send_wr wr = {.wr_id = (uint64_t)i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
            .send_flags = IBV_SEND_SIGNALED, .wr.rdma = {.remote_addr = (uintptr_t)memory + BYTES, .rkey = mr->rkey}}, *bad;
        struct ibv_wc wc;
        int found;
        memset(memory, (int)(intptr_t)number + i, BYTES);
        CHECK(ibv_post_send(left, &wr, &bad) == 0);
        do {
            found = ibv_poll_cq(cq, 1, &wc);
        } while (found == 0);
        CHECK(found == 1 && wc.status == IBV_WC_SUCCESS && wc.wr_id == (uint64_t)i && wc.qp_num == left->qp_num);
        CHECK(memcmp(memory, memory + BYTES, BYTES) == 0);
    }
    CHECK(ibv_dealloc_pd(pd) == EBUSY);
    CHECK(ibv_destroy_cq(cq) == EBUSY);
    CHECK(ibv_destroy_qp(left) == 0 && ibv_destroy_qp(right) == 0 && ibv_dereg_mr(mr) == 0);
    CHECK(ibv_destroy_cq(cq) == 0 && ibv_dealloc_pd(pd) == 0);
    free(memory);
    return NULL;
}

static struct ibv_cq_ex *shared;
static atomic_int times_seen[SHARED_WRITES], all_seen;

/* What ibv_start_poll or ibv_next_poll gave stays until the next of them, whatever the other threads do. */
static void see(void) {
    uint64_t id = shared->wr_id;
    sched_yield();
    CHECK(shared->wr_id == id && id < SHARED_WRITES && shared->status == IBV_WC_SUCCESS);
    CHECK(ibv_wc_read_opcode(shared) == IBV_WC_RDMA_WRITE);
    times_seen[id]++;
    all_seen++;
}

static void *poll_shared(void *unused) {
    struct ibv_poll_cq_attr attr = {0};
    while (all_seen < SHARED_WRITES) {
        if (ibv_start_poll(shared, &attr) == 0) {
            do {
                see();
            } while (ibv_next_poll(shared) == 0);
            ibv_end_poll(shared);
        }
    }
    return unused;
}

static void share(void) {
    char *memory = calloc(2, BYTES);
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq_init_attr_ex attr = {.cqe = SHARED_WRITES, .wc_flags = IBV_WC_STANDARD_FLAGS};
    CHECK(memory && pd && (shared = ibv_create_cq_ex(context, &attr)));
    struct ibv_mr *mr = ibv_reg_mr(pd, memory, 2 * BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    struct ibv_qp *left = create(pd, ibv_cq_ex_to_cq(shared), 32), *right = create(pd, ibv_cq_ex_to_cq(shared), 32);
    pthread_t threads[POLLERS];
    CHECK(mr && left && right);
    connect_to(left, right);
    connect_to(right, left);
    for (int i = 0; i < POLLERS; i++) {
        CHECK(pthread_create(&threads[i], NULL, poll_shared, NULL) == 0);
    }
    for (int i = 0; i < SHARED_WRITES; i++) {
        struct ibv_sge sge = {.addr = (uintptr_t)memory, .length = 8, .lkey = mr->lkey};
        struct ibv_send_wr wr = {.wr_id = (uint64_t)i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
            .send_flags = IBV_SEND_SIGNALED, .wr.rdma = {.remote_addr = (uintptr_t)memory + BYTES, .rkey = mr->rkey}}, *bad;
        int status;
        while ((status = ibv_post_send(left, &wr, &bad)) == ENOMEM) {
            sched_yield();
        }
        CHECK(status == 0);
    }
    for (int i = 0; i < POLLERS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    for (int i = 0; i < SHARED_WRITES; i++) {
        CHECK(times_seen[i] == 1);
    }
    CHECK(ibv_destroy_qp(left) == 0 && ibv_destroy_qp(right) == 0 && ibv_dereg_mr(mr) == 0);
    CHECK(ibv_destroy_cq(ibv_cq_ex_to_cq(shared)) == 0 && ibv_dealloc_pd(pd) == 0);
    free(memory);
}

static void exhaust(void) {
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq *cq = ibv_create_cq(context, 64, NULL, NULL, 0);
    struct ibv_qp **all = calloc(MOST, sizeof *all);
    int count = 0;
    CHECK(pd && cq && all);
    while (count < MOST && (all[count] = create(pd, cq, 8192))) {
        count++;
    }
    CHECK(count < MOST && errno == ENOMEM);
    printf("%d queue pairs, then no memory\n", count);
    while (count) {
        CHECK(ibv_destroy_qp(all[--count]) == 0);
    }
    CHECK(ibv_destroy_cq(cq) == 0 && ibv_dealloc_pd(pd) == 0);
    use(NULL);
}

/* A pair of queue pairs over which a thread writes until it is cancelled. */
struct written {
    struct ibv_cq *cq;
    struct ibv_qp *left;
    struct ibv_mr *mr;
    char *memory;
};

static void *write_until_cancelled(void *given) {
    struct written *to = given;
    while (true) {
        struct ibv_sge sge = {.addr = (uintptr_t)to->memory, .length = 8, .lkey = to->mr->lkey};
        struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
            .wr.rdma = {.remote_addr = (uintptr_t)to->memory + BYTES, .rkey = to->mr->rkey}}, *bad;
        struct ibv_wc wc;
        int status = ibv_post_send(to->left, &wr, &bad);
        CHECK(status == 0 || status == ENOMEM);
        CHECK(ibv_poll_cq(to->cq, 1, &wc) >= 0);
        pthread_testcancel();
    }
}

/* No verb is a cancellation point where it has a lock or drives the engine: after each thread the next can go on. */
static void cancel(void) {
    struct written to = {.memory = calloc(2, BYTES), .cq = ibv_create_cq(context, 64, NULL, NULL, 0)};
    struct ibv_pd *pd = ibv_alloc_pd(context);
    CHECK(to.memory && pd && to.cq);
    to.mr = ibv_reg_mr(pd, to.memory, 2 * BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    to.left = create(pd, to.cq, 8);
    struct ibv_qp *right = create(pd, to.cq, 8);
    CHECK(to.mr && to.left && right);
    connect_to(to.left, right);
    connect_to(right, to.left);
    for (int i = 0; i < CANCELS; i++) {
        pthread_t thread;
        void *result;
        CHECK(pthread_create(&thread, NULL, write_until_cancelled, &to) == 0);
        usleep((useconds_t)(i % 20 * 100));
        CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    }
    CHECK(ibv_destroy_qp(to.left) == 0 && ibv_destroy_qp(right) == 0 && ibv_dereg_mr(to.mr) == 0);
    CHECK(ibv_destroy_cq(to.cq) == 0 && ibv_dealloc_pd(pd) == 0);
    free(to.memory);
    use(NULL);
}

static ucontext_t caller, coroutine;

static void run_coroutine(void) {
    use(NULL);
}

static void *use_on_coroutine(void *unused) {
    char *stack = malloc(SMALL_STACK);
    CHECK(stack && getcontext(&coroutine) == 0);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = SMALL_STACK;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, run_coroutine, 0);
    CHECK(swapcontext(&caller, &coroutine) == 0);
    free(stack);
    return unused;
}

/* Goes down the stack until little is left. */
static void *use_deep_down(void *lowest) {
    char frame[4096];
    memset(frame, 1, sizeof frame);
    char *next = lowest ? lowest : frame - (512 << 10) + SMALL_STACK;
    if (frame > next) {
        use_deep_down(next);
    } else {
        use(NULL);
    }
    return frame[4095] == 1 ? NULL : lowest;
}

static void run_thread(size_t stack, void *(*body)(void *)) {
    pthread_attr_t attr;
    pthread_t thread;
    CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, stack) == 0);
    CHECK(pthread_create(&thread, &attr, body, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

/* The coroutine first: it starts the JVM. */
static void stacks(void) {
    use_on_coroutine(NULL);
    run_thread(SMALL_STACK, use);
    run_thread(512 << 10, use_deep_down);
    run_thread(8 << 20, use_on_coroutine);
    use(NULL);
}

static sigjmp_buf escape;

static void on_fault(int number, siginfo_t *info, void *machine) {
    (void)machine;
    siglongjmp(escape, number == SIGSEGV && info->si_addr == (void *)8 ? 1 : 2);
}

static void on_fault_simple(int number) {
    siglongjmp(escape, number == SIGSEGV ? 3 : 4);
}

/* The handler that the kernel calls. */
static void *handler_of_kernel(void) {
    struct {
        void *handler;
        unsigned long flags, restorer, mask;
    } action;
    CHECK(syscall(SYS_rt_sigaction, SIGSEGV, NULL, &action, sizeof action.mask) == 0);
    return action.handler;
}

static void fault(void) {
    *(volatile int *)8 = 1;
}

/* The program's handlers get the program's faults, and the JVM keeps getting its own. */
static void signals(void) {
    struct sigaction mine = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER}, former;
    use(NULL);
    void *of_jvm = handler_of_kernel();
    CHECK(sigaction(SIGSEGV, &mine, &former) == 0 && former.sa_handler == SIG_DFL && handler_of_kernel() == of_jvm);
    CHECK(sigaction(SIGSEGV, NULL, &former) == 0 && former.sa_sigaction == on_fault);
    int reached = sigsetjmp(escape, 1);
    if (!reached) {
        fault();
    }
    CHECK(reached == 1);
    CHECK(signal(SIGSEGV, on_fault_simple) != SIG_ERR && handler_of_kernel() == of_jvm);
    reached = sigsetjmp(escape, 1);
    if (!reached) {
        fault();
    }
    CHECK(reached == 3);
    use(NULL);
}

int main(int count, char **arguments) {
    struct ibv_device **list = ibv_get_device_list(NULL);
    pthread_t threads[THREADS];
    struct {
        const char *name;
        void (*run)(void);
    } others[] = {{"exhaust", exhaust}, {"cancel", cancel}, {"stacks", stacks}, {"signals", signals}};
    CHECK(list && (context = ibv_open_device(list[0])));
    for (size_t i = 0; count > 1 && i < sizeof others / sizeof *others; i++) {
        if (strcmp(arguments[1], others[i].name) == 0) {
            others[i].run();
        }
    }
    if (count == 1) {
        for (intptr_t i = 0; i < THREADS; i++) {
            CHECK(pthread_create(&threads[i], NULL, use, (void *)i) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            CHECK(pthread_join(threads[i], NULL) == 0);
        }
        share();
    }
    CHECK(ibv_close_device(context) == 0);
    ibv_free_device_list(list);
    puts("all right");
    return 0;
}
