/*
 * Many threads that use the device at once: each has its own objects, makes two queue pairs, connects them, writes from one memory to
 * another and polls. Then some threads poll one extended queue. With the argument "exhaust" the program makes queue pairs until there is no
 * memory for more, and goes on with fewer.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "pair.h"

enum { THREADS = 64, MOST = 1 << 20, POLLERS = 4, SHARED_WRITES = 2000 };

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

int main(int count, char **arguments) {
    struct ibv_device **list = ibv_get_device_list(NULL);
    pthread_t threads[THREADS];
    CHECK(list && (context = ibv_open_device(list[0])));
    if (count > 1) {
        CHECK(strcmp(arguments[1], "exhaust") == 0);
        exhaust();
    } else {
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
