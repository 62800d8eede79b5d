/* Functions of librdmacm in an order that rdma_cm refuses, behind failures and behind the end. One process, connected to itself. */
#include <arpa/inet.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "check.h"

#define FAILS(call, number) CHECK((errno = 0, (call) == -1) && errno == (number))

enum { WAIT_MS = 60000 };

static struct sockaddr_in address;
static struct rdma_event_channel *channel;

static struct sockaddr *at(uint16_t port) {
    static struct sockaddr_in named;
    named = address;
    named.sin_port = port;
    return (struct sockaddr *)&named;
}

static struct rdma_cm_id *make(void) {
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    return id;
}

static void expect(enum rdma_cm_event_type type, struct rdma_cm_id *id) {
    struct rdma_cm_event *event;
    CHECK(rdma_get_cm_event(channel, &event) == 0 && event->event == type && event->id == id && rdma_ack_cm_event(event) == 0);
}

static uint16_t free_port(void) {
    struct rdma_cm_id *id = make();
    CHECK(rdma_bind_addr(id, at(0)) == 0);
    uint16_t port = rdma_get_src_port(id);
    CHECK(port && rdma_destroy_id(id) == 0);
    return port;
}

/* An id that could not be bound is bound to nothing, and takes the source that rdma_resolve_addr names. */
static void behind_a_failed_bind(void) {
    struct rdma_cm_id *first = make(), *second = make();
    struct sockaddr_in destination = address;
    destination.sin_port = htons(9);
    CHECK(rdma_bind_addr(first, at(0)) == 0);
    uint16_t taken = rdma_get_src_port(first), other = free_port();
    FAILS(rdma_bind_addr(second, at(taken)), EADDRINUSE);
    CHECK(rdma_get_src_port(second) == 0);
    CHECK(rdma_resolve_addr(second, at(other), (struct sockaddr *)&destination, WAIT_MS) == 0);
    expect(RDMA_CM_EVENT_ADDR_RESOLVED, second);
    CHECK(rdma_get_src_port(second) == other);
    FAILS(rdma_bind_addr(first, at(free_port())), EINVAL);
    CHECK(rdma_get_src_port(first) == taken);
    CHECK(rdma_destroy_id(first) == 0 && rdma_destroy_id(second) == 0);
}

/* Address, route, connection: each once, and none before the other. */
static void steps(void) {
    struct rdma_cm_id *id = make();
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
        .max_recv_sge = 1}};
    FAILS(rdma_resolve_route(id, WAIT_MS), EINVAL);
    CHECK(rdma_resolve_addr(id, NULL, at(htons(9)), WAIT_MS) == 0);
    expect(RDMA_CM_EVENT_ADDR_RESOLVED, id);
    FAILS(rdma_resolve_addr(id, NULL, at(htons(10)), WAIT_MS), EINVAL);
    CHECK(rdma_create_qp(id, NULL, &init) == 0);
    FAILS(rdma_connect(id, NULL), EINVAL);
    CHECK(rdma_resolve_route(id, WAIT_MS) == 0);
    expect(RDMA_CM_EVENT_ROUTE_RESOLVED, id);
    FAILS(rdma_resolve_route(id, WAIT_MS), EINVAL);
    rdma_destroy_qp(id);
    CHECK(rdma_destroy_id(id) == 0);
}

static struct rdma_cm_id *endpoint(int flags, const char *port) {
    struct rdma_addrinfo hints = {.ai_flags = flags, .ai_port_space = RDMA_PS_TCP}, *info;
    struct ibv_qp_init_attr init = {.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct rdma_cm_id *id;
    CHECK(rdma_getaddrinfo(inet_ntoa(address.sin_addr), port, &hints, &info) == 0 && rdma_create_ep(&id, info, NULL, &init) == 0);
    rdma_freeaddrinfo(info);
    return id;
}

static void *serve(void *listener) {
    struct rdma_cm_id *id;
    CHECK(rdma_get_request(listener, &id) == 0 && rdma_accept(id, NULL) == 0);
    return id;
}

/* A connection whose queue pair the program has destroyed, or moved to ERROR, ends as any other. */
static void behind_the_queue_pair(void) {
    struct rdma_cm_id *listener = endpoint(RAI_PASSIVE, "0");
    char port[8];
    CHECK(rdma_listen(listener, 0) == 0);
    snprintf(port, sizeof port, "%d", ntohs(rdma_get_src_port(listener)));
    for (int destroys = 0; destroys < 2; destroys++) {
        struct rdma_cm_id *client = endpoint(0, port);
        struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};
        pthread_t thread;
        void *server;
        CHECK(pthread_create(&thread, NULL, serve, listener) == 0 && rdma_connect(client, NULL) == 0);
        CHECK(pthread_join(thread, &server) == 0);
        if (destroys) {
            rdma_destroy_qp(client);
        } else {
            CHECK(ibv_modify_qp(client->qp, &error, IBV_QP_STATE) == 0);
        }
        CHECK(rdma_disconnect(client) == 0 && rdma_disconnect(server) == 0);
        CHECK(client->event->event == RDMA_CM_EVENT_DISCONNECTED && client->event->status == 0);
        rdma_destroy_ep(client);
        rdma_destroy_ep(server);
    }
    rdma_destroy_ep(listener);
}

/* A program that cleans up behind a connection that was refused: no event follows, for which a synchronous id could wait. */
static void behind_the_end(void) {
    struct rdma_cm_id *id = endpoint(0, "9");
    FAILS(rdma_connect(id, NULL), ECONNREFUSED);
    CHECK(rdma_disconnect(id) == 0);
    rdma_destroy_ep(id);
}

int main(int count, char **arguments) {
    CHECK(count == 2 && inet_pton(AF_INET, arguments[1], &address.sin_addr) == 1 && (channel = rdma_create_event_channel()));
    address.sin_family = AF_INET;
    behind_a_failed_bind();
    steps();
    behind_the_queue_pair();
    behind_the_end();
    rdma_destroy_event_channel(channel);
    puts("all right");
    return 0;
}
