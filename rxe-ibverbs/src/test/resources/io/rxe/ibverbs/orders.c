/* Functions of librdmacm in an order that rdma_cm refuses, behind failures, and behind the end. One process, whose NIC connects to itself. */
#include <arpa/inet.h>
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
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
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

/* A program that cleans up behind a connection that was refused: no event follows, for which a synchronous id could wait. */
static void behind_the_end(void) {
    struct rdma_addrinfo hints = {.ai_port_space = RDMA_PS_TCP}, *info;
    struct ibv_qp_init_attr init = {.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct rdma_cm_id *id;
    CHECK(rdma_getaddrinfo(inet_ntoa(address.sin_addr), "9", &hints, &info) == 0 && rdma_create_ep(&id, info, NULL, &init) == 0);
    FAILS(rdma_connect(id, NULL), ECONNREFUSED);
    CHECK(rdma_disconnect(id) == 0);
    rdma_destroy_ep(id);
    rdma_freeaddrinfo(info);
}

int main(int count, char **arguments) {
    CHECK(count == 2 && inet_pton(AF_INET, arguments[1], &address.sin_addr) == 1 && (channel = rdma_create_event_channel()));
    address.sin_family = AF_INET;
    behind_a_failed_bind();
    steps();
    behind_the_end();
    rdma_destroy_event_channel(channel);
    puts("all right");
    return 0;
}
