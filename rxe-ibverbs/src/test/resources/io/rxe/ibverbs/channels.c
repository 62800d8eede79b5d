/*
 * Which channel an event is in, and which thread gets it: ids that move to another channel while events wait, and threads that share one
 * channel or one listener. Each check prints what failed and ends the program with status 1.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"

#define FAILS(call, number) CHECK((errno = 0, (call) == -1) && errno == (number))

enum { WAIT_MS = 60000, THREADS = 8, REQUESTS = 400 };

static struct sockaddr_in address;
static struct rdma_event_channel *clients;

static void await_event(struct rdma_event_channel *channel) {
    struct pollfd poller = {.fd = channel->fd, .events = POLLIN};
    CHECK(poll(&poller, 1, WAIT_MS) == 1);
}

/* Takes the next event, which must be of a type, and acknowledges it. The id it is about. */
static struct rdma_cm_id *take(struct rdma_event_channel *channel, enum rdma_cm_event_type type) {
    struct rdma_cm_event *event;
    await_event(channel);
    CHECK(rdma_get_cm_event(channel, &event) == 0 && event->event == type && event->status == 0);
    struct rdma_cm_id *id = event->id;
    CHECK(rdma_ack_cm_event(event) == 0);
    return id;
}

static void add_qp(struct rdma_cm_id *id) {
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
        .max_recv_sge = 1}};
    CHECK(rdma_create_qp(id, NULL, &init) == 0);
}

static struct rdma_cm_id *connecting(void) {
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(clients, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 1000) == 0 && take(clients, RDMA_CM_EVENT_ADDR_RESOLVED) == id);
    CHECK(rdma_resolve_route(id, 1000) == 0 && take(clients, RDMA_CM_EVENT_ROUTE_RESOLVED) == id);
    add_qp(id);
    CHECK(rdma_connect(id, NULL) == 0);
    return id;
}

static void destroy(struct rdma_cm_id *id) {
    rdma_destroy_qp(id);
    CHECK(rdma_destroy_id(id) == 0);
}

static struct rdma_cm_id *listening(struct rdma_event_channel *channel, int backlog) {
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0 && rdma_bind_addr(id, (struct sockaddr *)&address) == 0);
    CHECK(rdma_listen(id, backlog) == 0);
    return id;
}

/* To where it is, with an event that waits. */
static void stay(struct rdma_event_channel *channel) {
    struct rdma_cm_id *id;
    struct rdma_cm_event *event;
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 1000) == 0);
    CHECK(rdma_migrate_id(id, channel) == 0 && id->channel == channel);
    FAILS(rdma_get_cm_event(channel, NULL), EINVAL);
    CHECK(take(channel, RDMA_CM_EVENT_ADDR_RESOLVED) == id);
    CHECK(fcntl(channel->fd, F_SETFL, O_NONBLOCK) == 0);
    FAILS(rdma_get_cm_event(channel, &event), EAGAIN);
    CHECK(fcntl(channel->fd, F_SETFL, 0) == 0);
    CHECK(rdma_migrate_id(id, NULL) == 0 && id->channel != channel);
    FAILS(rdma_migrate_id(id, NULL), EINVAL);
    CHECK(rdma_destroy_id(id) == 0);
}

/* A request that waits moves with its listener, whose former channel may end then. */
static void follow(void) {
    struct rdma_event_channel *first = rdma_create_event_channel(), *second = rdma_create_event_channel();
    struct rdma_cm_id *listener = listening(first, 2), *client = connecting(), *request;
    await_event(first);
    CHECK(rdma_migrate_id(listener, second) == 0);
    request = take(second, RDMA_CM_EVENT_CONNECT_REQUEST);
    CHECK(request->channel == second);
    rdma_destroy_event_channel(first);
    add_qp(request);
    CHECK(rdma_accept(request, NULL) == 0);
    CHECK(take(second, RDMA_CM_EVENT_ESTABLISHED) == request && take(clients, RDMA_CM_EVENT_ESTABLISHED) == client);
    destroy(client);
    CHECK(take(second, RDMA_CM_EVENT_DISCONNECTED) == request);
    destroy(request);
    /* And to where each id has its own. */
    client = connecting();
    await_event(second);
    CHECK(rdma_migrate_id(listener, NULL) == 0 && rdma_get_request(listener, &request) == 0);
    CHECK(request->channel != second && request->channel != listener->channel);
    add_qp(request);
    CHECK(rdma_accept(request, NULL) == 0 && request->event->event == RDMA_CM_EVENT_ESTABLISHED);
    CHECK(take(clients, RDMA_CM_EVENT_ESTABLISHED) == client);
    destroy(client);
    destroy(request);
    CHECK(rdma_destroy_id(listener) == 0);
    rdma_destroy_event_channel(second);
}

static struct rdma_cm_id *shared;
static atomic_int rejected;

static void *reject_all(void *unused) {
    struct rdma_cm_id *request;
    while (rejected < REQUESTS) {
        if (rdma_get_request(shared, &request) != 0) {
            CHECK(errno == EAGAIN);
            sched_yield();
            continue;
        }
        CHECK(request != shared && request->event && request->event->id == request);
        CHECK(rdma_reject(request, NULL, 0) == 0 && rdma_destroy_id(request) == 0);
        rejected++;
    }
    return unused;
}

/* Each request is one thread's. */
static void share(void) {
    pthread_t threads[THREADS];
    struct rdma_cm_id *ids[REQUESTS];
    struct rdma_cm_event *event;
    shared = listening(NULL, REQUESTS);
    CHECK(fcntl(shared->channel->fd, F_SETFL, O_NONBLOCK) == 0);
    for (int i = 0; i < REQUESTS; i++) {
        ids[i] = connecting();
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, reject_all, NULL) == 0);
    }
    for (int i = 0; i < REQUESTS; i++) {
        await_event(clients);
        CHECK(rdma_get_cm_event(clients, &event) == 0 && event->event == RDMA_CM_EVENT_REJECTED && rdma_ack_cm_event(event) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    for (int i = 0; i < REQUESTS; i++) {
        destroy(ids[i]);
    }
    CHECK(rdma_destroy_id(shared) == 0);
}

/* A listener has the protection domain that it was made with. */
static void own_domain(void) {
    struct rdma_addrinfo hints = {.ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP}, *found;
    struct rdma_cm_id *id;
    char host[INET_ADDRSTRLEN];
    int count;
    struct ibv_context **contexts = rdma_get_devices(&count);
    struct ibv_pd *pd = ibv_alloc_pd(contexts[0]);
    CHECK(pd && inet_ntop(AF_INET, &address.sin_addr, host, sizeof host) && rdma_getaddrinfo(host, "7175", &hints, &found) == 0);
    CHECK(rdma_create_ep(&id, found, pd, NULL) == 0 && id->pd == pd);
    rdma_destroy_ep(id);
    rdma_freeaddrinfo(found);
    rdma_free_devices(contexts);
    CHECK(ibv_dealloc_pd(pd) == 0);
}

int main(int count, char **arguments) {
    CHECK(count == 2 && (clients = rdma_create_event_channel()));
    alarm(300);
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(arguments[1]), .sin_port = htons(7176)};
    stay(clients);
    follow();
    share();
    own_domain();
    rdma_destroy_event_channel(clients);
    puts("all right");
    return 0;
}
