/*
 * One process, whose NIC connects to itself with librdmacm: what the stock programs of ProgramTest do not reach. Each check prints what
 * failed and ends the program with status 1.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define FAILS(call, number) CHECK((errno = 0, (call) == -1) && errno == (number))

enum { WAIT_MS = 60000 };

static struct sockaddr_in address;
static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener;

/* Takes the next event, which must be of a type; acknowledge it. */
static struct rdma_cm_event *event_in(struct rdma_event_channel *from, enum rdma_cm_event_type type) {
    struct rdma_cm_event *event;
    struct pollfd poller = {.fd = from->fd, .events = POLLIN};
    CHECK(poll(&poller, 1, WAIT_MS) == 1);
    CHECK(rdma_get_cm_event(from, &event) == 0);
    if (event->event != type) {
        printf("%s instead of %s\n", rdma_event_str(event->event), rdma_event_str(type));
        exit(1);
    }
    return event;
}

static void expect(enum rdma_cm_event_type type, struct rdma_cm_id *id) {
    struct rdma_cm_event *event = event_in(channel, type);
    CHECK(event->id == id && event->status == 0);
    CHECK(rdma_ack_cm_event(event) == 0);
}

static struct rdma_cm_id *resolved(enum rdma_port_space space) {
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(channel, &id, &address, space) == 0);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 1000) == 0);
    expect(RDMA_CM_EVENT_ADDR_RESOLVED, id);
    CHECK(id->verbs && id->pd && id->port_num == 1 && rdma_get_src_port(id) && rdma_get_dst_port(id) == address.sin_port);
    CHECK(rdma_resolve_route(id, 1000) == 0);
    expect(RDMA_CM_EVENT_ROUTE_RESOLVED, id);
    CHECK(id->route.num_paths == 1 && !memcmp(&id->route.path_rec->dgid, &id->route.addr.addr.ibaddr.dgid, 16));
    return id;
}

static void add_qp(struct rdma_cm_id *id) {
    struct ibv_qp_init_attr init = {.qp_type = id->qp_type, .sq_sig_all = 1, .cap = {.max_send_wr = 4, .max_recv_wr = 4,
        .max_send_sge = 1, .max_recv_sge = 1}};
    CHECK(rdma_create_qp(id, NULL, &init) == 0);
    CHECK(id->send_cq && id->recv_cq_channel && init.cap.max_inline_data >= 16);
}

static void finish(struct rdma_cm_id *id) {
    rdma_destroy_qp(id);
    CHECK(id->qp == NULL && id->send_cq == NULL);
    CHECK(rdma_destroy_id(id) == 0);
}

static struct rdma_cm_id *request(const char *data, size_t bytes) {
    struct rdma_cm_event *event = event_in(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
    struct rdma_cm_id *id = event->id;
    CHECK(event->listen_id == listener && id->context == listener->context && id->verbs);
    CHECK(event->param.conn.private_data_len >= bytes && !memcmp(event->param.conn.private_data, data, bytes));
    CHECK(rdma_get_src_port(id) == address.sin_port && rdma_get_dst_port(id));
    CHECK(((struct sockaddr_in *)rdma_get_peer_addr(id))->sin_addr.s_addr == address.sin_addr.s_addr);
    CHECK(rdma_ack_cm_event(event) == 0);
    return id;
}

/* A message over a connection of two ids with the queues librdmacm made. */
static void message(struct rdma_cm_id *from, struct rdma_cm_id *to, char *buffer, struct ibv_mr *mr) {
    struct ibv_wc wc;
    CHECK(rdma_post_recv(to, buffer, buffer, 16, mr) == 0);
    CHECK(rdma_post_send(from, NULL, "fifteen letters", 16, NULL, IBV_SEND_INLINE) == 0);
    CHECK(rdma_get_send_comp(from, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
    CHECK(rdma_get_recv_comp(to, &wc) == 1 && wc.status == IBV_WC_SUCCESS && wc.wr_id == (uintptr_t)buffer);
    CHECK(strcmp(buffer, "fifteen letters") == 0);
    memset(buffer, 0, 16);
}

/* What RXE_PKEYS begins with, in network order. */
static uint16_t first_pkey(void) {
    const char *list = getenv("RXE_PKEYS");
    return htobe16((uint16_t)strtoul(list ? list : "0xffff", NULL, 16));
}

static void connection(char *buffer) {
    struct rdma_cm_id *client = resolved(RDMA_PS_TCP);
    struct rdma_conn_param param = {.private_data = "please", .private_data_len = 6, .responder_resources = 3, .initiator_depth = 200,
        .retry_count = 7, .rnr_retry_count = 7};
    struct rdma_event_channel *other = rdma_create_event_channel();
    add_qp(client);
    FAILS(rdma_connect(client, &param), EINVAL);
    param.initiator_depth = RDMA_MAX_INIT_DEPTH;
    param.private_data_len = 57;
    FAILS(rdma_connect(client, &param), EINVAL);
    param.private_data_len = 6;
    CHECK(rdma_connect(client, &param) == 0);
    struct rdma_cm_id *server = request("please", 6);
    add_qp(server);
    struct ibv_mr *mr = rdma_reg_msgs(server, buffer, 16);
    CHECK(mr && rdma_accept(server, &(struct rdma_conn_param){.private_data = "yes", .private_data_len = 3}) == 0);
    struct rdma_cm_event *first = event_in(channel, RDMA_CM_EVENT_ESTABLISHED), *second = event_in(channel, RDMA_CM_EVENT_ESTABLISHED);
    struct rdma_cm_event *reply = first->id == client ? first : second;
    CHECK(reply->id == client && !memcmp(reply->param.conn.private_data, "yes", 3) && reply->param.conn.qp_num == server->qp->qp_num);
    CHECK(client->qp->state == IBV_QPS_RTS && server->qp->state == IBV_QPS_RTS);
    CHECK(client->route.addr.addr.ibaddr.pkey == first_pkey() && client->route.path_rec->pkey == first_pkey());
    CHECK(server->route.addr.addr.ibaddr.pkey == first_pkey());
    CHECK(rdma_ack_cm_event(first) == 0 && rdma_ack_cm_event(second) == 0);
    message(client, server, buffer, mr);
    /* The events of an id move with it. */
    CHECK(other && rdma_disconnect(client) == 0 && rdma_migrate_id(server, other) == 0 && server->channel == other);
    rdma_ack_cm_event(event_in(other, RDMA_CM_EVENT_DISCONNECTED));
    expect(RDMA_CM_EVENT_DISCONNECTED, client);
    CHECK(rdma_disconnect(server) == 0 && rdma_dereg_mr(mr) == 0);
    finish(server);
    finish(client);
    rdma_destroy_event_channel(other);
}

static void to_state(struct rdma_cm_id *id, struct ibv_qp *qp, enum ibv_qp_state state) {
    struct ibv_qp_attr attr = {.qp_state = state};
    int mask;
    CHECK(rdma_init_qp_attr(id, &attr, &mask) == 0 && mask & IBV_QP_STATE);
    CHECK(ibv_modify_qp(qp, &attr, mask) == 0);
}

static struct ibv_qp *own_qp(struct rdma_cm_id *id, struct ibv_cq *cq) {
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .cap = {.max_send_wr = 4, .max_recv_wr = 4,
        .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp = ibv_create_qp(id->pd, &init);
    CHECK(qp);
    to_state(id, qp, IBV_QPS_INIT);
    return qp;
}

static void own_queue_pairs(void) {
    struct rdma_cm_id *client = resolved(RDMA_PS_TCP);
    struct ibv_cq *cq = ibv_create_cq(client->verbs, 8, NULL, NULL, 0);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
    int mask;
    CHECK(cq);
    struct ibv_qp *one = own_qp(client, cq);
    FAILS(rdma_init_qp_attr(client, &attr, &mask), EINVAL);
    FAILS(rdma_connect(client, &(struct rdma_conn_param){.qp_num = 0}), EINVAL);
    CHECK(rdma_connect(client, &(struct rdma_conn_param){.qp_num = one->qp_num, .retry_count = 7}) == 0);
    struct rdma_cm_id *server = request("", 0);
    struct ibv_qp *two = own_qp(server, cq);
    to_state(server, two, IBV_QPS_RTR);
    to_state(server, two, IBV_QPS_RTS);
    CHECK(rdma_accept(server, &(struct rdma_conn_param){.qp_num = two->qp_num}) == 0);
    expect(RDMA_CM_EVENT_CONNECT_RESPONSE, client);
    to_state(client, one, IBV_QPS_RTR);
    to_state(client, one, IBV_QPS_RTS);
    CHECK(rdma_establish(client) == 0);
    expect(RDMA_CM_EVENT_ESTABLISHED, server);
    CHECK(rdma_notify(server, IBV_EVENT_COMM_EST) == 0);
    CHECK(ibv_destroy_qp(one) == 0 && ibv_destroy_qp(two) == 0);
    CHECK(rdma_destroy_id(server) == 0 && rdma_destroy_id(client) == 0 && ibv_destroy_cq(cq) == 0);
}

static void rejection(void) {
    struct rdma_cm_id *client = resolved(RDMA_PS_TCP);
    add_qp(client);
    CHECK(rdma_connect(client, NULL) == 0);
    struct rdma_cm_id *server = request("", 0);
    CHECK(rdma_reject(server, "no", 2) == 0);
    FAILS(rdma_accept(server, NULL), EINVAL);
    struct rdma_cm_event *event = event_in(channel, RDMA_CM_EVENT_REJECTED);
    CHECK(event->id == client && event->status == 28 && !memcmp(event->param.conn.private_data, "no", 2));
    CHECK(rdma_ack_cm_event(event) == 0 && rdma_destroy_id(server) == 0);
    finish(client);
}

static void datagrams(void) {
    struct rdma_cm_id *service, *client = resolved(RDMA_PS_UDP);
    CHECK(rdma_create_id(channel, &service, NULL, RDMA_PS_UDP) == 0);
    CHECK(rdma_bind_addr(service, (struct sockaddr *)&address) == 0 && rdma_listen(service, 0) == 0);
    add_qp(client);
    CHECK(rdma_connect(client, &(struct rdma_conn_param){.private_data = "who", .private_data_len = 3}) == 0);
    struct rdma_cm_event *event = event_in(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
    struct rdma_cm_id *server = event->id;
    CHECK(event->listen_id == service && !memcmp(event->param.ud.private_data, "who", 3) && rdma_ack_cm_event(event) == 0);
    add_qp(server);
    CHECK(rdma_accept(server, &(struct rdma_conn_param){.qp_num = server->qp->qp_num}) == 0);
    event = event_in(channel, RDMA_CM_EVENT_ESTABLISHED);
    CHECK(event->id == client && event->param.ud.qp_num == server->qp->qp_num && event->param.ud.qkey == RDMA_UDP_QKEY);
    struct ibv_ah *ah = ibv_create_ah(client->pd, &event->param.ud.ah_attr);
    CHECK(ah && ibv_destroy_ah(ah) == 0 && rdma_ack_cm_event(event) == 0);
    finish(server);
    finish(client);
    CHECK(rdma_destroy_id(service) == 0);
}

static void group(void) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xef070707)};
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_UDP) == 0);
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&address) == 0);
    add_qp(id);
    FAILS(rdma_join_multicast(id, (struct sockaddr *)&address, NULL), EINVAL);
    CHECK(rdma_join_multicast(id, (struct sockaddr *)&to, &to) == 0);
    struct rdma_cm_event *event = event_in(channel, RDMA_CM_EVENT_MULTICAST_JOIN);
    CHECK(event->param.ud.private_data == &to && event->param.ud.qp_num == 0xffffff && event->param.ud.qkey == RDMA_UDP_QKEY);
    CHECK(event->param.ud.ah_attr.grh.dgid.raw[12] == 0xef && rdma_ack_cm_event(event) == 0);
    CHECK(ibv_destroy_qp(id->qp) == EBUSY && rdma_leave_multicast(id, (struct sockaddr *)&to) == 0);
    FAILS(rdma_leave_multicast(id, (struct sockaddr *)&to), EADDRNOTAVAIL);
    to.sin_family = AF_UNIX;
    FAILS(rdma_leave_multicast(id, (struct sockaddr *)&to), EINVAL);
    to.sin_family = AF_INET;
    struct rdma_cm_join_mc_attr_ex attr = {.comp_mask = 4, .join_flags = RDMA_MC_JOIN_FLAG_RESERVED, .addr = (struct sockaddr *)&to};
    FAILS(rdma_join_multicast_ex(id, &attr, NULL), EOPNOTSUPP);
    attr.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS;
    FAILS(rdma_join_multicast_ex(id, &attr, NULL), EINVAL);
    attr.comp_mask |= RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
    FAILS(rdma_join_multicast_ex(id, &attr, NULL), EINVAL);
    /* Who only sends has no queue pair in the group, and detaches none. */
    attr.join_flags = RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER;
    CHECK(rdma_join_multicast_ex(id, &attr, NULL) == 0);
    CHECK(rdma_ack_cm_event(event_in(channel, RDMA_CM_EVENT_MULTICAST_JOIN)) == 0);
    union ibv_gid gid = {.raw = {[10] = 0xff, 0xff, 239, 7, 7, 7}};
    CHECK(ibv_detach_mcast(id->qp, &gid, 0) == EINVAL);
    CHECK(rdma_leave_multicast(id, (struct sockaddr *)&to) == 0);
    /* Leaving succeeds although the program has detached the queue pair. A member that is to be destroyed stays, without its id. */
    for (int again = 0; again < 2; again++) {
        CHECK(rdma_join_multicast(id, (struct sockaddr *)&to, NULL) == 0);
        CHECK(rdma_ack_cm_event(event_in(channel, RDMA_CM_EVENT_MULTICAST_JOIN)) == 0);
        CHECK(again || (ibv_detach_mcast(id->qp, &gid, 0) == 0 && rdma_leave_multicast(id, (struct sockaddr *)&to) == 0));
    }
    struct ibv_qp *member = id->qp;
    struct ibv_cq *queues[] = {id->send_cq, id->recv_cq};
    struct ibv_comp_channel *channels[] = {id->send_cq_channel, id->recv_cq_channel};
    finish(id);
    CHECK(ibv_detach_mcast(member, &gid, 0) == 0 && ibv_destroy_qp(member) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(ibv_destroy_cq(queues[i]) == 0 && ibv_destroy_comp_channel(channels[i]) == 0);
    }
}

static void *serve(void *endpoint) {
    struct rdma_cm_id *id;
    CHECK(rdma_get_request(endpoint, &id) == 0 && id->qp && id->event);
    CHECK(rdma_accept(id, NULL) == 0);
    return id;
}

/* Synchronous ids; and a listener that the system chose a port for. */
static void endpoints(char *buffer) {
    struct rdma_addrinfo hints = {.ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP}, *info;
    struct ibv_qp_init_attr init = {.sq_sig_all = 1, .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
    struct rdma_cm_id *passive, *client;
    pthread_t thread;
    void *server;
    char port[8];
    CHECK(rdma_getaddrinfo(NULL, "0", &hints, &info) == 0 && info->ai_qp_type == IBV_QPT_RC && info->ai_src_addr);
    CHECK(rdma_create_ep(&passive, info, NULL, &init) == 0 && rdma_listen(passive, 1) == 0);
    rdma_freeaddrinfo(info);
    snprintf(port, sizeof port, "%d", ntohs(rdma_get_src_port(passive)));
    CHECK(pthread_create(&thread, NULL, serve, passive) == 0);
    hints.ai_flags = 0;
    CHECK(rdma_getaddrinfo(inet_ntoa(address.sin_addr), port, &hints, &info) == 0 && info->ai_dst_addr);
    CHECK(rdma_create_ep(&client, info, NULL, &init) == 0 && client->qp);
    CHECK(rdma_connect(client, NULL) == 0 && client->event->event == RDMA_CM_EVENT_ESTABLISHED);
    CHECK(pthread_join(thread, &server) == 0);
    struct ibv_mr *mr = rdma_reg_msgs(client, buffer, 16);
    CHECK(mr);
    message(server, client, buffer, mr);
    CHECK(rdma_disconnect(client) == 0 && rdma_disconnect(server) == 0 && rdma_dereg_mr(mr) == 0);
    rdma_destroy_ep(server);
    rdma_destroy_ep(client);
    rdma_destroy_ep(passive);
    /* Nobody listens there any more. */
    CHECK(rdma_create_ep(&client, info, NULL, &init) == 0);
    FAILS(rdma_connect(client, NULL), ECONNREFUSED);
    rdma_destroy_ep(client);
    rdma_freeaddrinfo(info);
}

static void *serve_xrc(void *endpoint) {
    struct ibv_srq_init_attr init = {.attr = {.max_wr = 1, .max_sge = 1}};
    struct rdma_cm_id *id;
    uint32_t number = 0;
    CHECK(rdma_get_request(endpoint, &id) == 0 && id->qp && id->qp->qp_type == IBV_QPT_XRC_RECV && id->ps == RDMA_PS_IB);
    struct ibv_cq *queue = id->recv_cq;
    CHECK(rdma_create_srq(id, NULL, &init) == 0 && ibv_get_srq_num(id->srq, &number) == 0 && number != 0);
    CHECK(queue && id->recv_cq == queue);
    struct rdma_conn_param param = {.private_data = &number, .private_data_len = sizeof number};
    CHECK(rdma_accept(id, &param) == 0);
    return id;
}

/* XRC in the port space of InfiniBand: the shared receive queue and its completion queue are those of the id. */
static void extended_endpoints(char *buffer) {
    struct rdma_addrinfo hints = {.ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_IB, .ai_qp_type = IBV_QPT_XRC_RECV}, *info;
    struct ibv_qp_init_attr init = {.sq_sig_all = 1, .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct rdma_cm_id *passive, *client, *server;
    pthread_t thread;
    void *served;
    char port[8];
    CHECK(rdma_getaddrinfo(NULL, "0", &hints, &info) == 0 && info->ai_port_space == RDMA_PS_IB);
    CHECK(rdma_create_ep(&passive, info, NULL, &init) == 0 && rdma_listen(passive, 1) == 0);
    rdma_freeaddrinfo(info);
    snprintf(port, sizeof port, "%d", ntohs(rdma_get_src_port(passive)));
    CHECK(pthread_create(&thread, NULL, serve_xrc, passive) == 0);
    hints.ai_flags = 0;
    hints.ai_qp_type = IBV_QPT_XRC_SEND;
    CHECK(rdma_getaddrinfo(inet_ntoa(address.sin_addr), port, &hints, &info) == 0);
    CHECK(rdma_create_ep(&client, info, NULL, &init) == 0 && client->qp && client->qp->qp_type == IBV_QPT_XRC_SEND);
    rdma_freeaddrinfo(info);
    CHECK(rdma_connect(client, NULL) == 0 && client->event->param.conn.private_data_len >= sizeof(uint32_t));
    CHECK(pthread_join(thread, &served) == 0);
    server = served;
    struct ibv_mr *from = rdma_reg_msgs(client, buffer, 16), *to = rdma_reg_msgs(server, buffer + 16, 16);
    CHECK(from && to && rdma_post_recv(server, NULL, buffer + 16, 16, to) == 0);
    memcpy(buffer, "extended", 9);
    struct ibv_sge sge = {(uintptr_t)buffer, 9, from->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
        .qp_type.xrc.remote_srqn = *(const uint32_t *)client->event->param.conn.private_data}, *bad;
    struct ibv_wc wc;
    CHECK(ibv_post_send(client->qp, &wr, &bad) == 0 && rdma_get_send_comp(client, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
    CHECK(rdma_get_recv_comp(server, &wc) == 1 && wc.status == IBV_WC_SUCCESS && wc.byte_len == 9 && strcmp(buffer + 16, "extended") == 0);
    CHECK(rdma_disconnect(client) == 0 && rdma_disconnect(server) == 0 && rdma_dereg_mr(from) == 0 && rdma_dereg_mr(to) == 0);
    struct ibv_cq *queue = server->recv_cq;
    rdma_destroy_qp(server);
    CHECK(queue && server->recv_cq == queue);
    rdma_destroy_srq(server);
    CHECK(!server->srq && !server->recv_cq);
    rdma_destroy_ep(server);
    rdma_destroy_ep(client);
    rdma_destroy_ep(passive);
}

/* A shared receive queue for XRC, then the queue pair: both have the completion queue of the id. */
static void shared_queue_first(void) {
    struct rdma_cm_id *id = resolved(RDMA_PS_IB);
    struct ibv_srq_init_attr_ex init = {.attr = {.max_wr = 1 << 30, .max_sge = 1}, .comp_mask = IBV_SRQ_INIT_ATTR_TYPE,
        .srq_type = IBV_SRQT_XRC};
    CHECK(rdma_create_srq_ex(id, &init) == -1 && !id->srq && !id->recv_cq && !id->recv_cq_channel && !init.cq);
    init.attr.max_wr = 1;
    CHECK(rdma_create_srq_ex(id, &init) == 0 && init.cq == id->recv_cq && init.pd == id->pd && init.xrcd && init.attr.max_wr >= 1);
    struct ibv_qp_init_attr_ex pair = {.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = init.xrcd};
    struct ibv_cq *queue = id->recv_cq;
    CHECK(rdma_create_qp_ex(id, &pair) == 0 && pair.recv_cq == queue && id->recv_cq == queue);
    rdma_destroy_qp(id);
    CHECK(id->recv_cq == queue);
    rdma_destroy_srq(id);
    CHECK(!id->recv_cq && !id->srq);
    struct ibv_srq_init_attr_ex basic = {.attr = {.max_wr = 1, .max_sge = 1}, .comp_mask = IBV_SRQ_INIT_ATTR_TYPE,
        .srq_type = IBV_SRQT_BASIC};
    CHECK(rdma_create_srq_ex(id, &basic) == 0 && basic.comp_mask & IBV_SRQ_INIT_ATTR_PD && basic.pd == id->pd && id->srq->pd == id->pd);
    rdma_destroy_srq(id);
    CHECK(rdma_destroy_id(id) == 0);
}

/* A queue pair that is not made leaves nothing behind, and an id that has one keeps all. */
static void refused_queue_pairs(void) {
    struct rdma_cm_id *id = resolved(RDMA_PS_TCP);
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 1 << 30, .max_recv_wr = 1, .max_send_sge = 1,
        .max_recv_sge = 1}};
    CHECK(rdma_create_qp(id, NULL, &init) == -1);
    CHECK(!id->qp && !id->send_cq && !id->recv_cq && !id->send_cq_channel && !id->recv_cq_channel);
    add_qp(id);
    struct ibv_cq *sends = id->send_cq, *receives = id->recv_cq;
    init.cap.max_send_wr = 1;
    FAILS(rdma_create_qp(id, NULL, &init), EINVAL);
    CHECK(id->qp && id->send_cq == sends && id->recv_cq == receives && receives);
    finish(id);
}

/* An id whose queues the program made: they serve its queue pair, a refused one leaves them, and they go with the queue pair. */
static void given_queue(void) {
    struct rdma_cm_id *id = resolved(RDMA_PS_TCP);
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 1 << 30, .max_recv_wr = 1, .max_send_sge = 1,
        .max_recv_sge = 1}};
    struct ibv_cq *queue = ibv_create_cq(id->verbs, 4, NULL, NULL, 0);
    id->send_cq = id->recv_cq = queue;
    CHECK(queue && rdma_create_qp(id, NULL, &init) == -1);
    CHECK(!id->qp && id->send_cq == queue && id->recv_cq == queue);
    init.cap.max_send_wr = 1;
    CHECK(rdma_create_qp(id, NULL, &init) == 0 && id->send_cq == queue && id->recv_cq == queue);
    CHECK(id->qp->send_cq == queue && id->qp->recv_cq == queue && !id->send_cq_channel && !id->recv_cq_channel);
    finish(id);
}

static void misuse(void) {
    struct rdma_cm_id *id;
    struct rdma_cm_event *event;
    struct sockaddr_in elsewhere = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f070809)};
    int yes = 1;
    FAILS(rdma_create_id(channel, &id, NULL, RDMA_PS_IPOIB), EPROTONOSUPPORT);
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_listen(id, 0) == 0);
    FAILS(rdma_listen(id, 0), EINVAL);
    CHECK(rdma_destroy_id(id) == 0);
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    FAILS(rdma_bind_addr(id, (struct sockaddr *)&elsewhere), EADDRNOTAVAIL);
    FAILS(rdma_bind_addr(id, (struct sockaddr *)&address), EADDRINUSE);
    FAILS(rdma_connect(id, NULL), EINVAL);
    FAILS(rdma_disconnect(id), EINVAL);
    FAILS(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, 1), EINVAL);
    FAILS(rdma_set_option(id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &yes, sizeof yes), ENOSYS);
    CHECK(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof yes) == 0);
    CHECK(rdma_destroy_id(id) == 0);
    CHECK(fcntl(channel->fd, F_SETFL, O_NONBLOCK) == 0);
    FAILS(rdma_get_cm_event(channel, &event), EAGAIN);
}

/* A program that goes on with what it has destroyed, as perftest 4.5 does when it connects again. */
static void freed(void) {
    struct rdma_cm_id *id;
    struct rdma_cm_event *event;
    struct rdma_event_channel *other = rdma_create_event_channel();
    CHECK(other && rdma_create_id(other, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, WAIT_MS) == 0);
    event = event_in(other, RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(rdma_ack_cm_event(event) == 0);
    FAILS(rdma_ack_cm_event(event), EINVAL);
    CHECK(rdma_destroy_id(id) == 0);
    rdma_destroy_event_channel(other);
    rdma_destroy_event_channel(other);
    FAILS(rdma_get_cm_event(other, &event), EINVAL);
    FAILS(rdma_bind_addr(id, (struct sockaddr *)&address), EINVAL);
    FAILS(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, WAIT_MS), EINVAL);
    FAILS(rdma_listen(id, 1), EINVAL);
    FAILS(rdma_connect(id, NULL), EINVAL);
    FAILS(rdma_migrate_id(id, channel), EINVAL);
    FAILS(rdma_destroy_id(id), EINVAL);
    FAILS(rdma_destroy_id(NULL), EINVAL);
    rdma_destroy_qp(id);
    rdma_destroy_ep(id);
    CHECK(rdma_get_src_port(id) == 0);

    /* An id that is left keeps the channel's memory, however often the program destroys the channel. */
    other = rdma_create_event_channel();
    CHECK(other && rdma_create_id(other, &id, NULL, RDMA_PS_TCP) == 0);
    rdma_destroy_event_channel(other);
    rdma_destroy_event_channel(other);
    FAILS(rdma_get_cm_event(other, &event), EINVAL);
    CHECK(rdma_destroy_id(id) == 0);
}

/* Without a name and a service the answer is what the hints have: how libfabric asks. */
static void hints_alone(void) {
    struct rdma_addrinfo hints = {.ai_port_space = RDMA_PS_TCP, .ai_src_addr = (struct sockaddr *)&address, .ai_src_len = sizeof address};
    struct rdma_addrinfo *info;
    CHECK(rdma_getaddrinfo(NULL, NULL, &hints, &info) == 0 && info->ai_src_len == sizeof address && !info->ai_dst_addr);
    CHECK(memcmp(info->ai_src_addr, &address, sizeof address) == 0 && info->ai_port_space == RDMA_PS_TCP);
    rdma_freeaddrinfo(info);
    char longer[2 * sizeof(struct sockaddr_storage)] = {AF_INET};
    hints.ai_src_addr = (struct sockaddr *)longer;
    hints.ai_src_len = sizeof longer;
    CHECK(rdma_getaddrinfo(NULL, NULL, &hints, &info) == 0 && memcmp(info->ai_src_addr, longer, sizeof longer) == 0);
    rdma_freeaddrinfo(info);
}

/* Any address of both families on one port, where the second says that it is of its family only. */
static void both_families(void) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(7175)};
    struct sockaddr_in6 any6 = {.sin6_family = AF_INET6, .sin6_port = htons(7175)};
    struct rdma_cm_id *first, *second;
    int yes = 1;
    CHECK(rdma_create_id(channel, &first, NULL, RDMA_PS_TCP) == 0 && rdma_create_id(channel, &second, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(first, (struct sockaddr *)&any) == 0 && rdma_listen(first, 1) == 0);
    FAILS(rdma_bind_addr(second, (struct sockaddr *)&any6), EADDRINUSE);
    CHECK(rdma_set_option(second, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &yes, sizeof yes) == 0);
    CHECK(rdma_bind_addr(second, (struct sockaddr *)&any6) == 0 && rdma_listen(second, 1) == 0);
    CHECK(rdma_get_src_port(second) == any6.sin6_port);
    CHECK(rdma_destroy_id(second) == 0 && rdma_destroy_id(first) == 0);
}

static struct rdma_cm_id *left_open;

/* Runs after the NIC was closed, as threads of libraries do: nothing is refused to them, and they are told nothing. */
static void check_silence(void) {
    struct pollfd poller = {.fd = channel->fd, .events = POLLIN};
    struct ibv_send_wr send = {.opcode = IBV_WR_SEND}, *bad_send;
    struct ibv_recv_wr receive = {0}, *bad_receive;
    struct ibv_wc wc;
    if (left_open) {
        CHECK(ibv_post_recv(left_open->qp, &receive, &bad_receive) == 0 && ibv_post_send(left_open->qp, &send, &bad_send) == 0);
        CHECK(ibv_req_notify_cq(left_open->send_cq, 0) == 0 && ibv_poll_cq(left_open->recv_cq, 1, &wc) == 0);
        puts(poll(&poller, 1, 0) == 0 ? "all right" : "an event during exit()");
    }
}

/* Exits with a connection. */
static void leave(void) {
    struct rdma_cm_id *client = resolved(RDMA_PS_TCP);
    add_qp(client);
    CHECK(rdma_connect(client, NULL) == 0);
    struct rdma_cm_id *server = request("", 0);
    add_qp(server);
    CHECK(rdma_accept(server, NULL) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(rdma_ack_cm_event(event_in(channel, RDMA_CM_EVENT_ESTABLISHED)) == 0);
    }
    left_open = client;
    exit(0);
}

int main(int count, char **arguments) {
    char *buffer = calloc(1, 4096);
    int devices;
    CHECK(count == 2 && buffer && atexit(check_silence) == 0);
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(arguments[1]), .sin_port = htons(7174)};
    struct ibv_context **contexts = rdma_get_devices(&devices);
    CHECK(contexts && devices == 1 && contexts[0] && !contexts[1]);
    CHECK((channel = rdma_create_event_channel()));
    CHECK(rdma_create_id(channel, &listener, contexts, RDMA_PS_TCP) == 0 && rdma_bind_addr(listener, (struct sockaddr *)&address) == 0);
    CHECK(listener->verbs == contexts[0] && rdma_listen(listener, 3) == 0);
    connection(buffer);
    own_queue_pairs();
    rejection();
    datagrams();
    group();
    endpoints(buffer);
    extended_endpoints(buffer);
    refused_queue_pairs();
    given_queue();
    shared_queue_first();
    /* A request that nobody took is rejected with its listener. */
    struct rdma_cm_id *client = resolved(RDMA_PS_TCP);
    add_qp(client);
    CHECK(rdma_connect(client, NULL) == 0);
    struct pollfd poller = {.fd = channel->fd, .events = POLLIN};
    CHECK(poll(&poller, 1, WAIT_MS) == 1 && rdma_destroy_id(listener) == 0);
    struct rdma_cm_event *event = event_in(channel, RDMA_CM_EVENT_REJECTED);
    CHECK(event->id == client && rdma_ack_cm_event(event) == 0);
    finish(client);
    CHECK(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) == 0 && rdma_bind_addr(listener, (struct sockaddr *)&address) == 0);
    hints_alone();
    freed();
    misuse();
    CHECK(rdma_destroy_id(listener) == 0);
    rdma_free_devices(contexts);
    rdma_destroy_event_channel(channel);
    CHECK((channel = rdma_create_event_channel()) && rdma_create_id(channel, &listener, contexts, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(listener, (struct sockaddr *)&address) == 0 && rdma_listen(listener, 3) == 0);
    both_families();
    leave();
}
