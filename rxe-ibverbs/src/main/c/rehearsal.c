#include "public.h"
#include "rxe.h"
#include <arpa/inet.h>
#include <stdlib.h>

/*
 * What most programs do first, once, in a JVM that writes an archive of the classes this takes: a program that starts with the archive
 * loads and links them in a third less time. The NIC connects with itself and moves some bytes.
 */

enum { PORT = 7471, BYTES = 4096, DEPTH = 4, TIMEOUT_MS = 2000, SIGNALED = 1 << 1, ALL_ACCESS = 7 };

static char memory[BYTES];

/* The id of an event, once it has come; null for another one. */
static struct rdma_cm_id *await(struct rdma_event_channel *channel, int expected) {
    struct rdma_cm_event *event;
    if (rdma_get_cm_event(channel, &event)) {
        return NULL;
    }
    struct rdma_cm_id *id = event->event == expected ? event->id : NULL;
    rdma_ack_cm_event(event);
    return id;
}

/* The region of an id that has a queue pair, which waits for messages; null where something failed. */
static struct ibv_mr *prepare(struct rdma_cm_id *id) {
    struct ibv_qp_init_attr attr = {.qp_type = QPT_RC, .cap = {DEPTH, DEPTH, 1, 1, 0}};
    struct ibv_mr *mr = rdma_create_qp(id, NULL, &attr) ? NULL : ibv_reg_mr(id->pd, memory, BYTES, ALL_ACCESS);
    if (mr) {
        struct ibv_sge room = {(uintptr_t)memory, BYTES, mr->lkey};
        struct {
            uint64_t wr_id;
            void *next;
            struct ibv_sge *sg_list;
            int num_sge;
        } wr = {.sg_list = &room, .num_sge = 1};
        void *bad;
        id->verbs->ops.post_recv(id->qp, &wr, &bad);
        id->verbs->ops.req_notify_cq(id->recv_cq, 0);
    }
    return mr;
}

static bool completes(struct ibv_cq *cq) {
    struct ibv_wc wc;
    int found;
    do {
        found = cq->context->ops.poll_cq(cq, 1, &wc);
    } while (!found);
    return found == 1 && !wc.status;
}

static bool move_bytes(struct rdma_cm_id *id, struct rdma_cm_id *peer, struct ibv_mr *mr) {
    static const int OPCODES[] = {WR_RDMA_WRITE, WR_RDMA_READ, WR_SEND};
    bool done = true;
    for (size_t i = 0; done && i < sizeof OPCODES / sizeof *OPCODES; i++) {
        struct ibv_sge bytes = {(uintptr_t)memory, BYTES, mr->lkey};
        struct ibv_send_wr wr = {.sg_list = &bytes, .num_sge = 1, .opcode = OPCODES[i], .send_flags = SIGNALED,
            .wr.rdma = {(uintptr_t)memory, mr->rkey}}, *bad;
        done = !id->verbs->ops.post_send(id->qp, &wr, &bad) && completes(id->send_cq);
    }
    struct ibv_cq *cq;
    void *context;
    if (!done || ibv_get_cq_event(peer->recv_cq_channel, &cq, &context)) {
        return false;
    }
    ibv_ack_cq_events(cq, 1);
    return completes(cq);
}

static bool converse(struct rdma_event_channel *channel, struct rdma_cm_id *id, struct sockaddr *to) {
    struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1, .retry_count = 7, .rnr_retry_count = 7};
    struct ibv_mr *mr = rdma_resolve_addr(id, NULL, to, TIMEOUT_MS) || !await(channel, CM_ADDR_RESOLVED)
        || rdma_resolve_route(id, TIMEOUT_MS) || !await(channel, CM_ROUTE_RESOLVED) ? NULL : prepare(id);
    struct rdma_cm_id *peer = mr && !rdma_connect(id, &param) ? await(channel, CM_CONNECT_REQUEST) : NULL;
    struct ibv_mr *region = peer ? prepare(peer) : NULL;
    bool done = region && !rdma_accept(peer, &param) && await(channel, CM_ESTABLISHED) && await(channel, CM_ESTABLISHED)
        && move_bytes(id, peer, mr) && !rdma_disconnect(id) && await(channel, CM_DISCONNECTED) && await(channel, CM_DISCONNECTED)
        && !ibv_dereg_mr(mr) && !ibv_dereg_mr(region);
    if (done) {
        rdma_destroy_qp(peer);
        rdma_destroy_id(peer);
        rdma_destroy_qp(id);
    }
    return done;
}

JNIEXPORT jboolean JNICALL Java_io_rxe_ibverbs_Rehearsal_run(JNIEnv *env, jclass type);

/* The NIC is at RXE_DEV, in this JVM. */
JNIEXPORT jboolean JNICALL Java_io_rxe_ibverbs_Rehearsal_run(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    rxe_use_classes_of_host();
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    inet_pton(AF_INET, getenv("RXE_DEV"), &to.sin_addr);
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_cm_id *listener, *id;
    return channel && !rdma_create_id(channel, &listener, NULL, PS_TCP) && !rdma_bind_addr(listener, (struct sockaddr *)&to)
        && !rdma_listen(listener, 1) && !rdma_create_id(channel, &id, NULL, PS_TCP)
        && converse(channel, id, (struct sockaddr *)&to) && !rdma_destroy_id(id) && !rdma_destroy_id(listener);
}
