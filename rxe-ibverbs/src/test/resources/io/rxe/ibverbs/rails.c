/*
 * Of a test: a program with two NICs, each a device. They write to each other; then each connects to each NIC of a peer, a process of the
 * same program with two NICs of its own. RXE_DEV has two networks of loopback.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "pair.h"

enum { RAILS = 2, GREETING = 16 };

/* What a process tells the other: where its listener is. */
struct place {
    struct sockaddr_in addresses[RAILS];
};

static struct ibv_context *contexts[RAILS];

static void open_devices(struct place *place) {
    int count;
    struct ibv_device **devices = ibv_get_device_list(&count);
    CHECK(devices && count == RAILS && devices[0] && devices[1] && !devices[2]);
    for (int i = 0; i < RAILS; i++) {
        char name[] = "rxe?";
        union ibv_gid gid;
        struct ibv_device_attr attr;
        name[3] = (char)('0' + i);
        CHECK(strcmp(ibv_get_device_name(devices[i]), name) == 0 && ibv_get_device_index(devices[i]) == i);
        CHECK((contexts[i] = ibv_open_device(devices[i])) && contexts[i]->device == devices[i]);
        CHECK(ibv_query_gid(contexts[i], 1, 1, &gid) == 0 && ibv_query_device(contexts[i], &attr) == 0);
        CHECK(ibv_get_device_guid(devices[i]) == attr.node_guid);
        place->addresses[i] = (struct sockaddr_in){.sin_family = AF_INET};
        memcpy(&place->addresses[i].sin_addr, gid.raw + 12, 4);
    }
    CHECK(ibv_get_device_guid(devices[0]) != ibv_get_device_guid(devices[1]));
    CHECK(memcmp(&place->addresses[0], &place->addresses[1], sizeof *place->addresses) != 0);
    ibv_free_device_list(devices);
}

/* The files that UCX reads are there for each, and for no third. */
static void files(void) {
    CHECK(access("/dev/infiniband/uverbs1", R_OK | W_OK) == 0);
    int file = open("/sys/class/infiniband/rxe1/ports/1/gid_attrs/types/1", O_RDONLY);
    char text[16] = "";
    CHECK(file >= 0 && read(file, text, sizeof text - 1) > 0 && strcmp(text, "RoCE v2\n") == 0 && close(file) == 0);
    CHECK(open("/sys/class/infiniband/rxe2/ports/1/gid_attrs/types/1", O_RDONLY) < 0);
}

/* One end of a queue pair between the devices. */
struct end {
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_qp *qp;
    struct ibv_mr *mr;
    union ibv_gid gid;
    char memory[BYTES];
};

static void make(struct end *end, int rail) {
    CHECK((end->pd = ibv_alloc_pd(contexts[rail])) && (end->cq = ibv_create_cq(contexts[rail], 16, NULL, NULL, 0)));
    CHECK((end->qp = create(end->pd, end->cq, 8)));
    CHECK((end->mr = ibv_reg_mr(end->pd, end->memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)));
    CHECK(ibv_query_gid(contexts[rail], 1, 1, &end->gid) == 0);
}

static void write_to(struct end *from, const struct end *to, int letter) {
    struct ibv_sge sge = {.addr = (uintptr_t)from->memory, .length = BYTES, .lkey = from->mr->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = {.remote_addr = (uintptr_t)to->memory, .rkey = to->mr->rkey}}, *bad;
    struct ibv_wc wc;
    int found;
    memset(from->memory, letter, BYTES);
    CHECK(ibv_post_send(from->qp, &wr, &bad) == 0);
    do {
        found = ibv_poll_cq(from->cq, 1, &wc);
    } while (found == 0);
    CHECK(found == 1 && wc.status == IBV_WC_SUCCESS && memcmp(from->memory, to->memory, BYTES) == 0);
}

static void write_between(void) {
    static struct end ends[RAILS];
    for (int i = 0; i < RAILS; i++) {
        make(&ends[i], i);
    }
    /* What belongs to one device does not go with the other. */
    CHECK(!create(ends[0].pd, ends[1].cq, 8) && errno == ENOENT);
    for (int i = 0; i < RAILS; i++) {
        connect_gid(ends[i].qp, ends[1 - i].qp->qp_num, &ends[1 - i].gid);
    }
    for (int i = 0; i < WRITES; i++) {
        write_to(&ends[i % RAILS], &ends[1 - i % RAILS], 'a' + i);
    }
    for (int i = 0; i < RAILS; i++) {
        CHECK(ibv_destroy_qp(ends[i].qp) == 0 && ibv_dereg_mr(ends[i].mr) == 0 && ibv_destroy_cq(ends[i].cq) == 0);
        CHECK(ibv_dealloc_pd(ends[i].pd) == 0);
    }
}

/* A port that is taken on one NIC: the id listens on none, and on each as soon as it is free. */
static void listen_on_all_or_none(const struct place *own) {
    struct sockaddr_in any = {.sin_family = AF_INET}, second = own->addresses[1];
    struct rdma_cm_id *listener, *other;
    CHECK(rdma_create_id(NULL, &listener, NULL, RDMA_PS_TCP) == 0 && rdma_create_id(NULL, &other, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(listener, (struct sockaddr *)&any) == 0);
    second.sin_port = rdma_get_src_port(listener);
    CHECK(rdma_bind_addr(other, (struct sockaddr *)&second) == 0);
    CHECK(rdma_listen(listener, 4) != 0 && errno == EADDRINUSE);
    CHECK(rdma_destroy_id(other) == 0 && rdma_listen(listener, 4) == 0);
    CHECK(rdma_listen(listener, 4) != 0 && errno == EINVAL && rdma_destroy_id(listener) == 0);
}

/* An id that could not be bound to a port of one NIC, or found no way to a peer, may still have the other. */
static void bind_elsewhere(const struct place *own) {
    struct sockaddr_in taken = own->addresses[1], free_one = own->addresses[0], other = own->addresses[1];
    struct sockaddr_in6 no_peer = {.sin6_family = AF_INET6, .sin6_addr.s6_addr = {0x20, 1, 0xd, 0xb8, [15] = 1}, .sin6_port = 7};
    struct rdma_cm_id *owner, *id;
    CHECK(rdma_create_id(NULL, &owner, NULL, RDMA_PS_TCP) == 0 && rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(owner, (struct sockaddr *)&taken) == 0);
    taken.sin_port = rdma_get_src_port(owner);
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&taken) != 0 && errno == EADDRINUSE && !id->verbs);
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&free_one) == 0 && ibv_get_device_index(id->verbs->device) == 0);
    CHECK(rdma_destroy_id(owner) == 0 && rdma_destroy_id(id) == 0);
    CHECK(rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&no_peer, 1000) != 0);
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&other) == 0 && ibv_get_device_index(id->verbs->device) == 1);
    CHECK(rdma_destroy_id(id) == 0);
}

/* ---- with a peer ---- */

static struct ibv_mr *prepare(struct rdma_cm_id *id, char *greeting) {
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .cap = {.max_send_wr = 4, .max_recv_wr = 4,
        .max_send_sge = 1, .max_recv_sge = 1}};
    CHECK(rdma_create_qp(id, NULL, &init) == 0);
    struct ibv_mr *mr = rdma_reg_msgs(id, greeting, GREETING);
    CHECK(mr && rdma_post_recv(id, NULL, greeting, GREETING, mr) == 0);
    return mr;
}

static void greet(struct rdma_cm_id *id, const char *text) {
    CHECK(rdma_post_send(id, NULL, (void *)(uintptr_t)text, GREETING, NULL, IBV_SEND_INLINE) == 0);
}

static void await_greeting(struct rdma_cm_id *id) {
    struct ibv_wc wc;
    CHECK(rdma_get_recv_comp(id, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
}

/* The answer may be on its way yet. */
static void await_disconnect(struct rdma_cm_id *id) {
    struct rdma_cm_event *event;
    CHECK(rdma_get_cm_event(id->channel, &event) == 0 && event->event == RDMA_CM_EVENT_DISCONNECTED);
    CHECK(rdma_ack_cm_event(event) == 0);
}

static void finish(struct rdma_cm_id *id, struct ibv_mr *mr) {
    CHECK(rdma_dereg_mr(mr) == 0);
    rdma_destroy_ep(id);
}

/* Listens at any address, so on each NIC, and answers on the NIC that was called. */
static void serve(int tell) {
    struct place place;
    struct rdma_cm_id *listener, *id;
    struct sockaddr_in any = {.sin_family = AF_INET};
    open_devices(&place);
    CHECK(rdma_create_id(NULL, &listener, NULL, RDMA_PS_TCP) == 0 && rdma_bind_addr(listener, (struct sockaddr *)&any) == 0);
    CHECK(!listener->verbs && rdma_listen(listener, 4) == 0);
    for (int i = 0; i < RAILS; i++) {
        place.addresses[i].sin_port = rdma_get_src_port(listener);
    }
    CHECK(write(tell, &place, sizeof place) == sizeof place);
    for (int i = 0; i < RAILS * RAILS; i++) {
        char greeting[GREETING];
        CHECK(rdma_get_request(listener, &id) == 0);
        int called = *(const char *)id->event->param.conn.private_data;
        CHECK(ibv_get_device_index(id->verbs->device) == called);
        CHECK(((struct sockaddr_in *)rdma_get_local_addr(id))->sin_addr.s_addr == place.addresses[called].sin_addr.s_addr);
        struct ibv_mr *mr = prepare(id, greeting);
        CHECK(rdma_accept(id, NULL) == 0);
        await_greeting(id);
        greet(id, greeting);
        await_disconnect(id);
        finish(id, mr);
    }
    CHECK(rdma_destroy_id(listener) == 0);
}

static void call(const struct place *own, int from, const struct place *peer, int to) {
    char called = (char)to, greeting[GREETING] = "";
    struct rdma_conn_param param = {.private_data = &called, .private_data_len = 1, .retry_count = 7, .rnr_retry_count = 7};
    struct sockaddr_in source = own->addresses[from], destination = peer->addresses[to];
    struct rdma_cm_id *id;
    struct ibv_wc wc;
    CHECK(rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(id, (struct sockaddr *)&source, (struct sockaddr *)&destination, 1000) == 0);
    CHECK(ibv_get_device_index(id->verbs->device) == from && rdma_resolve_route(id, 1000) == 0);
    struct ibv_mr *mr = prepare(id, greeting);
    CHECK(rdma_connect(id, &param) == 0);
    greet(id, "over this rail..");
    await_greeting(id);
    CHECK(memcmp(greeting, "over this rail..", GREETING) == 0);
    CHECK(rdma_get_send_comp(id, &wc) == 1 && wc.status == IBV_WC_SUCCESS && rdma_disconnect(id) == 0);
    finish(id, mr);
}

int main(void) {
    struct place own, peer;
    int told[2], status;
    CHECK(pipe(told) == 0);
    pid_t server = fork();
    if (server == 0) {
        serve(told[1]);
        return 0;
    }
    open_devices(&own);
    files();
    write_between();
    listen_on_all_or_none(&own);
    bind_elsewhere(&own);
    CHECK(close(told[1]) == 0 && read(told[0], &peer, sizeof peer) == sizeof peer);
    for (int i = 0; i < RAILS * RAILS; i++) {
        call(&own, i / RAILS, &peer, i % RAILS);
    }
    CHECK(waitpid(server, &status, 0) == server && status == 0);
    puts("all right");
    return 0;
}
