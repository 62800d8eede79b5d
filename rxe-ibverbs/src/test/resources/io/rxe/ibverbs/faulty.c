/*
 * One process, whose NIC connects to itself, and what it meets: a line for each call that fails, each completion and each event. The
 * faults are those of RXE_VERBS_FAULT. Its arguments: an address, the numbers of WRITEs to post, of events to wait for, and of SENDs to
 * post and receive.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { WAIT_MS = 60000, PSN = 7, BYTES = 4096 };

static char memory[BYTES];

/* What is refused is as it was, and is freed later. */
#define UNTIL_FREED(name, call) \
    while ((call) != 0) { \
        failed(name, errno); \
    }

/* Says that a call failed. */
static void failed(const char *call, int error) {
    printf("%s %s\n", call, strerror(error));
}

static void to_rts(struct ibv_qp *qp, uint32_t peer, union ibv_gid *gid) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer, .rq_psn = PSN,
        .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = *gid, .sgid_index = 1, .hop_limit = 64}}};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
        | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0);
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 7, .rnr_retry = 7, .sq_psn = PSN, .max_rd_atomic = 1};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
        | IBV_QP_MAX_QP_RD_ATOMIC) == 0);
}

static struct ibv_qp *create(struct ibv_pd *pd, struct ibv_cq *cq) {
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
        .cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp = ibv_create_qp(pd, &init);
    CHECK(qp);
    return qp;
}

static void write_all(struct ibv_qp *qp, struct ibv_mr *mr, int requests) {
    struct ibv_sge sge = {.addr = (uintptr_t)memory, .length = 1000, .lkey = mr->lkey};
    struct ibv_send_wr *bad, wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
        .wr.rdma = {.remote_addr = (uintptr_t)memory, .rkey = mr->rkey}};
    int posted = 0;
    for (int i = 0; i < requests; i++) {
        int status = ibv_post_send(qp, &wr, &bad);
        if (status) {
            failed("post_send", status);
        }
        posted += status == 0;
    }
    for (int i = 0; i < posted; i++) {
        struct ibv_wc wc;
        int found;
        while ((found = ibv_poll_cq(qp->send_cq, 1, &wc)) == 0) {
        }
        CHECK(found == 1);
        printf("completion %d\n", wc.status);
    }
}

/* Says what becomes of the receives, with which the sends may fail, too. */
static void receive_all(struct ibv_qp *from, struct ibv_qp *to, struct ibv_mr *mr, int requests) {
    struct ibv_sge sge = {.addr = (uintptr_t)memory, .length = 8, .lkey = mr->lkey};
    struct ibv_recv_wr *bad_receive, receive = {.sg_list = &sge, .num_sge = 1};
    struct ibv_send_wr *bad, send = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND};
    for (int i = 0; i < requests; i++) {
        CHECK(ibv_post_recv(to, &receive, &bad_receive) == 0);
    }
    for (int i = 0; i < requests; i++) {
        CHECK(ibv_post_send(from, &send, &bad) == 0);
    }
    for (int i = 0; i < 2 * requests; i++) {
        struct ibv_wc wc;
        while (ibv_poll_cq(to->recv_cq, 1, &wc) == 0) {
        }
        if (wc.qp_num == to->qp_num) {
            printf("received %d\n", wc.status);
        }
    }
}

static void await_events(struct ibv_context *context, int events) {
    struct pollfd poller = {.fd = context->async_fd, .events = POLLIN};
    for (int i = 0; i < events; i++) {
        struct ibv_async_event event;
        struct ibv_port_attr port;
        CHECK(poll(&poller, 1, WAIT_MS) == 1 && ibv_get_async_event(context, &event) == 0 && ibv_query_port(context, 1, &port) == 0);
        printf("event %d, port %s\n", event.event_type, port.state == IBV_PORT_ACTIVE ? "active" : "down");
        ibv_ack_async_event(&event);
    }
}

/* Resolves the own address, and its route. */
static void resolve(const char *address) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(7471)};
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_cm_id *id;
    struct rdma_cm_event *event;
    CHECK(inet_pton(AF_INET, address, &own.sin_addr) == 1);
    CHECK(channel && rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    int resolved = 0;
    for (int step = 0; step < 2; step++) {
        if ((step ? rdma_resolve_route(id, 1000) : rdma_resolve_addr(id, NULL, (struct sockaddr *)&own, 1000)) != 0) {
            failed(step ? "rdma_resolve_route" : "rdma_resolve_addr", errno);
            break;
        }
        CHECK(rdma_get_cm_event(channel, &event) == 0);
        resolved = event->status == 0;
        if (!resolved) {
            printf("%s %d\n", rdma_event_str(event->event), event->status);
        }
        CHECK(rdma_ack_cm_event(event) == 0);
        if (!resolved) {
            break;
        }
    }
    UNTIL_FREED("rdma_destroy_id", rdma_destroy_id(id));
    rdma_destroy_event_channel(channel);
}

/* A receive is flushed, and the channel of its queue says so. */
static void expect_notification(struct ibv_pd *pd, struct ibv_cq *cq) {
    struct ibv_qp *qp = create(pd, cq);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
    struct ibv_recv_wr *bad, receive = {.num_sge = 0};
    CHECK(ibv_post_recv(qp, &receive, &bad) == 0 && ibv_req_notify_cq(cq, 0) == 0);
    attr.qp_state = IBV_QPS_ERR;
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE) == 0);
    struct pollfd poller = {.fd = cq->channel->fd, .events = POLLIN};
    struct ibv_cq *reported;
    void *cq_context;
    CHECK(poll(&poller, 1, WAIT_MS) == 1 && ibv_get_cq_event(cq->channel, &reported, &cq_context) == 0 && reported == cq);
    ibv_ack_cq_events(cq, 1);
    CHECK(ibv_destroy_qp(qp) == 0);
}

/* A queue that is not freed reports as before. */
static void free_reporting(struct ibv_context *context, struct ibv_pd *pd) {
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    struct ibv_cq *cq = ibv_create_cq(context, 4, NULL, channel, 0);
    CHECK(channel && cq);
    if (ibv_destroy_cq(cq) != 0) {
        failed("destroy_cq", errno);
        expect_notification(pd, cq);
        CHECK(ibv_destroy_cq(cq) == 0);
    }
    CHECK(ibv_destroy_comp_channel(channel) == 0);
}

static void free_all(struct ibv_context *context, struct ibv_pd *pd, struct ibv_cq *cq, struct ibv_mr *mr, struct ibv_qp *from,
                     struct ibv_qp *to) {
    struct ibv_ah_attr vector = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 1, .hop_limit = 64}};
    CHECK(ibv_query_gid(context, 1, 1, &vector.grh.dgid) == 0);
    struct ibv_ah *ah = ibv_create_ah(pd, &vector);
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    CHECK(ah && channel);
    UNTIL_FREED("destroy_ah", ibv_destroy_ah(ah));
    UNTIL_FREED("destroy_comp_channel", ibv_destroy_comp_channel(channel));
    UNTIL_FREED("destroy_qp", ibv_destroy_qp(from));
    UNTIL_FREED("destroy_qp", ibv_destroy_qp(to));
    free_reporting(context, pd);
    UNTIL_FREED("destroy_cq", ibv_destroy_cq(cq));
    UNTIL_FREED("dereg_mr", ibv_dereg_mr(mr));
    UNTIL_FREED("dealloc_pd", ibv_dealloc_pd(pd));
    UNTIL_FREED("close_device", ibv_close_device(context));
}

int main(int count, char **arguments) {
    CHECK(count == 5);
    struct ibv_device **devices = ibv_get_device_list(NULL);
    struct ibv_context *context = ibv_open_device(devices[0]);
    union ibv_gid gid;
    CHECK(context && ibv_query_gid(context, 1, 1, &gid) == 0);
    struct ibv_pd *pd = ibv_alloc_pd(context);
    CHECK(pd);
    struct ibv_mr *mr = NULL;
    while (!mr) {
        mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
        if (!mr) {
            failed("reg_mr", errno);
        }
    }
    struct ibv_cq *cq = NULL;
    while (!cq) {
        cq = ibv_create_cq(context, 64, NULL, NULL, 0);
        if (!cq) {
            failed("create_cq", errno);
        }
    }
    struct ibv_qp *from = create(pd, cq), *to = create(pd, cq);
    to_rts(from, to->qp_num, &gid);
    to_rts(to, from->qp_num, &gid);
    write_all(from, mr, atoi(arguments[2]));
    await_events(context, atoi(arguments[3]));
    receive_all(from, to, mr, atoi(arguments[4]));
    resolve(arguments[1]);
    free_all(context, pd, cq, mr, from, to);
    puts("all right");
    return 0;
}
