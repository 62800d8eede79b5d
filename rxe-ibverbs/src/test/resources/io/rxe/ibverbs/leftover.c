/*
 * Of a test: the queue pairs that a program leaves in a context which it closes are destroyed, as by the kernel. Others go on, and while
 * they are attached to a multicast group, nothing destroys them.
 */
#include <arpa/inet.h>

#include "pair.h"

static char memory[2 * BYTES];

static void make(struct ibv_context *of, struct ibv_pd **pd, struct ibv_mr **mr, struct ibv_cq **cq, struct ibv_qp **qp) {
    CHECK((*pd = ibv_alloc_pd(of)));
    CHECK((*mr = ibv_reg_mr(*pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)));
    CHECK((*cq = ibv_create_cq(of, 8, NULL, NULL, 0)) && (*qp = create(*pd, *cq, 8)));
}

/* A new queue pair, attached to a group. */
static struct ibv_qp *attach(struct ibv_pd *pd, struct ibv_cq *cq, union ibv_gid *group) {
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
        .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp = ibv_create_qp(pd, &init);
    CHECK(qp && inet_pton(AF_INET6, "::ffff:239.1.2.3", group) == 1 && ibv_attach_mcast(qp, group, 0) == 0);
    return qp;
}

static void destroy_attached(struct ibv_pd *pd, struct ibv_cq *cq) {
    union ibv_gid group;
    struct ibv_qp *qp = attach(pd, cq, &group);
    CHECK(ibv_attach_mcast(qp, &group, 0) == 0 && ibv_destroy_qp(qp) == EBUSY);
    CHECK(ibv_detach_mcast(qp, &group, 0) == 0 && ibv_detach_mcast(qp, &group, 0) == EINVAL && ibv_destroy_qp(qp) == 0);
}

int main(void) {
    struct ibv_device **devices = ibv_get_device_list(NULL);
    CHECK(devices && devices[0]);
    struct ibv_context *closed = ibv_open_device(devices[0]);
    struct ibv_pd *pd, *left_pd;
    struct ibv_mr *mr, *left_mr;
    struct ibv_cq *cq, *left_cq;
    struct ibv_qp *qp, *left_qp;
    struct ibv_wc wc;
    int found;
    CHECK((context = ibv_open_device(devices[0])) && closed);
    make(context, &pd, &mr, &cq, &qp);
    make(closed, &left_pd, &left_mr, &left_cq, &left_qp);
    union ibv_gid group;
    attach(left_pd, left_cq, &group);
    destroy_attached(pd, cq);
    ack_timeout = 10;
    connect_to(left_qp, qp);
    connect_to(qp, left_qp);
    CHECK(ibv_close_device(closed) == 0);
    memset(memory, 1, BYTES);
    struct ibv_sge sge = {.addr = (uintptr_t)memory, .length = BYTES, .lkey = mr->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = {.remote_addr = (uintptr_t)memory + BYTES, .rkey = left_mr->rkey}}, *bad;
    CHECK(ibv_post_send(qp, &wr, &bad) == 0);
    do {
        found = ibv_poll_cq(cq, 1, &wc);
    } while (found == 0);
    CHECK(found == 1 && wc.status == IBV_WC_RETRY_EXC_ERR);
    CHECK(memory[BYTES] == 0);
    /* Its number is another's now. */
    struct ibv_qp *next = create(pd, cq, 8);
    CHECK(next && ibv_destroy_qp(left_qp) != 0);
    CHECK(ibv_destroy_cq(left_cq) == 0 && ibv_dereg_mr(left_mr) == 0 && ibv_dealloc_pd(left_pd) == 0);
    CHECK(ibv_destroy_qp(next) == 0 && ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0);
    CHECK(ibv_dereg_mr(mr) == 0 && ibv_dealloc_pd(pd) == 0 && ibv_close_device(context) == 0);
    puts("all right");
    return 0;
}
