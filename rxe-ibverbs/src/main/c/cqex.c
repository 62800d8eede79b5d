#include "rxe.h"
#include <errno.h>

/* ibv_start_poll and its kin: one completion at a time, read by functions instead of from a structure. */

static struct rxe_cq *cq_of(struct ibv_cq_ex *cq) {
    return (struct rxe_cq *)cq;
}

static int next_poll(struct ibv_cq_ex *ex) {
    struct rxe_cq *cq = cq_of(ex);
    int found = rxe_take_completions(cq, 1, &cq->wc);
    if (found < 1) {
        return found < 0 ? EIO : ENOENT;
    }
    ex->wr_id = cq->wc.wr_id;
    ex->status = cq->wc.status;
    return 0;
}

static int start_poll(struct ibv_cq_ex *ex, void *attr) {
    if (attr && *(uint32_t *)attr) {
        return EINVAL;
    }
    return next_poll(ex);
}

static void end_poll(struct ibv_cq_ex *ex) {
    (void)ex;
}

/* The lock is held from here to ibv_end_poll, which the program calls only where this succeeds: one thread reads completions at a time. */
static int start_poll_locked(struct ibv_cq_ex *ex, void *attr) {
    UNINTERRUPTED;
    pthread_mutex_lock(&cq_of(ex)->poll_lock);
    int status = start_poll(ex, attr);
    if (status) {
        pthread_mutex_unlock(&cq_of(ex)->poll_lock);
    }
    return status;
}

static void end_poll_locked(struct ibv_cq_ex *ex) {
    pthread_mutex_unlock(&cq_of(ex)->poll_lock);
}

static int read_opcode(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.byte_len;
}

static uint32_t read_imm_data(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.src_qp;
}

static unsigned read_wc_flags(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.wc_flags;
}

static uint32_t read_slid(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.slid;
}

static uint8_t read_sl(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ex) {
    return cq_of(ex)->wc.dlid_path_bits;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *ex) {
    return cq_of(ex)->stamps[0];
}

static uint64_t read_completion_wallclock_ns(struct ibv_cq_ex *ex) {
    return cq_of(ex)->stamps[1];
}

/* What raw packets, flows and receive queues with tag matching have. There are none here, so no completion is of one. */
static uint16_t read_cvlan(struct ibv_cq_ex *ex) {
    (void)ex;
    return 0;
}

static uint32_t read_flow_tag(struct ibv_cq_ex *ex) {
    (void)ex;
    return 0;
}

static void read_tm_info(struct ibv_cq_ex *ex, struct ibv_wc_tm_info *info) {
    (void)ex;
    *info = (struct ibv_wc_tm_info){0};
}

void rxe_cq_begin_polling(struct rxe_cq *cq, bool single_threaded) {
    struct ibv_cq_ex *ex = &cq->ex;
    pthread_mutex_init(&cq->poll_lock, NULL);
    cq->is_locked = !single_threaded;
    ex->start_poll = single_threaded ? start_poll : start_poll_locked;
    ex->next_poll = next_poll;
    ex->end_poll = single_threaded ? end_poll : end_poll_locked;
    ex->read_opcode = read_opcode;
    ex->read_vendor_err = read_vendor_err;
    ex->read_byte_len = read_byte_len;
    ex->read_imm_data = read_imm_data;
    ex->read_qp_num = read_qp_num;
    ex->read_src_qp = read_src_qp;
    ex->read_wc_flags = read_wc_flags;
    ex->read_slid = read_slid;
    ex->read_sl = read_sl;
    ex->read_dlid_path_bits = read_dlid_path_bits;
    ex->read_completion_ts = read_completion_ts;
    ex->read_completion_wallclock_ns = read_completion_wallclock_ns;
    ex->read_cvlan = read_cvlan;
    ex->read_flow_tag = read_flow_tag;
    ex->read_tm_info = read_tm_info;
}
