#include "rxe.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * ibv_wr_*: builds a list of work requests and posts it at ibv_wr_complete. The list, its elements and its inline data have room for a
 * full send queue, so that building allocates nothing. The first error is kept and reported at the end, as the interface demands.
 */

static struct rxe_qp *qp_of(struct ibv_qp_ex *qp) {
    return (struct rxe_qp *)qp;
}

/* Begins the next request. Its fields are those the program set before the call; where there is no room, the error is kept. */
static struct ibv_send_wr *next(struct ibv_qp_ex *ex, int opcode) {
    struct rxe_qp *qp = qp_of(ex);
    if (qp->batch_count == qp->max_wr) {
        qp->batch_error = qp->batch_error ? qp->batch_error : ENOMEM;
        /* The last slot is for what is not posted. */
        qp->batch_count--;
    }
    unsigned index = qp->batch_count++;
    struct ibv_send_wr *wr = &qp->batch[index];
    *wr = (struct ibv_send_wr){.wr_id = ex->wr_id, .opcode = opcode, .send_flags = ex->wr_flags,
        .sg_list = &qp->batch_sges[(size_t)index * qp->max_sge]};
    return wr;
}

/* The request being built; for the setters, which follow its opcode. */
static struct ibv_send_wr *current(struct ibv_qp_ex *ex) {
    struct rxe_qp *qp = qp_of(ex);
    if (qp->batch_count == 0) {
        qp->batch_error = EINVAL;
        return &qp->batch[0];
    }
    return &qp->batch[qp->batch_count - 1];
}

static void wr_send(struct ibv_qp_ex *ex) {
    next(ex, WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, uint32_t imm_data) {
    next(ex, WR_SEND_WITH_IMM)->imm_data = imm_data;
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey) {
    next(ex, WR_SEND_WITH_INV)->imm_data = rkey;
}

static struct ibv_send_wr *rdma(struct ibv_qp_ex *ex, int opcode, uint32_t rkey, uint64_t remote_addr) {
    struct ibv_send_wr *wr = next(ex, opcode);
    wr->wr.rdma.remote_addr = remote_addr;
    wr->wr.rdma.rkey = rkey;
    return wr;
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr) {
    rdma(ex, WR_RDMA_READ, rkey, remote_addr);
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr) {
    rdma(ex, WR_RDMA_WRITE, rkey, remote_addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr, uint32_t imm_data) {
    rdma(ex, WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr)->imm_data = imm_data;
}

static void atomic(struct ibv_qp_ex *ex, int opcode, uint32_t rkey, uint64_t remote_addr, uint64_t compare_add, uint64_t swap) {
    struct ibv_send_wr *wr = next(ex, opcode);
    wr->wr.atomic.remote_addr = remote_addr;
    wr->wr.atomic.compare_add = compare_add;
    wr->wr.atomic.swap = swap;
    wr->wr.atomic.rkey = rkey;
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr, uint64_t compare, uint64_t swap) {
    atomic(ex, WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr, uint64_t add) {
    atomic(ex, WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr, add, 0);
}

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info) {
    struct ibv_send_wr *wr = next(ex, WR_BIND_MW);
    wr->bind_mw.mw = mw;
    wr->bind_mw.rkey = rkey;
    wr->bind_mw.bind_info = *info;
}

static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t rkey) {
    next(ex, WR_LOCAL_INV)->imm_data = rkey;
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t number) {
    current(ex)->remote_srqn = number;
}

/* The structure of a work request has no fields of its own for a flush: Sends reads it from those of an atomic. */
static void wr_flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr, size_t length, uint8_t type, uint8_t level) {
    atomic(ex, WR_FLUSH, rkey, remote_addr, length, (uint64_t)level << 8 | type);
}

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t remote_qpn, uint32_t remote_qkey) {
    struct ibv_send_wr *wr = current(ex);
    wr->wr.ud.ah = ah;
    wr->wr.ud.remote_qpn = remote_qpn;
    wr->wr.ud.remote_qkey = remote_qkey;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t count, const struct ibv_sge *list) {
    struct rxe_qp *qp = qp_of(ex);
    struct ibv_send_wr *wr = current(ex);
    if (count > qp->max_sge) {
        qp->batch_error = EINVAL;
        return;
    }
    memcpy(wr->sg_list, list, count * sizeof *list);
    wr->num_sge = (int)count;
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length) {
    struct ibv_sge sge = {.addr = addr, .length = length, .lkey = lkey};
    wr_set_sge_list(ex, 1, &sge);
}

/* Inline data may change as soon as the setter returns, so it is copied here, and once more at the post. */
static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t count, const struct ibv_data_buf *list) {
    struct rxe_qp *qp = qp_of(ex);
    struct ibv_send_wr *wr = current(ex);
    char *data = qp->batch_inline + (size_t)(wr - qp->batch) * qp->max_inline;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].length > qp->max_inline - bytes) {
            qp->batch_error = EINVAL;
            return;
        }
        memcpy(data + bytes, list[i].addr, list[i].length);
        bytes += list[i].length;
    }
    wr->send_flags |= SEND_INLINE;
    wr->sg_list[0] = (struct ibv_sge){.addr = (uintptr_t)data, .length = (uint32_t)bytes};
    wr->num_sge = 1;
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length) {
    struct ibv_data_buf buffer = {.addr = addr, .length = length};
    wr_set_inline_data_list(ex, 1, &buffer);
}

static void wr_atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr, const void *eight_bytes) {
    struct ibv_data_buf buffer = {.addr = (void *)eight_bytes, .length = sizeof(uint64_t)};
    rdma(ex, WR_ATOMIC_WRITE, rkey, remote_addr);
    wr_set_inline_data_list(ex, 1, &buffer);
}

/* The lock is held from here to ibv_wr_complete or ibv_wr_abort: one thread builds at a time. */
static void wr_start(struct ibv_qp_ex *ex) {
    struct rxe_qp *qp = qp_of(ex);
    pthread_mutex_lock(&qp->batch_lock);
    qp->batch_count = 0;
    qp->batch_error = 0;
}

static void wr_abort(struct ibv_qp_ex *ex) {
    pthread_mutex_unlock(&qp_of(ex)->batch_lock);
}

static int wr_complete(struct ibv_qp_ex *ex) {
    UNINTERRUPTED;
    struct rxe_qp *qp = qp_of(ex);
    int status = qp->batch_error;
    if (!status && qp->batch_count) {
        for (unsigned i = 0; i + 1 < qp->batch_count; i++) {
            qp->batch[i].next = &qp->batch[i + 1];
        }
        status = rxe_post_send(&ex->qp_base, qp->batch, NULL);
    }
    pthread_mutex_unlock(&qp->batch_lock);
    return status;
}

bool rxe_qp_begin_batches(struct rxe_qp *qp) {
    qp->batch = calloc(qp->max_wr, sizeof *qp->batch);
    qp->batch_sges = calloc((size_t)qp->max_wr * qp->max_sge, sizeof *qp->batch_sges);
    qp->batch_inline = malloc((size_t)qp->max_wr * qp->max_inline + 1);
    if (!qp->batch || !qp->batch_sges || !qp->batch_inline) {
        rxe_qp_end_batches(qp);
        return false;
    }
    qp->batch[0].sg_list = qp->batch_sges;
    pthread_mutex_init(&qp->batch_lock, NULL);
    struct ibv_qp_ex *ex = &qp->ex;
    ex->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
    ex->wr_atomic_fetch_add = wr_atomic_fetch_add;
    ex->wr_bind_mw = wr_bind_mw;
    ex->wr_local_inv = wr_local_inv;
    ex->wr_rdma_read = wr_rdma_read;
    ex->wr_rdma_write = wr_rdma_write;
    ex->wr_rdma_write_imm = wr_rdma_write_imm;
    ex->wr_send = wr_send;
    ex->wr_send_imm = wr_send_imm;
    ex->wr_send_inv = wr_send_inv;
    ex->wr_set_ud_addr = wr_set_ud_addr;
    ex->wr_set_xrc_srqn = wr_set_xrc_srqn;
    ex->wr_atomic_write = wr_atomic_write;
    qp->wr_flush = wr_flush;
    ex->wr_set_inline_data = wr_set_inline_data;
    ex->wr_set_inline_data_list = wr_set_inline_data_list;
    ex->wr_set_sge = wr_set_sge;
    ex->wr_set_sge_list = wr_set_sge_list;
    ex->wr_start = wr_start;
    ex->wr_complete = wr_complete;
    ex->wr_abort = wr_abort;
    return true;
}

void rxe_qp_end_batches(struct rxe_qp *qp) {
    free(qp->batch);
    free(qp->batch_sges);
    free(qp->batch_inline);
    qp->batch = NULL;
}
