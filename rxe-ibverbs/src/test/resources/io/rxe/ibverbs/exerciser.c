/*
 * One process, two queue pairs connected to each other: what the stock programs of ProgramTest do not reach. Each check prints what
 * failed and ends the program with status 1.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { BYTES = 4096, WAIT_MS = 60000 };

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_cq_ex *cq_ex;
static struct ibv_mr *mr;
static char *memory;
/* Of the queue pairs that are connected from now on, and after how long they give up: 4 s, since an engine may not run for a while. */
static uint16_t pkey_index;
static uint8_t timeout = 20, retries = 7;

static struct ibv_qp *create(struct ibv_cq *queue, uint64_t send_ops) {
    struct ibv_qp_init_attr_ex init = {.send_cq = queue, .recv_cq = queue, .qp_type = IBV_QPT_RC, .sq_sig_all = 0, .pd = pd,
        .cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 2, .max_inline_data = 64},
        .comp_mask = IBV_QP_INIT_ATTR_PD | (send_ops ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0), .send_ops_flags = send_ops};
    struct ibv_qp *qp = ibv_create_qp_ex(context, &init);
    CHECK(qp);
    CHECK(init.cap.max_inline_data >= 64 && init.cap.max_send_sge >= 2);
    return qp;
}

static void connect_to(struct ibv_qp *qp, struct ibv_qp *peer) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .pkey_index = pkey_index,
        .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS) == 0);
    memset(&attr, 0, sizeof attr);
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = IBV_MTU_1024;
    attr.dest_qp_num = peer->qp_num;
    attr.rq_psn = 7;
    attr.max_dest_rd_atomic = 4;
    attr.min_rnr_timer = 12;
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = 1;
    attr.ah_attr.grh.sgid_index = 1;
    attr.ah_attr.grh.hop_limit = 9;
    CHECK(ibv_query_gid(context, 1, 1, &attr.ah_attr.grh.dgid) == 0);
    /* The halves of XRC: one has no responder, the other no requester. As behind ib_uverbs, attributes of what they lack are ignored. */
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
        | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0);
    attr.qp_state = IBV_QPS_RTS;
    attr.sq_psn = 7;
    attr.timeout = timeout;
    attr.retry_cnt = retries;
    attr.rnr_retry = 7;
    attr.max_rd_atomic = 4;
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT
        | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC) == 0);
    CHECK(qp->state == IBV_QPS_RTS);
    struct ibv_qp_init_attr init;
    CHECK(ibv_query_qp(qp, &attr, IBV_QP_STATE | IBV_QP_CAP, &init) == 0);
    CHECK(attr.qp_state == IBV_QPS_RTS && attr.path_mtu == IBV_MTU_1024 && attr.dest_qp_num == peer->qp_num
        && attr.pkey_index == pkey_index && attr.timeout == timeout);
    CHECK(attr.ah_attr.grh.sgid_index == 1 && attr.ah_attr.grh.hop_limit == 9);
    CHECK(attr.cap.max_send_wr >= (qp->qp_type == IBV_QPT_XRC_RECV ? 0 : 2));
    CHECK(init.send_cq == qp->send_cq && init.qp_type == qp->qp_type);
}

static void connect_pair(struct ibv_qp *one, struct ibv_qp *two) {
    connect_to(one, two);
    connect_to(two, one);
}

/* After an error, with an empty completion queue. */
static void restart(struct ibv_qp *one, struct ibv_qp *two) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
    CHECK(ibv_modify_qp(one, &attr, IBV_QP_STATE) == 0 && ibv_modify_qp(two, &attr, IBV_QP_STATE) == 0);
    connect_pair(one, two);
}

static void await_readable(int fd) {
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    CHECK(poll(&poller, 1, WAIT_MS) == 1);
}

/* Waits for a completion through the channel, as a program does that does not spin. */
static struct ibv_wc next(void) {
    struct ibv_wc wc;
    int found;
    while ((found = ibv_poll_cq(cq, 1, &wc)) == 0) {
        CHECK(ibv_req_notify_cq(cq, 0) == 0);
        if ((found = ibv_poll_cq(cq, 1, &wc)) == 0) {
            struct ibv_cq *reported;
            void *reported_context;
            await_readable(channel->fd);
            CHECK(ibv_get_cq_event(channel, &reported, &reported_context) == 0);
            CHECK(reported == cq && reported_context == &context);
            ibv_ack_cq_events(cq, 1);
        } else {
            break;
        }
    }
    CHECK(found == 1);
    return wc;
}

static struct ibv_send_wr request(int opcode, struct ibv_sge *sge) {
    struct ibv_send_wr wr = {.wr_id = 100 + opcode, .sg_list = sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED};
    return wr;
}

static void post(struct ibv_qp *qp, struct ibv_send_wr *wr) {
    struct ibv_send_wr *bad = NULL;
    CHECK(ibv_post_send(qp, wr, &bad) == 0);
}

static void receive(struct ibv_qp *qp, uint64_t id, struct ibv_sge *sge) {
    struct ibv_recv_wr wr = {.wr_id = id, .sg_list = sge, .num_sge = 1}, *bad;
    CHECK(ibv_post_recv(qp, &wr, &bad) == 0);
}

/* The send and its receive complete in either order. */
static void immediate_inline(struct ibv_qp *qp, struct ibv_qp *peer) {
    char text[] = "inline";
    struct ibv_sge from = {.addr = (uintptr_t)text, .length = sizeof text}, to = {(uintptr_t)memory, 64, mr->lkey};
    struct ibv_send_wr wr = request(IBV_WR_SEND_WITH_IMM, &from);
    wr.send_flags |= IBV_SEND_INLINE;
    wr.imm_data = htobe32(0x01020304);
    receive(peer, 5, &to);
    post(qp, &wr);
    memset(text, 0, sizeof text);
    for (int i = 0; i < 2; i++) {
        struct ibv_wc wc = next();
        CHECK(wc.status == IBV_WC_SUCCESS);
        if (wc.opcode == IBV_WC_RECV) {
            CHECK(wc.wr_id == 5 && wc.byte_len == sizeof text && wc.wc_flags & IBV_WC_WITH_IMM && be32toh(wc.imm_data) == 0x01020304);
            CHECK(wc.qp_num == peer->qp_num);
        } else {
            CHECK(wc.opcode == IBV_WC_SEND && wc.wr_id == 100 + IBV_WR_SEND_WITH_IMM && wc.qp_num == qp->qp_num);
        }
    }
    CHECK(strcmp(memory, "inline") == 0);
}

static void one_sided(struct ibv_qp *qp) {
    uint64_t *words = (uint64_t *)memory;
    struct ibv_sge first = {(uintptr_t)memory, 8, mr->lkey};
    words[0] = 11;
    words[64] = 0;
    struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, &first);
    wr.wr.rdma.remote_addr = (uintptr_t)&words[64];
    wr.wr.rdma.rkey = mr->rkey;
    post(qp, &wr);
    CHECK(next().opcode == IBV_WC_RDMA_WRITE && words[64] == 11);

    wr = request(IBV_WR_ATOMIC_FETCH_AND_ADD, &first);
    wr.wr.atomic.remote_addr = (uintptr_t)&words[64];
    wr.wr.atomic.rkey = mr->rkey;
    wr.wr.atomic.compare_add = 4;
    words[0] = 0;
    post(qp, &wr);
    CHECK(next().opcode == IBV_WC_FETCH_ADD && words[0] == 11 && words[64] == 15);

    wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
    wr.wr.atomic.compare_add = 15;
    wr.wr.atomic.swap = 77;
    post(qp, &wr);
    CHECK(next().opcode == IBV_WC_COMP_SWAP && words[0] == 15 && words[64] == 77);

    wr = request(IBV_WR_RDMA_READ, &first);
    wr.wr.rdma.remote_addr = (uintptr_t)&words[64];
    wr.wr.rdma.rkey = mr->rkey;
    post(qp, &wr);
    CHECK(next().opcode == IBV_WC_RDMA_READ && words[0] == 77);
}

/* What cannot be posted is named, and what stands before it is posted. */
static void refused(struct ibv_qp *qp) {
    struct ibv_sge sge = {(uintptr_t)memory, 8, mr->lkey};
    struct ibv_send_wr second = request(IBV_WR_TSO, &sge), first = request(IBV_WR_RDMA_WRITE, &sge), *bad = NULL;
    first.wr.rdma.remote_addr = (uintptr_t)memory + 64;
    first.wr.rdma.rkey = mr->rkey;
    first.next = &second;
    CHECK(ibv_post_send(qp, &first, &bad) == EOPNOTSUPP && bad == &second);
    CHECK(next().wr_id == first.wr_id);
    struct ibv_recv_wr receive = {.sg_list = &sge, .num_sge = -1}, *bad_receive = NULL;
    first.next = NULL;
    first.num_sge = -1;
    CHECK(ibv_post_send(qp, &first, &bad) == EINVAL && bad == &first);
    CHECK(ibv_post_recv(qp, &receive, &bad_receive) == EINVAL && bad_receive == &receive);
    CHECK(ibv_dealloc_pd(pd) == EBUSY && ibv_destroy_cq(cq) == EBUSY && ibv_destroy_comp_channel(channel) == EBUSY);
    CHECK(!ibv_reg_mr(pd, memory, BYTES, 1 << 9) && errno == EOPNOTSUPP);
    CHECK(!ibv_alloc_null_mr(pd) && errno == EOPNOTSUPP);
    CHECK(!ibv_alloc_mw(pd, 3) && errno == EINVAL);
    CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, NULL, NULL, 0, 0) == IBV_REREG_MR_ERR_INPUT && errno == EINVAL);
    CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_REMOTE_WRITE) == IBV_REREG_MR_ERR_CMD && errno == EINVAL);
    struct ibv_parent_domain_init_attr domain = {.pd = pd, .comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS};
    CHECK(!ibv_alloc_parent_domain(context, &domain) && errno == EOPNOTSUPP);
}

/* Writes eight bytes through a key; the status of the completion. */
static enum ibv_wc_status write_with(struct ibv_qp *qp, uint32_t rkey, uint64_t remote_addr) {
    struct ibv_sge sge = {(uintptr_t)memory, 8, mr->lkey};
    struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, &sge);
    wr.wr.rdma.remote_addr = remote_addr;
    wr.wr.rdma.rkey = rkey;
    post(qp, &wr);
    return next().status;
}

/* Windows of both types: what they grant, and that it ends. */
static void windows(struct ibv_qp *qp, struct ibv_qp *peer) {
    struct ibv_mr *all = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
    struct ibv_mw *one = ibv_alloc_mw(pd, IBV_MW_TYPE_1), *two = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
    CHECK(all && one && two && ibv_dealloc_pd(pd) == EBUSY);
    struct ibv_mw_bind_info part = {.mr = all, .addr = (uintptr_t)memory + 512, .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE};
    struct ibv_mw_bind bind = {.wr_id = 5, .send_flags = IBV_SEND_SIGNALED, .bind_info = part};
    uint32_t before = one->rkey, handles[] = {one->handle, all->handle};
    /* A request names both by their keys. */
    one->handle = all->handle = 0xDEADBEEF;
    CHECK(ibv_bind_mw(peer, one, &bind) == 0 && one->rkey != before);
    CHECK(ibv_dealloc_mw(one) == ENOENT && ibv_dereg_mr(all) == ENOENT);
    one->handle = handles[0];
    all->handle = handles[1];
    struct ibv_wc wc = next();
    CHECK(wc.wr_id == 5 && wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_BIND_MW);
    memcpy(memory, "window 1", 8);
    CHECK(write_with(qp, one->rkey, part.addr) == IBV_WC_SUCCESS && memcmp(memory + 512, "window 1", 8) == 0);

    struct ibv_send_wr wr = request(IBV_WR_BIND_MW, NULL), invalidate = request(IBV_WR_LOCAL_INV, NULL);
    wr.num_sge = invalidate.num_sge = 0;
    wr.bind_mw.mw = two;
    wr.bind_mw.bind_info = part;
    uint32_t first = two->rkey, asked = ibv_inc_rkey(first);
    wr.bind_mw.rkey = invalidate.invalidate_rkey = asked;
    post(peer, &wr);
    CHECK(two->rkey == first && next().status == IBV_WC_SUCCESS);
    post(peer, &invalidate);
    CHECK(next().status == IBV_WC_SUCCESS);
    asked = ibv_inc_rkey(asked);
    /* Of a key of another index the low bits count, and the window says which key it got. */
    wr.bind_mw.rkey = asked ^ 0xFFFFFF00;
    post(peer, &wr);
    CHECK(ibv_dereg_mr(all) == EBUSY && errno == EBUSY);
    CHECK(two->rkey == asked && next().status == IBV_WC_SUCCESS && write_with(qp, asked, part.addr) == IBV_WC_SUCCESS);
    invalidate.invalidate_rkey = asked;
    post(peer, &invalidate);
    wc = next();
    CHECK(wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_LOCAL_INV);
    CHECK(write_with(qp, asked, part.addr) == IBV_WC_REM_ACCESS_ERR);
    CHECK(ibv_dealloc_mw(one) == 0 && ibv_dealloc_mw(two) == 0 && ibv_dereg_mr(all) == 0);
}

/* A region under the same keys in another domain and with other rights, a queue that grows, and completions dropped at RESET. */
static void changes(struct ibv_qp *qp, struct ibv_qp *peer) {
    struct ibv_pd *other = ibv_alloc_pd(context);
    struct ibv_mr *region = ibv_reg_mr(pd, memory, 1024, IBV_ACCESS_LOCAL_WRITE);
    struct ibv_sge sge = {(uintptr_t)memory, 8, mr->lkey};
    struct ibv_wc wc;
    uint32_t rkey = region->rkey;
    CHECK(ibv_rereg_mr(region, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0) == 0 && region->pd == other);
    CHECK(ibv_dealloc_pd(other) == EBUSY);
    CHECK(ibv_rereg_mr(region, IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS | IBV_REREG_MR_CHANGE_TRANSLATION, pd, memory + 1024,
        1024, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) == 0);
    struct ibv_context *stranger = ibv_open_device(context->device);
    other->context = stranger;
    CHECK(stranger && ibv_dealloc_pd(other) == ENOENT && ibv_close_device(stranger) == 0);
    other->context = context;
    CHECK(region->addr == memory + 1024 && region->rkey == rkey && ibv_dealloc_pd(other) == 0);
    CHECK(write_with(qp, rkey, (uintptr_t)memory + 1024) == IBV_WC_SUCCESS);
    CHECK(write_with(qp, rkey, (uintptr_t)memory) == IBV_WC_REM_ACCESS_ERR && ibv_dereg_mr(region) == 0);
    /* The field of ibv_qp follows what the program asks for, and UCX asserts it. */
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    CHECK(ibv_query_qp(qp, &attr, IBV_QP_CAP, &init) == 0 && qp->state == IBV_QPS_RTS);
    CHECK(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) == 0 && qp->state == IBV_QPS_ERR);
    CHECK(ibv_resize_cq(cq, 64) == 0 && cq->cqe >= 64 && ibv_resize_cq(cq, 0) == EINVAL);
    receive(qp, 9, &sge);
    restart(qp, peer);
    CHECK(ibv_poll_cq(cq, 1, &wc) == 0);
}

/* A parent domain stays until what was made with it is gone, as the domain that it is a view of does. */
static void parent_domains(void) {
    struct ibv_td_init_attr thread = {0};
    struct ibv_td *td = ibv_alloc_td(context, &thread);
    struct ibv_pd *origin = ibv_alloc_pd(context);
    struct ibv_parent_domain_init_attr attr = {.pd = origin, .td = td};
    struct ibv_pd *parent = ibv_alloc_parent_domain(context, &attr);
    CHECK(td && origin && parent && ibv_dealloc_pd(origin) == EBUSY && ibv_dealloc_td(td) == EBUSY);
    struct ibv_cq_init_attr_ex queue = {.cqe = 1, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD, .parent_domain = parent};
    struct ibv_cq_ex *polled = ibv_create_cq_ex(context, &queue);
    CHECK(polled && ibv_dealloc_pd(parent) == EBUSY && ibv_destroy_cq(ibv_cq_ex_to_cq(polled)) == 0);
    struct ibv_pd *wrong[] = {origin, NULL};
    for (int i = 0; i < 2; i++) {
        queue.parent_domain = wrong[i];
        errno = 0;
        CHECK(!ibv_create_cq_ex(context, &queue) && errno == EINVAL);
    }
    struct ibv_mr *region = ibv_reg_mr(parent, memory, 1024, IBV_ACCESS_LOCAL_WRITE);
    CHECK(region && ibv_dealloc_pd(parent) == EBUSY && ibv_dereg_mr(region) == 0);
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC};
    struct ibv_qp *qp = ibv_create_qp(parent, &init);
    CHECK(qp && qp->pd == parent && ibv_dealloc_pd(parent) == EBUSY && ibv_destroy_qp(qp) == 0);
    CHECK(ibv_dealloc_pd(parent) == 0 && ibv_dealloc_td(td) == 0 && ibv_dealloc_pd(origin) == 0);
}

/* A message through an XRC domain to a shared receive queue that it names. */
static void xrc(void) {
    struct ibv_xrcd_init_attr domain = {.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1};
    struct ibv_xrcd *xrcd = ibv_open_xrcd(context, &domain);
    CHECK(xrcd);
    struct ibv_srq_init_attr_ex queue = {.attr = {.max_wr = 4, .max_sge = 1}, .srq_type = IBV_SRQT_XRC, .pd = pd, .xrcd = xrcd, .cq = cq,
        .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ};
    struct ibv_srq *srq = ibv_create_srq_ex(context, &queue);
    uint32_t number = 0;
    CHECK(srq && ibv_get_srq_num(srq, &number) == 0 && number != 0 && ibv_close_xrcd(xrcd) == EBUSY);
    struct ibv_qp_init_attr_ex receiver = {.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd};
    struct ibv_qp_init_attr_ex sender = {.qp_type = IBV_QPT_XRC_SEND, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = pd, .send_cq = cq,
        .cap = {.max_send_wr = 4, .max_send_sge = 1}};
    struct ibv_qp *from = ibv_create_qp_ex(context, &sender), *to = ibv_create_qp_ex(context, &receiver);
    CHECK(from && to);
    connect_pair(from, to);
    struct ibv_sge sge = {(uintptr_t)memory, 8, mr->lkey};
    struct ibv_recv_wr wr = {.wr_id = 77, .sg_list = &sge, .num_sge = 1}, *bad_receive;
    struct ibv_send_wr message = request(IBV_WR_SEND, &sge), *bad;
    message.qp_type.xrc.remote_srqn = number;
    CHECK(ibv_post_srq_recv(srq, &wr, &bad_receive) == 0 && ibv_post_send(to, &message, &bad) == EINVAL && bad == &message);
    post(from, &message);
    struct ibv_wc first = next(), second = next();
    CHECK(first.status == IBV_WC_SUCCESS && second.status == IBV_WC_SUCCESS && first.wr_id + second.wr_id == 77 + message.wr_id);
    CHECK(ibv_destroy_qp(from) == 0 && ibv_destroy_qp(to) == 0 && ibv_destroy_srq(srq) == 0 && ibv_close_xrcd(xrcd) == 0);
}

/* ibv_wr_* and ibv_start_poll. */
static void extended(struct ibv_qp *qp) {
    struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
    struct ibv_poll_cq_attr attr = {0};
    struct ibv_wc_tm_info tag = {1, 1};
    int status, done = 0;
    CHECK(ex);
    ibv_wr_start(ex);
    ex->wr_id = 1;
    ex->wr_flags = 0;
    ibv_wr_rdma_write(ex, mr->rkey, (uintptr_t)memory + 1024);
    ibv_wr_set_inline_data(ex, "first", 6);
    ex->wr_id = 2;
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write(ex, mr->rkey, (uintptr_t)memory + 2048);
    ibv_wr_set_sge(ex, mr->lkey, (uintptr_t)memory + 1024, 6);
    CHECK(ibv_wr_complete(ex) == 0);
    while ((status = ibv_start_poll(cq_ex, &attr)) == ENOENT) {
    }
    CHECK(status == 0 && cq_ex->wr_id == 2 && cq_ex->status == IBV_WC_SUCCESS && ibv_wc_read_opcode(cq_ex) == IBV_WC_RDMA_WRITE);
    CHECK(ibv_wc_read_qp_num(cq_ex) == qp->qp_num);
    /* time() lags by a tick behind the turn of a second. */
    CHECK(ibv_wc_read_completion_ts(cq_ex) > 0 && ibv_wc_read_completion_wallclock_ns(cq_ex) / 1000000000 <= (uint64_t)time(NULL) + 1);
    ibv_wc_read_tm_info(cq_ex, &tag);
    CHECK(ibv_wc_read_cvlan(cq_ex) == 0 && ibv_wc_read_flow_tag(cq_ex) == 0 && tag.tag == 0 && tag.priv == 0);
    CHECK(ibv_next_poll(cq_ex) == ENOENT);
    ibv_end_poll(cq_ex);
    CHECK(strcmp(memory + 1024, "first") == 0);

    ibv_wr_start(ex);
    for (int i = 0; i < 9; i++) {
        ibv_wr_rdma_write(ex, mr->rkey, (uintptr_t)memory);
        ibv_wr_set_sge(ex, mr->lkey, (uintptr_t)memory, 8);
        done++;
    }
    CHECK(done == 9 && ibv_wr_complete(ex) == ENOMEM);
    /* A request that is refused takes those before it along. */
    for (unsigned length = UINT32_MAX; length >= 8; length /= UINT32_MAX / 8) {
        ibv_wr_start(ex);
        for (int i = 0; i < 2; i++) {
            ex->wr_id = length;
            ibv_wr_rdma_write(ex, mr->rkey, (uintptr_t)memory);
            ibv_wr_set_sge(ex, mr->lkey, (uintptr_t)memory, i ? length : 8);
        }
        CHECK(ibv_wr_complete(ex) == (length == 8 ? 0 : EINVAL));
    }
    for (int i = 0; i < 2; i++) {
        while ((status = ibv_start_poll(cq_ex, &attr)) == ENOENT) {
        }
        CHECK(status == 0 && cq_ex->wr_id == 8);
        ibv_end_poll(cq_ex);
    }
}

/* A limit that is reached is reported through the descriptor of the context. */
static void asynchronous_event(void) {
    struct ibv_srq_init_attr init = {.attr = {.max_wr = 8, .max_sge = 1}};
    struct ibv_srq *srq = ibv_create_srq(pd, &init);
    CHECK(srq);
    struct ibv_srq_attr attr = {.srq_limit = 2};
    CHECK(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT) == 0);
    CHECK(ibv_query_srq(srq, &attr) == 0 && attr.srq_limit == 2 && attr.max_wr >= 8);
    /* Both change or none. */
    unsigned capacity = attr.max_wr;
    attr = (struct ibv_srq_attr){.max_wr = 2 * capacity, .srq_limit = 4 * capacity};
    CHECK(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT) == EINVAL);
    CHECK(ibv_query_srq(srq, &attr) == 0 && attr.max_wr == capacity && attr.srq_limit == 2);
    struct ibv_qp_init_attr qp_init = {.send_cq = cq, .recv_cq = cq, .srq = srq, .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 2,
        .max_send_sge = 1}};
    struct ibv_qp *receiver = ibv_create_qp(pd, &qp_init);
    struct ibv_qp *sender = create(cq, 0);
    CHECK(receiver && ibv_destroy_srq(srq) == EBUSY);
    struct ibv_sge sge = {(uintptr_t)memory, 64, mr->lkey};
    struct ibv_recv_wr wrs[2] = {{.wr_id = 1, .next = &wrs[1], .sg_list = &sge, .num_sge = 1}, {.wr_id = 2, .sg_list = &sge,
        .num_sge = 1}}, *bad;
    CHECK(ibv_post_srq_recv(srq, wrs, &bad) == 0);
    struct ibv_async_event event;
    struct ibv_sge small = {(uintptr_t)memory + 512, 8, mr->lkey};
    struct ibv_send_wr wr = request(IBV_WR_SEND, &small);
    connect_pair(sender, receiver);
    post(sender, &wr);
    CHECK(next().status == IBV_WC_SUCCESS && next().status == IBV_WC_SUCCESS);
    do {
        await_readable(context->async_fd);
        CHECK(ibv_get_async_event(context, &event) == 0);
        ibv_ack_async_event(&event);
    } while (event.event_type == IBV_EVENT_COMM_EST);
    CHECK(event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED && event.element.srq == srq);
    CHECK(ibv_destroy_qp(sender) == 0 && ibv_destroy_qp(receiver) == 0 && ibv_destroy_srq(srq) == 0);
}

/* A child learns that the device is not for it, and its exit does not disturb the parent's NIC. */
static void fork_child(void) {
    pid_t child = fork();
    if (child == 0) {
        _exit(!ibv_alloc_pd(context) && errno == EIO ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/*
 * A datagram to itself, in the partition that is set, with a traffic class, which its receiver answers with. Its service level says that the
 * GRH ends in an IPv4 header, as with adapters.
 */
static void datagram(void) {
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
        .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp = ibv_create_qp(pd, &init);
    CHECK(qp);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .pkey_index = pkey_index, .qkey = 0x11};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY) == 0);
    attr.qp_state = IBV_QPS_RTR;
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE) == 0);
    attr.qp_state = IBV_QPS_RTS;
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN) == 0);
    struct ibv_ah_attr address = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 1, .hop_limit = 9, .traffic_class = 104}};
    CHECK(ibv_query_gid(context, 1, 1, &address.grh.dgid) == 0);
    struct ibv_ah *ah = ibv_create_ah(pd, &address);
    CHECK(ah);
    struct ibv_pd *own = ibv_alloc_pd(context);
    struct ibv_ah *user = own ? ibv_create_ah(own, &address) : NULL;
    CHECK(user && ibv_dealloc_pd(own) == EBUSY && ibv_destroy_ah(user) == 0 && ibv_dealloc_pd(own) == 0);
    struct ibv_sge to = {(uintptr_t)memory, 64, mr->lkey}, from = {(uintptr_t)memory + 64, 8, mr->lkey};
    receive(qp, 6, &to);
    struct ibv_send_wr wr = request(IBV_WR_SEND, &from);
    wr.wr.ud.ah = ah;
    wr.wr.ud.remote_qpn = qp->qp_num | 0xDE000000; /* It has 24 bits. */
    wr.wr.ud.remote_qkey = 0x11;
    post(qp, &wr);
    for (int i = 0; i < 2; i++) {
        struct ibv_wc wc = next();
        CHECK(wc.status == IBV_WC_SUCCESS);
        if (wc.opcode == IBV_WC_RECV) {
            CHECK(wc.wr_id == 6 && wc.byte_len == 40 + 8 && wc.wc_flags & IBV_WC_GRH && wc.src_qp == qp->qp_num);
            CHECK(wc.sl == (8 | 2) && wc.pkey_index == pkey_index);
            CHECK(memcmp(memory + 36, address.grh.dgid.raw + 12, 4) == 0);
            struct ibv_ah_attr sender;
            CHECK(ibv_init_ah_from_wc(context, 1, &wc, (void *)memory, &sender) == 0 && sender.grh.traffic_class == 104);
        } else {
            CHECK(wc.sl == 0);
        }
    }
    /* The post takes what such a queue pair cannot do. */
    wr.opcode = IBV_WR_RDMA_READ;
    post(qp, &wr);
    CHECK(next().status == IBV_WC_LOC_QP_OP_ERR);
    CHECK(ibv_destroy_ah(ah) == 0 && ibv_destroy_qp(qp) == 0);
}

static uint32_t bad_pkeys(void) {
    struct ibv_port_attr port;
    CHECK(ibv_query_port(context, 1, &port) == 0);
    return port.bad_pkey_cntr;
}

/* The table that RXE_PKEYS names, 0xffff alone without it; before the JVM runs. */
static void pkey_table(int expected) {
    const uint16_t keys[] = {0xffff, 0x8001, 0x0001};
    struct ibv_port_attr port;
    struct ibv_device_attr attr;
    uint16_t key;
    CHECK(ibv_query_port(context, 1, &port) == 0 && port.pkey_tbl_len == expected && port.bad_pkey_cntr == 0);
    CHECK(ibv_query_device(context, &attr) == 0 && attr.max_pkeys == expected);
    for (int i = 0; i < expected; i++) {
        CHECK(ibv_query_pkey(context, 1, i, &key) == 0 && be16toh(key) == keys[i] && ibv_get_pkey_index(context, 1, key) == i);
    }
    CHECK(ibv_query_pkey(context, 1, expected, &key) == -1 && errno == EINVAL && ibv_query_pkey(context, 1, -1, &key) == -1);
    errno = 0;
    CHECK(ibv_query_pkey(context, 2, 0, &key) == -1 && ibv_get_pkey_index(context, 1, htobe16(0x8009)) == -1 && errno == EINVAL);
}

/* A full and a limited member reach each other. Two partitions do not: the packet is counted, and the request fails after its retries. */
static void partitions(void) {
    struct ibv_qp *full = create(cq, 0), *limited = create(cq, 0);
    struct ibv_qp_attr beyond = {.qp_state = IBV_QPS_INIT, .port_num = 1, .pkey_index = 3};
    CHECK(ibv_modify_qp(full, &beyond, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS) == EINVAL);
    pkey_index = 1;
    connect_to(full, limited);
    pkey_index = 2;
    connect_to(limited, full);
    one_sided(full);
    immediate_inline(limited, full);
    CHECK(bad_pkeys() == 0);
    struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET};
    CHECK(ibv_modify_qp(limited, &reset, IBV_QP_STATE) == 0 && ibv_modify_qp(full, &reset, IBV_QP_STATE) == 0);
    timeout = 8;
    retries = 1;
    connect_to(limited, full);
    pkey_index = 0;
    int file = open("/sys/class/infiniband/rxe0/ports/1/pkeys/2", O_RDONLY);
    char text[16] = "";
    CHECK(read(file, text, sizeof text) == 7 && memcmp(text, "0x0001\n", 7) == 0 && close(file) == 0);
    connect_to(full, limited);
    CHECK(write_with(limited, mr->rkey, (uintptr_t)memory) == IBV_WC_RETRY_EXC_ERR && bad_pkeys() > 0);
    timeout = 20;
    retries = 7;
    pkey_index = 1;
    datagram();
    pkey_index = 0;
    CHECK(ibv_destroy_qp(full) == 0 && ibv_destroy_qp(limited) == 0);
}

/* What programs read beside libibverbs, and that other paths are those of the kernel. */
static void files(void) {
    const char *type = "/sys/class/infiniband/rxe0/ports/1/gid_attrs/types/1";
    const char *interface = "/sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/1";
    char text[64] = "";
    struct stat status;
    int file = open(type, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && fcntl(file, F_GETFD) == FD_CLOEXEC && read(file, text, sizeof text) == 8 && memcmp(text, "RoCE v2\n", 8) == 0);
    CHECK(read(file, text, sizeof text) == 0 && close(file) == 0);
    CHECK((file = open(interface, O_RDONLY)) >= 0 && read(file, text, sizeof text) == 3 && memcmp(text, "lo\n", 3) == 0);
    CHECK(close(file) == 0);
    CHECK(open(type, O_WRONLY) == -1 && errno == EACCES && access(type, W_OK) == -1 && errno == EACCES && access(type, R_OK) == 0);
    CHECK(stat(type, &status) == 0 && S_ISREG(status.st_mode));
    const char *key = "/sys/class/infiniband/rxe0/ports/1/pkeys/0";
    CHECK((file = open(key, O_RDONLY)) >= 0 && read(file, text, sizeof text) == 7 && memcmp(text, "0xffff\n", 7) == 0 && close(file) == 0);
    for (const char *const *none = (const char *const[]){"128", "00", "-1", "0x0", "0/", "", NULL}; *none; none++) {
        snprintf(text, sizeof text, "/sys/class/infiniband/rxe0/ports/1/pkeys/%s", *none);
        CHECK(open(text, O_RDONLY) == -1 && (errno == ENOENT || errno == ENOTDIR));
    }
    const char *device = "/dev/infiniband/uverbs0";
    CHECK(stat(device, &status) == 0 && S_ISCHR(status.st_mode) && access(device, R_OK | W_OK) == 0);
    CHECK(open(device, O_RDWR) == -1 && errno == ENXIO);
    const char *other = "/nonexistent";
    CHECK(stat(other, &status) == -1 && errno == ENOENT && access(other, F_OK) == -1 && open(other, O_RDONLY) == -1);
    mode_t mask = umask(0);
    char name[] = "exerciser.XXXXXX";
    CHECK((file = mkstemp(name)) >= 0 && close(file) == 0 && unlink(name) == 0);
    CHECK((file = open(name, O_CREAT | O_EXCL | O_RDWR, 0640)) >= 0 && fstat(file, &status) == 0 && (status.st_mode & 0777) == 0640);
    CHECK(close(file) == 0 && stat(name, &status) == 0 && unlink(name) == 0);
    umask(mask);
}

/* The names that programs call which were built with an older glibc, or with _FORTIFY_SOURCE. */
static void old_names(void) {
    const char *type = "/sys/class/infiniband/rxe0/ports/1/gid_attrs/types/1", *link = "/proc/self/exe";
    char text[8];
    struct stat status;
    const char *stats[] = {"__xstat", "__xstat64", "__lxstat", "__lxstat64"}, *opens[] = {"__open_2", "__open64_2"};
    /* The version of the structure. */
    struct utsname machine;
    CHECK(uname(&machine) == 0);
    int version = strcmp(machine.machine, "x86_64") == 0 ? 1 : 0;
    for (int i = 0; i < 4; i++) {
        int (*versioned)(int, const char *, struct stat *) = (int (*)(int, const char *, struct stat *))dlsym(RTLD_DEFAULT, stats[i]);
        CHECK(versioned && versioned(version, type, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1);
        CHECK(versioned(version, "/nonexistent", &status) == -1 && errno == ENOENT);
        CHECK(versioned(version, link, &status) == 0 && (i < 2 ? S_ISREG(status.st_mode) : S_ISLNK(status.st_mode)));
    }
    CHECK(lstat(type, &status) == 0 && S_ISREG(status.st_mode) && lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
    for (int i = 0; i < 2; i++) {
        int (*fortified)(const char *, int) = (int (*)(const char *, int))dlsym(RTLD_DEFAULT, opens[i]);
        int file = fortified ? fortified(type, O_RDONLY) : -1;
        CHECK(file >= 0 && read(file, text, sizeof text) == 8 && memcmp(text, "RoCE v2\n", 8) == 0 && close(file) == 0);
        CHECK(fortified("/nonexistent", O_RDONLY) == -1 && errno == ENOENT);
        CHECK((file = fortified(link, O_RDONLY)) >= 0 && close(file) == 0);
    }
}

static atomic_int polling_thread;
static atomic_bool polled_beside;

/* The first poll enters the JVM, which may sleep for other reasons. */
static void *poll_beside(void *unused) {
    struct ibv_wc wc;
    CHECK(ibv_poll_cq(cq, 1, &wc) == 0);
    polling_thread = (int)syscall(SYS_gettid);
    int found = ibv_poll_cq(ibv_cq_ex_to_cq(cq_ex), 1, &wc);
    polled_beside = true;
    CHECK(found == 0);
    return unused;
}

static char state_of(int thread) {
    char path[64], line[256], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(line, sizeof line, file) && sscanf(strrchr(line, ')'), ") %c", &state) == 1 && fclose(file) == 0);
    return state;
}

/* Between ibv_start_poll and ibv_end_poll no other thread takes a completion, also with ibv_poll_cq. */
static void polled_in_two_ways(struct ibv_qp *qp) {
    struct ibv_sge sge = {(uintptr_t)memory, 8, mr->lkey};
    struct ibv_poll_cq_attr attr = {0};
    pthread_t thread;
    int status;
    for (int i = 0; i < 2; i++) {
        struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, &sge);
        wr.wr_id = 200 + i;
        wr.wr.rdma.remote_addr = (uintptr_t)memory + 1024;
        wr.wr.rdma.rkey = mr->rkey;
        post(qp, &wr);
    }
    while ((status = ibv_start_poll(cq_ex, &attr)) == ENOENT) {
    }
    CHECK(status == 0 && cq_ex->wr_id == 200 && cq_ex->status == IBV_WC_SUCCESS);
    CHECK(pthread_create(&thread, NULL, poll_beside, NULL) == 0);
    while (!polling_thread || state_of(polling_thread) != 'S') {
        CHECK(!polled_beside);
        sched_yield();
    }
    while ((status = ibv_next_poll(cq_ex)) == ENOENT) {
    }
    CHECK(status == 0 && cq_ex->wr_id == 201 && !polled_beside);
    ibv_end_poll(cq_ex);
    CHECK(pthread_join(thread, NULL) == 0 && polled_beside);
}

/* With the argument "partitions", RXE_PKEYS is 0xffff,0x8001,0x0001. */
int main(int arguments, char **words) {
    int count;
    bool has_partitions = arguments > 1 && strcmp(words[1], "partitions") == 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    CHECK(list && count == 1 && strcmp(ibv_get_device_name(list[0]), "rxe0") == 0);
    CHECK((context = ibv_open_device(list[0])));
    ibv_free_device_list(list);
    pkey_table(has_partitions ? 3 : 1);
    CHECK((pd = ibv_alloc_pd(context)) && (channel = ibv_create_comp_channel(context)));
    CHECK((cq = ibv_create_cq(context, 32, &context, channel, 0)));
    struct ibv_cq_init_attr_ex cq_attr = {.cqe = 32, .wc_flags = IBV_CREATE_CQ_SUP_WC_FLAGS,
        .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS, .flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN};
    CHECK((cq_ex = ibv_create_cq_ex(context, &cq_attr)));
    CHECK((memory = aligned_alloc(4096, BYTES)));
    memset(memory, 0, BYTES);
    CHECK((mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ
        | IBV_ACCESS_REMOTE_ATOMIC)));
    struct ibv_qp *one = create(cq, 0), *two = create(cq, 0);
    connect_pair(one, two);
    immediate_inline(one, two);
    one_sided(one);
    refused(one);
    struct ibv_qp *three = create(ibv_cq_ex_to_cq(cq_ex), IBV_QP_EX_WITH_RDMA_WRITE), *four = create(ibv_cq_ex_to_cq(cq_ex), 0);
    connect_pair(three, four);
    polled_in_two_ways(three);
    extended(three);
    asynchronous_event();
    windows(one, two);
    restart(one, two);
    changes(one, two);
    xrc();
    datagram();
    if (has_partitions) {
        partitions();
    }
    files();
    old_names();
    parent_domains();
    fork_child();
    CHECK(ibv_destroy_qp(one) == 0 && ibv_destroy_qp(two) == 0 && ibv_destroy_qp(three) == 0 && ibv_destroy_qp(four) == 0);
    CHECK(ibv_destroy_cq(cq) == 0 && ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex)) == 0 && ibv_destroy_comp_channel(channel) == 0);
    CHECK(ibv_dereg_mr(mr) == 0 && ibv_dealloc_pd(pd) == 0 && ibv_close_device(context) == 0);
    puts("all right");
    return 0;
}
