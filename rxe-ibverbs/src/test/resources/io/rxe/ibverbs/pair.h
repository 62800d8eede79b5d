/* For the programs of the tests: two queue pairs of one device, connected, and a thread's use of them. */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

enum { WRITES = 20, BYTES = 2048 };

static struct ibv_context *context;
/* Long: on a busy machine the engine may not run for a while. */
static uint8_t ack_timeout = 20;

static struct ibv_qp *create(struct ibv_pd *pd, struct ibv_cq *cq, unsigned depth) {
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1, .max_recv_sge = 1}};
    return ibv_create_qp(pd, &init);
}

static inline void connect_gid(struct ibv_qp *qp, uint32_t peer, const union ibv_gid *gid) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS) == 0);
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer, .rq_psn = 7,
        .max_dest_rd_atomic = 4, .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = *gid, .sgid_index = 1, .hop_limit = 9}}};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
        | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0);
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = ack_timeout, .retry_cnt = 7, .rnr_retry = 7, .sq_psn = 7, .max_rd_atomic = 4};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
        | IBV_QP_MAX_QP_RD_ATOMIC) == 0);
}

static inline void connect_to(struct ibv_qp *qp, struct ibv_qp *peer) {
    union ibv_gid gid;
    CHECK(ibv_query_gid(context, 1, 1, &gid) == 0);
    connect_gid(qp, peer->qp_num, &gid);
}

static inline void *use(void *number) {
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
