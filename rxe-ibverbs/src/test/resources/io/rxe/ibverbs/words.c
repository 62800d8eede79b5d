/*
 * One process, whose NIC connects to itself, for every word of RXE_VERBS_FAULT. Its arguments: an address, then
 *   verbs              each verb of a word, again until it succeeds; a line for each call that fails
 *   statuses W R S     a WRITE over each of W pairs, a SEND over each of R pairs and of S whose receiver shares a queue; the status of each
 *   connections N      N tries to connect, then to join a group, then a connection until three faults: a line for each failure and fault
 *   poll               a WRITE, and the polls until it is complete and one of them has failed
 *   device             a WRITE, the next event, and what verbs say then
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>

#include "pair.h"

/* For what returns an errno, or -1 with errno. */
#define DO(name, call) \
    for (int status; (errno = 0, status = (call)) != 0;) { \
        failed(name, status > 0 ? status : errno); \
    }
#define MAKE(name, made, call) \
    while (!((made) = (call))) { \
        failed(name, errno); \
    }
/* Of a function that came after rdma-core 44, whose headers do not declare it. */
#define NEWER(type, name, parameters) ((type (*) parameters)dlsym(RTLD_DEFAULT, name))
/* For what fails without a fault, too. */
#define ONCE(name, call) \
    do { \
        int status = (call); \
        failed(name, status > 0 ? status : errno); \
    } while (0)

enum { MOST_FAILURES = 200 };

static struct sockaddr_in address;
static struct sockaddr_in group = {.sin_family = AF_INET};
static char memory[BYTES];
static struct ibv_pd *pd;
static struct ibv_mr *mr;

/* At most so often that a verb which always fails ends the program. */
static void failed(const char *verb, int error) {
    static int times;
    CHECK(++times < MOST_FAILURES);
    printf("%s %s\n", verb, strerror(error));
}

/* ---- each verb ---- */

static struct ibv_cq *cq;
static struct ibv_comp_channel *completions;

static void device(void) {
    struct ibv_device **devices;
    struct ibv_device_attr attr;
    struct ibv_port_attr port;
    union ibv_gid gid;
    uint16_t pkey;
    DO("fork_init", ibv_fork_init());
    MAKE("get_device_list", devices, ibv_get_device_list(NULL));
    MAKE("open_device", context, ibv_open_device(devices[0]));
    ibv_free_device_list(devices);
    DO("query_device", ibv_query_device(context, &attr));
    DO("query_port", ibv_query_port(context, 1, &port));
    DO("query_gid", ibv_query_gid(context, 1, 1, &gid));
    DO("query_pkey", ibv_query_pkey(context, 1, 0, &pkey));
    CHECK(fcntl(context->async_fd, F_SETFL, O_NONBLOCK) == 0);
    struct ibv_async_event event;
    ONCE("get_async_event", ibv_get_async_event(context, &event));
}

/* A parent domain is refused first, as it is freed first. */
static void domains(void) {
    struct ibv_td_init_attr thread = {0};
    struct ibv_td *td;
    struct ibv_pd *parent;
    struct ibv_xrcd *xrcd;
    struct ibv_xrcd_init_attr attr = {.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1};
    MAKE("alloc_pd", pd, ibv_alloc_pd(context));
    MAKE("alloc_td", td, ibv_alloc_td(context, &thread));
    MAKE("alloc_parent_domain", parent,
        ibv_alloc_parent_domain(context, &(struct ibv_parent_domain_init_attr){.pd = pd, .td = td}));
    DO("dealloc_pd", ibv_dealloc_pd(parent));
    DO("dealloc_td", ibv_dealloc_td(td));
    MAKE("open_xrcd", xrcd, ibv_open_xrcd(context, &attr));
    DO("close_xrcd", ibv_close_xrcd(xrcd));
}

static void regions(void) {
    int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND | IBV_ACCESS_ON_DEMAND;
    MAKE("reg_mr", mr, ibv_reg_mr(pd, memory, BYTES, access));
    DO("rereg_mr", ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, access));
    void *buf, *bytes;
    MAKE("alloc_buf", bytes, NEWER(void *, "ibv_alloc_buf", (struct ibv_pd *, size_t, void **))(pd, BYTES, &buf));
    NEWER(void, "ibv_free_buf", (void *))(buf);
    struct ibv_sge sge = {(uintptr_t)memory, BYTES, mr->lkey};
    DO("advise_mr", ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1));
}

static struct ibv_qp *make_qp(enum ibv_qp_type type, struct ibv_srq *srq) {
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .srq = srq, .qp_type = type, .sq_sig_all = 1,
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp;
    MAKE("create_qp", qp, ibv_create_qp(pd, &init));
    return qp;
}

static struct ibv_srq *make_srq(void) {
    struct ibv_srq *srq;
    struct ibv_srq_init_attr init = {.attr = {.max_wr = 4, .max_sge = 1}};
    MAKE("create_srq", srq, ibv_create_srq(pd, &init));
    return srq;
}

/* The completion of the next request. */
static struct ibv_wc next(void) {
    struct ibv_wc wc;
    int found;
    while ((found = ibv_poll_cq(cq, 1, &wc)) <= 0) {
        if (found < 0) {
            failed("poll_cq", -found);
        }
    }
    return wc;
}

static void windows(struct ibv_qp *qp) {
    struct ibv_mw *mw;
    MAKE("alloc_mw", mw, ibv_alloc_mw(pd, IBV_MW_TYPE_1));
    struct ibv_mw_bind bind = {.send_flags = IBV_SEND_SIGNALED,
        .bind_info = {.mr = mr, .addr = (uintptr_t)memory, .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE}};
    DO("bind_mw", ibv_bind_mw(qp, mw, &bind));
    CHECK(next().status == IBV_WC_SUCCESS);
    DO("dealloc_mw", ibv_dealloc_mw(mw));
}

static void messages(struct ibv_qp *from, struct ibv_qp *to, struct ibv_srq *srq) {
    struct ibv_sge sge = {(uintptr_t)memory, 8, mr->lkey};
    struct ibv_recv_wr receive = {.sg_list = &sge, .num_sge = 1}, *bad_receive;
    struct ibv_send_wr send = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
    struct ibv_cq *found;
    void *tag;
    DO("req_notify_cq", ibv_req_notify_cq(cq, 0));
    DO("post_recv", ibv_post_recv(from, &receive, &bad_receive));
    DO("post_srq_recv", ibv_post_srq_recv(srq, &receive, &bad_receive));
    DO("post_send", ibv_post_send(from, &send, &bad));
    DO("get_cq_event", ibv_get_cq_event(completions, &found, &tag));
    ibv_ack_cq_events(found, 1);
    CHECK(found == cq && next().status == IBV_WC_SUCCESS && next().status == IBV_WC_SUCCESS);
    windows(from);
    DO("destroy_qp", ibv_destroy_qp(from));
    DO("destroy_qp", ibv_destroy_qp(to));
    DO("destroy_srq", ibv_destroy_srq(srq));
}

static void connected_queues(void) {
    struct ibv_srq_attr limit = {.srq_limit = 1};
    MAKE("create_comp_channel", completions, ibv_create_comp_channel(context));
    MAKE("create_cq", cq, ibv_create_cq(context, 8, NULL, completions, 0));
    DO("resize_cq", ibv_resize_cq(cq, 16));
    struct ibv_srq *srq = make_srq();
    DO("modify_srq", ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
    DO("query_srq", ibv_query_srq(srq, &limit));
    struct ibv_qp *from = make_qp(IBV_QPT_RC, NULL), *to = make_qp(IBV_QPT_RC, srq);
    struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET};
    struct ibv_qp_init_attr init;
    DO("modify_qp", ibv_modify_qp(from, &reset, IBV_QP_STATE));
    DO("query_qp", ibv_query_qp(from, &reset, IBV_QP_STATE, &init));
    struct ibv_ece ece = {0};
    ONCE("set_ece", ibv_set_ece(from, &ece));
    DO("query_ece", ibv_query_ece(from, &ece));
    connect_to(from, to);
    connect_to(to, from);
    messages(from, to, srq);
}

static void datagrams(void) {
    struct ibv_ah_attr vector = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 1, .hop_limit = 64}};
    struct ibv_ah *ah;
    union ibv_gid to = {.raw = {[10] = 0xff, [11] = 0xff, [12] = 0xef, [13] = 7, [14] = 7, [15] = 7}};
    struct ibv_qp *qp = make_qp(IBV_QPT_UD, NULL);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 1};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY) == 0);
    DO("query_gid", ibv_query_gid(context, 1, 1, &vector.grh.dgid));
    MAKE("create_ah", ah, ibv_create_ah(pd, &vector));
    DO("destroy_ah", ibv_destroy_ah(ah));
    DO("attach_mcast", ibv_attach_mcast(qp, &to, 0));
    DO("detach_mcast", ibv_detach_mcast(qp, &to, 0));
    DO("destroy_qp", ibv_destroy_qp(qp));
}

static void free_all(void) {
    DO("destroy_cq", ibv_destroy_cq(cq));
    DO("destroy_comp_channel", ibv_destroy_comp_channel(completions));
    DO("dereg_mr", ibv_dereg_mr(mr));
    DO("dealloc_pd", ibv_dealloc_pd(pd));
    DO("close_device", ibv_close_device(context));
}

/* ---- each function of librdmacm ---- */

static struct rdma_event_channel *channel;

static struct rdma_cm_event *event_of(enum rdma_cm_event_type type) {
    struct rdma_cm_event *event;
    DO("rdma_get_cm_event", rdma_get_cm_event(channel, &event));
    if (event->event != type) {
        printf("%s instead of %s\n", rdma_event_str(event->event), rdma_event_str(type));
        exit(1);
    }
    return event;
}

static struct rdma_cm_id *id_of(enum rdma_cm_event_type type) {
    struct rdma_cm_event *event = event_of(type);
    struct rdma_cm_id *id = event->id;
    CHECK(rdma_ack_cm_event(event) == 0);
    return id;
}

static struct rdma_cm_id *make_id(enum rdma_port_space space) {
    struct rdma_cm_id *id;
    DO("rdma_create_id", rdma_create_id(channel, &id, NULL, space));
    return id;
}

static struct rdma_cm_id *listen_at(int port) {
    struct rdma_cm_id *listener = make_id(RDMA_PS_TCP);
    address.sin_port = htons((uint16_t)port);
    DO("rdma_bind_addr", rdma_bind_addr(listener, (struct sockaddr *)&address));
    DO("rdma_listen", rdma_listen(listener, 0));
    address.sin_port = rdma_get_src_port(listener);
    return listener;
}

static struct rdma_cm_id *resolved(void) {
    struct rdma_cm_id *id = make_id(RDMA_PS_TCP);
    uint8_t tos = 0;
    DO("rdma_set_option", rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof tos));
    DO("rdma_resolve_addr", rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 1000));
    CHECK(id_of(RDMA_CM_EVENT_ADDR_RESOLVED) == id);
    DO("rdma_resolve_route", rdma_resolve_route(id, 1000));
    CHECK(id_of(RDMA_CM_EVENT_ROUTE_RESOLVED) == id);
    return id;
}

static void to_state(struct rdma_cm_id *id, struct ibv_qp *qp, enum ibv_qp_state state) {
    struct ibv_qp_attr attr = {.qp_state = state};
    int mask;
    DO("rdma_init_qp_attr", rdma_init_qp_attr(id, &attr, &mask));
    CHECK(ibv_modify_qp(qp, &attr, mask) == 0);
}

static struct ibv_qp *own_qp(struct rdma_cm_id *id, struct ibv_cq *queue) {
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .send_cq = queue, .recv_cq = queue,
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp = ibv_create_qp(id->pd, &init);
    CHECK(qp);
    to_state(id, qp, IBV_QPS_INIT);
    return qp;
}

static void refused_connection(void) {
    struct rdma_cm_id *client = resolved();
    DO("rdma_connect", rdma_connect(client, &(struct rdma_conn_param){.qp_num = 77}));
    struct rdma_cm_id *server = id_of(RDMA_CM_EVENT_CONNECT_REQUEST);
    DO("rdma_reject", rdma_reject(server, NULL, 0));
    CHECK(id_of(RDMA_CM_EVENT_REJECTED) == client);
    DO("rdma_destroy_id", rdma_destroy_id(server));
    DO("rdma_destroy_id", rdma_destroy_id(client));
}

static void connection(void) {
    struct rdma_cm_id *client = resolved();
    struct ibv_cq *queue = ibv_create_cq(client->verbs, 8, NULL, NULL, 0);
    struct rdma_event_channel *other = rdma_create_event_channel();
    CHECK(queue && other);
    struct ibv_qp *one = own_qp(client, queue);
    CHECK(rdma_connect(client, &(struct rdma_conn_param){.qp_num = one->qp_num, .retry_count = 7}) == 0);
    struct rdma_cm_id *server = id_of(RDMA_CM_EVENT_CONNECT_REQUEST);
    struct ibv_qp *two = own_qp(server, queue);
    to_state(server, two, IBV_QPS_RTR);
    to_state(server, two, IBV_QPS_RTS);
    DO("rdma_accept", rdma_accept(server, &(struct rdma_conn_param){.qp_num = two->qp_num}));
    CHECK(id_of(RDMA_CM_EVENT_CONNECT_RESPONSE) == client);
    to_state(client, one, IBV_QPS_RTR);
    to_state(client, one, IBV_QPS_RTS);
    DO("rdma_establish", rdma_establish(client));
    CHECK(id_of(RDMA_CM_EVENT_ESTABLISHED) == server);
    DO("rdma_notify", rdma_notify(server, IBV_EVENT_COMM_EST));
    DO("rdma_migrate_id", rdma_migrate_id(server, other));
    CHECK(server->channel == other);
    DO("rdma_disconnect", rdma_disconnect(client));
    CHECK(id_of(RDMA_CM_EVENT_DISCONNECTED) == client);
    CHECK(ibv_destroy_qp(one) == 0 && ibv_destroy_qp(two) == 0);
    CHECK(rdma_destroy_id(server) == 0 && rdma_destroy_id(client) == 0);
    DO("destroy_cq", ibv_destroy_cq(queue));
    rdma_destroy_event_channel(other);
}

static void member(void) {
    struct rdma_cm_id *id = make_id(RDMA_PS_UDP);
    address.sin_port = 0;
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&address) == 0);
    DO("rdma_join_multicast", rdma_join_multicast(id, (struct sockaddr *)&group, NULL));
    CHECK(rdma_ack_cm_event(event_of(RDMA_CM_EVENT_MULTICAST_JOIN)) == 0);
    DO("rdma_leave_multicast", rdma_leave_multicast(id, (struct sockaddr *)&group));
    CHECK(rdma_destroy_id(id) == 0);
}

/* The answer of the name, then an event of the program's own. */
static void newer(void) {
    enum { ADDRINFO_RESOLVED = 16, EVENT_USER = 18 };
    struct rdma_cm_id *id = make_id(RDMA_PS_TCP);
    struct rdma_addrinfo hints = {.ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP}, *info;
    DO("rdma_resolve_addrinfo", NEWER(int, "rdma_resolve_addrinfo", (struct rdma_cm_id *, const char *, const char *,
        const struct rdma_addrinfo *))(id, NULL, "0", &hints));
    CHECK(id_of((enum rdma_cm_event_type)ADDRINFO_RESOLVED) == id);
    DO("rdma_query_addrinfo", NEWER(int, "rdma_query_addrinfo", (struct rdma_cm_id *, struct rdma_addrinfo **))(id, &info));
    rdma_freeaddrinfo(info);
    DO("rdma_write_cm_event", NEWER(int, "rdma_write_cm_event", (struct rdma_cm_id *, int, int, uint64_t))(id, EVENT_USER, 0, 0));
    CHECK(id_of((enum rdma_cm_event_type)EVENT_USER) == id);
    CHECK(rdma_destroy_id(id) == 0);
}

static void management(void) {
    struct ibv_context **devices;
    struct rdma_addrinfo hints = {.ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP}, *info;
    MAKE("rdma_get_devices", devices, rdma_get_devices(NULL));
    rdma_free_devices(devices);
    DO("rdma_getaddrinfo", rdma_getaddrinfo(NULL, "0", &hints, &info));
    rdma_freeaddrinfo(info);
    MAKE("rdma_create_event_channel", channel, rdma_create_event_channel());
    struct rdma_cm_id *listener = listen_at(0);
    refused_connection();
    connection();
    member();
    newer();
    CHECK(rdma_destroy_id(listener) == 0);
    rdma_destroy_event_channel(channel);
}

static void verbs(void) {
    device();
    domains();
    regions();
    connected_queues();
    datagrams();
    management();
    free_all();
}

/* ---- the status of requests ---- */

static void open_simply(void) {
    struct ibv_device **devices = ibv_get_device_list(NULL);
    context = ibv_open_device(devices[0]);
    CHECK(context && (pd = ibv_alloc_pd(context)) && (cq = ibv_create_cq(context, 16, NULL, NULL, 0)));
    CHECK((mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)));
    ibv_free_device_list(devices);
}

static void write_over(struct ibv_qp *qp) {
    struct ibv_sge sge = {(uintptr_t)memory, 8, mr->lkey};
    struct ibv_send_wr *bad, wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
        .wr.rdma = {.remote_addr = (uintptr_t)memory, .rkey = mr->rkey}};
    CHECK(ibv_post_send(qp, &wr, &bad) == 0);
}

static void send_over(struct ibv_qp *from, struct ibv_qp *to, struct ibv_srq *srq) {
    struct ibv_sge sge = {(uintptr_t)memory, 8, mr->lkey};
    struct ibv_recv_wr receive = {.sg_list = &sge, .num_sge = 1}, *bad_receive;
    struct ibv_send_wr send = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
    CHECK((srq ? ibv_post_srq_recv(srq, &receive, &bad_receive) : ibv_post_recv(to, &receive, &bad_receive)) == 0);
    CHECK(ibv_post_send(from, &send, &bad) == 0);
}

/* One request over a pair of its own, which its failure ends. */
static void one_status(char kind) {
    struct ibv_srq *srq = kind == 'S' ? make_srq() : NULL;
    struct ibv_qp *from = make_qp(IBV_QPT_RC, NULL), *to = make_qp(IBV_QPT_RC, srq);
    connect_to(from, to);
    connect_to(to, from);
    if (kind == 'W') {
        write_over(from);
    } else {
        send_over(from, to, srq);
    }
    struct ibv_wc wc = next();
    while (wc.qp_num != (kind == 'W' ? from : to)->qp_num) {
        wc = next();
    }
    printf("%c %d\n", kind, wc.status);
    CHECK(ibv_destroy_qp(from) == 0 && ibv_destroy_qp(to) == 0 && (!srq || ibv_destroy_srq(srq) == 0));
}

static void statuses(char **counts) {
    static const char KINDS[] = "WRS";
    open_simply();
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < atoi(counts[kind]); i++) {
            one_status(KINDS[kind]);
        }
    }
}

/* Two polls, of which the first has a completion. */
static void poll_once(void) {
    struct ibv_device **devices = ibv_get_device_list(NULL);
    struct ibv_cq *found;
    struct ibv_wc wc[4];
    void *tag;
    context = ibv_open_device(devices[0]);
    CHECK(context && (pd = ibv_alloc_pd(context)) && (completions = ibv_create_comp_channel(context)));
    CHECK((cq = ibv_create_cq(context, 16, NULL, completions, 0)) && (mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE
        | IBV_ACCESS_REMOTE_WRITE)));
    struct ibv_qp *from = make_qp(IBV_QPT_RC, NULL), *to = make_qp(IBV_QPT_RC, NULL);
    connect_to(from, to);
    connect_to(to, from);
    CHECK(ibv_req_notify_cq(cq, 0) == 0);
    write_over(from);
    CHECK(ibv_get_cq_event(completions, &found, &tag) == 0);
    for (int i = 0; i < 2; i++) {
        int polled = ibv_poll_cq(cq, 4, wc);
        printf("poll %d\n", polled);
    }
}

/* ---- the events of connections ---- */

static void add_qp(struct rdma_cm_id *id) {
    struct ibv_qp_init_attr init = {.qp_type = id->qp_type, .sq_sig_all = 1, .cap = {.max_send_wr = 4, .max_recv_wr = 4,
        .max_send_sge = 1, .max_recv_sge = 1}};
    CHECK(rdma_create_qp(id, NULL, &init) == 0);
}

static void finish(struct rdma_cm_id *id) {
    if (id->qp) {
        rdma_destroy_qp(id);
    }
    CHECK(rdma_destroy_id(id) == 0);
}

/* The next event of an id; those of the other side are answered, and not told. */
static enum rdma_cm_event_type event_at(struct rdma_cm_id *id, struct rdma_cm_id **server) {
    while (true) {
        struct rdma_cm_event *event;
        CHECK(rdma_get_cm_event(channel, &event) == 0);
        enum rdma_cm_event_type type = event->event;
        bool is_own = event->id == id;
        if (is_own && type != RDMA_CM_EVENT_DISCONNECTED && (event->status || type == RDMA_CM_EVENT_REJECTED)) {
            printf("%s %d\n", rdma_event_str(type), event->status);
        }
        if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
            *server = event->id;
            add_qp(*server);
            CHECK(rdma_accept(*server, NULL) == 0);
        }
        CHECK(rdma_ack_cm_event(event) == 0);
        if (is_own) {
            return type;
        }
    }
}

/* Connects, as far as that goes; whether it went. */
static bool try_to_connect(struct rdma_cm_id *client, struct rdma_cm_id **server) {
    CHECK(rdma_resolve_addr(client, NULL, (struct sockaddr *)&address, 1000) == 0);
    if (event_at(client, server) != RDMA_CM_EVENT_ADDR_RESOLVED) {
        return false;
    }
    CHECK(rdma_resolve_route(client, 1000) == 0);
    if (event_at(client, server) != RDMA_CM_EVENT_ROUTE_RESOLVED) {
        return false;
    }
    add_qp(client);
    CHECK(rdma_connect(client, &(struct rdma_conn_param){.retry_count = 7}) == 0);
    return event_at(client, server) == RDMA_CM_EVENT_ESTABLISHED;
}

static void try_group(void) {
    struct rdma_cm_id *id = make_id(RDMA_PS_UDP), *server = NULL;
    struct sockaddr_in own = address;
    own.sin_port = 0;
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&own) == 0 && rdma_join_multicast(id, (struct sockaddr *)&group, NULL) == 0);
    CHECK(event_at(id, &server) == RDMA_CM_EVENT_MULTICAST_ERROR);
    finish(id);
}

/* Connects, writes, and tells the three events that a fault makes then. */
static void last_events(void) {
    struct rdma_cm_id *client = make_id(RDMA_PS_TCP), *server = NULL;
    CHECK(try_to_connect(client, &server));
    CHECK((mr = ibv_reg_mr(client->pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE)));
    write_over(client->qp);
    for (int told = 0; told < 3;) {
        enum rdma_cm_event_type type = event_at(client, &server);
        if (type == RDMA_CM_EVENT_DISCONNECTED || type == RDMA_CM_EVENT_DEVICE_REMOVAL || type == RDMA_CM_EVENT_ADDR_CHANGE) {
            printf("%s\n", rdma_event_str(type));
            told++;
        }
    }
    CHECK(ibv_dereg_mr(mr) == 0);
    finish(server);
    finish(client);
}

/* Connects, writes, and waits for the event of a device that fails then. */
static void removal(void) {
    CHECK((channel = rdma_create_event_channel()));
    struct rdma_cm_id *listener = listen_at(0), *client = make_id(RDMA_PS_TCP), *server = NULL;
    CHECK(try_to_connect(client, &server));
    CHECK((mr = ibv_reg_mr(client->pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE)));
    write_over(client->qp);
    while (event_at(client, &server) != RDMA_CM_EVENT_DEVICE_REMOVAL) {
        CHECK(server);
    }
    puts("removed");
    CHECK(ibv_dereg_mr(mr) == 0);
    finish(server);
    finish(client);
    finish(listener);
}

static void connections(int tries) {
    CHECK((channel = rdma_create_event_channel()));
    struct rdma_cm_id *listener = listen_at(0);
    for (int i = 0; i < tries; i++) {
        struct rdma_cm_id *client = make_id(RDMA_PS_TCP), *server = NULL;
        if (try_to_connect(client, &server)) {
            puts("connected");
        }
        if (server) {
            finish(server);
        }
        finish(client);
    }
    try_group();
    last_events();
    finish(listener);
}

/* ---- the device ---- */

static void fatal(void) {
    struct ibv_async_event event;
    open_simply();
    struct ibv_qp *from = make_qp(IBV_QPT_RC, NULL), *to = make_qp(IBV_QPT_RC, NULL);
    connect_to(from, to);
    connect_to(to, from);
    write_over(from);
    do {
        CHECK(ibv_get_async_event(context, &event) == 0);
        ibv_ack_async_event(&event);
    } while (event.event_type != IBV_EVENT_DEVICE_FATAL);
    printf("event %d\n", event.event_type);
    CHECK(!ibv_alloc_pd(context) && errno == EIO);
    struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET};
    CHECK(ibv_modify_qp(from, &reset, IBV_QP_STATE) == EIO);
    struct ibv_port_attr port;
    CHECK(ibv_query_port(context, 1, &port) == EIO);
}

int main(int count, char **arguments) {
    CHECK(count >= 3 && inet_pton(AF_INET, arguments[1], &address.sin_addr) == 1);
    address.sin_family = AF_INET;
    group.sin_addr.s_addr = htonl(0xef070707);
    switch (arguments[2][0]) {
        case 'v':
            verbs();
            break;
        case 's':
            CHECK(count == 6);
            statuses(&arguments[3]);
            break;
        case 'c':
            CHECK(count == 4);
            connections(atoi(arguments[3]));
            break;
        case 'r':
            removal();
            break;
        case 'p':
            poll_once();
            break;
        default:
            fatal();
    }
    puts("all right");
    return 0;
}
