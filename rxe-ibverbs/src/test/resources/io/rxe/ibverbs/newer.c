/*
 * What libibverbs and librdmacm have since rdma-core 44, and FLUSH, in one process whose NIC connects to itself. A program that is built
 * with newer headers calls it; here it is looked up by name and declared as those headers have it, so that older ones are enough.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>

#include "pair.h"

enum { IOVA = 1 << 0, ADDR = 1 << 1, FD = 1 << 2, FD_OFFSET = 1 << 3, DMAH = 1 << 4, BUF = 1 << 5 };
enum { ADDRINFO_RESOLVED = 16, EVENT_USER = 18, SUBNET_ADMINISTRATION = 1 << 4 };
enum { EX_WITH_FLUSH = 1 << 11, FLUSH_GLOBAL = 1 << 8, FLUSH_PERSISTENT = 1 << 9 };
enum { TO_GLOBAL = 1 << 0, TO_PERSISTENT = 1 << 1, FLUSH_RANGE = 0 };
enum { LENGTH = 8192, ACCESS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE };

struct attributes {
    size_t length;
    int access;
    uint64_t comp_mask, iova;
    void *addr;
    int fd;
    uint64_t fd_offset;
    void *dmah, *buf;
};

static void *function(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) {
        printf("no %s\n", name);
        _exit(1);
    }
    return found;
}

#define CALL(type, name, parameters) ((type (*) parameters)function(name))
#define NOTHING(call, number) CHECK((errno = 0, (call) == NULL) && errno == (number))

static struct ibv_mr *reg_mr_ex(struct ibv_pd *pd, struct attributes attributes) {
    return CALL(struct ibv_mr *, "ibv_reg_mr_ex", (struct ibv_pd *, struct attributes *))(pd, &attributes);
}

/* Writes the first half of a region to the second, each by the addresses that the region has. */
static void copy(struct ibv_pd *pd, const struct ibv_mr *mr, uint64_t iova) {
    struct ibv_cq *cq = ibv_create_cq(context, 8, NULL, NULL, 0);
    struct ibv_qp *left = create(pd, cq, 2), *right = create(pd, cq, 2);
    struct ibv_sge sge = {.addr = iova, .length = LENGTH / 2, .lkey = mr->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = {.remote_addr = iova + LENGTH / 2, .rkey = mr->rkey}}, *bad;
    struct ibv_wc wc;
    CHECK(cq && left && right);
    connect_to(left, right);
    connect_to(right, left);
    memset(mr->addr, 'a', LENGTH / 2);
    CHECK(ibv_post_send(left, &wr, &bad) == 0);
    while (ibv_poll_cq(cq, 1, &wc) == 0) {
    }
    CHECK(wc.status == IBV_WC_SUCCESS && memcmp(mr->addr, (char *)mr->addr + LENGTH / 2, LENGTH / 2) == 0);
    CHECK(ibv_destroy_qp(left) == 0 && ibv_destroy_qp(right) == 0 && ibv_destroy_cq(cq) == 0);
}

static void regions(struct ibv_pd *pd) {
    const uint64_t iova = UINT64_C(0x123456789000);
    void *memory = aligned_alloc(4096, LENGTH);
    struct attributes attributes = {.length = LENGTH, .access = ACCESS, .comp_mask = ADDR, .addr = memory};
    struct ibv_mr *mr = reg_mr_ex(pd, attributes);
    CHECK(mr && mr->context == context && mr->pd == pd && mr->addr == memory && mr->length == LENGTH);
    copy(pd, mr, (uintptr_t)memory);
    CHECK(ibv_dereg_mr(mr) == 0);
    attributes.comp_mask = ADDR | IOVA;
    attributes.iova = iova;
    CHECK((mr = reg_mr_ex(pd, attributes)));
    copy(pd, mr, iova);
    CHECK(ibv_dereg_mr(mr) == 0);
    for (uint64_t mask = 0; mask < 1 << 7; mask++) {
        bool is_known = !(mask & ~(uint64_t)(IOVA | ADDR | FD | FD_OFFSET | BUF));
        bool is_file = (mask & (FD | FD_OFFSET | IOVA | ADDR | BUF)) == (FD | FD_OFFSET | IOVA);
        if ((mask & ~(uint64_t)IOVA) != ADDR && !(mask & BUF)) {
            attributes.comp_mask = mask;
            NOTHING(reg_mr_ex(pd, attributes), !is_known || is_file ? EOPNOTSUPP : EINVAL);
        }
    }
    free(memory);
}

static enum ibv_wc_status flush(struct ibv_qp *qp, const struct ibv_mr *mr, uint8_t type) {
    struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
    struct ibv_wc wc;
    /* Behind the last function that the header of rdma-core 44 has. */
    void (*wr_flush)(struct ibv_qp_ex *, uint32_t, uint64_t, size_t, uint8_t, uint8_t);
    memcpy(&wr_flush, (char *)&ex->wr_atomic_write + sizeof ex->wr_atomic_write, sizeof wr_flush);
    ibv_wr_start(ex);
    ex->wr_flags = IBV_SEND_SIGNALED;
    wr_flush(ex, mr->rkey, (uintptr_t)mr->addr, mr->length, type, FLUSH_RANGE);
    CHECK(ibv_wr_complete(ex) == 0);
    while (ibv_poll_cq(qp->send_cq, 1, &wc) == 0) {
    }
    return wc.status;
}

/* A FLUSH of a type that a queue pair, or only the region, does not grant. */
static enum ibv_wc_status flush_between(struct ibv_pd *pd, unsigned granted, uint8_t type) {
    char *memory = aligned_alloc(4096, LENGTH);
    struct ibv_mr *mr = ibv_reg_mr(pd, memory, LENGTH, ACCESS | FLUSH_GLOBAL);
    struct ibv_cq *cq = ibv_create_cq(context, 8, NULL, NULL, 0);
    struct ibv_qp_init_attr_ex init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .pd = pd,
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .send_ops_flags = EX_WITH_FLUSH,
        .cap = {.max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *left = ibv_create_qp_ex(context, &init), *right = create(pd, cq, 2);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS, .qp_access_flags = granted};
    CHECK(mr && cq && left && right);
    connect_to(left, right);
    connect_to(right, left);
    CHECK(ibv_modify_qp(right, &attr, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS) == 0);
    CHECK(ibv_query_qp(right, &attr, IBV_QP_ACCESS_FLAGS, &(struct ibv_qp_init_attr){0}) == 0 && attr.qp_access_flags == granted);
    enum ibv_wc_status status = flush(left, mr, type);
    CHECK(ibv_destroy_qp(left) == 0 && ibv_destroy_qp(right) == 0 && ibv_destroy_cq(cq) == 0 && ibv_dereg_mr(mr) == 0);
    free(memory);
    return status;
}

static void flushes(struct ibv_pd *pd) {
    CHECK(flush_between(pd, FLUSH_GLOBAL, TO_GLOBAL) == IBV_WC_SUCCESS);
    CHECK(flush_between(pd, FLUSH_GLOBAL | FLUSH_PERSISTENT, TO_PERSISTENT) == IBV_WC_REM_ACCESS_ERR);
    CHECK(flush_between(pd, FLUSH_GLOBAL, TO_PERSISTENT) == IBV_WC_REM_INV_REQ_ERR);
}

static void buffers(struct ibv_pd *pd, struct ibv_pd *other) {
    void *buf = NULL;
    char *memory = CALL(void *, "ibv_alloc_buf", (struct ibv_pd *, size_t, void **))(pd, LENGTH, &buf);
    struct ibv_mr *(*reg)(struct ibv_pd *, void *, void *, size_t, int) = function("ibv_reg_buf_mr");
    CHECK(memory && buf && (uintptr_t)memory % (uintptr_t)sysconf(_SC_PAGESIZE) == 0);
    struct ibv_mr *mr = reg(pd, buf, memory, LENGTH, ACCESS);
    CHECK(mr && mr->addr == memory);
    copy(pd, mr, (uintptr_t)memory);
    CHECK(ibv_dereg_mr(mr) == 0);
    CHECK((mr = reg(pd, buf, memory + LENGTH - 1, 1, ACCESS)) && ibv_dereg_mr(mr) == 0);
    NOTHING(reg(pd, buf, memory + 1, LENGTH, ACCESS), EINVAL);
    NOTHING(reg(pd, buf, memory - 1, 2, ACCESS), EINVAL);
    NOTHING(reg(pd, buf, memory + LENGTH + 1, 0, ACCESS), EINVAL);
    NOTHING(reg(other, buf, memory, LENGTH, ACCESS), EINVAL);
    CHECK(CALL(int, "ibv_export_buf_dmabuf_fd", (void *))(buf) == -1 && errno == ENODATA);
    CALL(void, "ibv_free_buf", (void *))(buf);
}

/* A number stands for an object that nothing makes. */
static void refused(struct ibv_pd *pd) {
    uint64_t value, object[2] = {(uintptr_t)context};
    NOTHING(CALL(void *, "ibv_alloc_dmah", (struct ibv_context *, void *))(context, object), EOPNOTSUPP);
    NOTHING(CALL(void *, "ibv_create_comp_cntr", (struct ibv_context *, void *))(context, object), EOPNOTSUPP);
    CHECK(CALL(int, "ibv_query_port_speed", (struct ibv_context *, uint32_t, uint64_t *))(context, 1, &value) == EOPNOTSUPP);
    CHECK(CALL(int, "_ibv_query_comp_cntr_caps", (struct ibv_context *, void *, size_t))(context, object, sizeof object) == EOPNOTSUPP);
    CHECK(object[0] == 0 && object[1] == 0);
    CHECK(CALL(int, "ibv_qp_attach_comp_cntr", (void *, void *, void *))(pd, object, object) == EOPNOTSUPP);
    CHECK(CALL(int, "ibv_dm_export_dmabuf_fd", (void *))(object) == -1 && errno == EOPNOTSUPP);
    for (const char *const *name = (const char *const[]){"ibv_dealloc_dmah", "ibv_destroy_comp_cntr", NULL}; *name; name++) {
        CHECK(CALL(int, *name, (void *))(object) == EOPNOTSUPP);
    }
    for (const char *const *name = (const char *const[]){"set", "inc", NULL}; *name; name++) {
        char plain[32], of_errors[32];
        snprintf(plain, sizeof plain, "ibv_%s_comp_cntr", *name);
        snprintf(of_errors, sizeof of_errors, "ibv_%s_err_comp_cntr", *name);
        CHECK(CALL(int, plain, (void *, uint64_t))(object, 1) == EOPNOTSUPP);
        CHECK(CALL(int, of_errors, (void *, uint64_t))(object, 1) == EOPNOTSUPP);
    }
    CHECK(CALL(int, "ibv_read_comp_cntr", (void *, uint64_t *))(object, &value) == EOPNOTSUPP);
    CHECK(CALL(int, "ibv_read_err_comp_cntr", (void *, uint64_t *))(object, &value) == EOPNOTSUPP);
}

static void expect(struct rdma_event_channel *channel, struct rdma_cm_id *id, int type, int status, uint64_t argument) {
    struct rdma_cm_event *event;
    CHECK(rdma_get_cm_event(channel, &event) == 0);
    CHECK(event->id == id && (int)event->event == type && event->status == status && !event->listen_id);
    CHECK(*(uint64_t *)&event->param == argument && rdma_ack_cm_event(event) == 0);
}

static void connections(const char *address) {
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_addrinfo hints = {.ai_port_space = RDMA_PS_TCP, .ai_flags = RAI_NUMERICHOST}, *info = NULL;
    struct rdma_cm_id *id, *waits;
    int (*write_event)(struct rdma_cm_id *, int, int, uint64_t) = function("rdma_write_cm_event");
    int (*query)(struct rdma_cm_id *, struct rdma_addrinfo **) = function("rdma_query_addrinfo");
    int (*resolve)(struct rdma_cm_id *, const char *, const char *, const struct rdma_addrinfo *) = function("rdma_resolve_addrinfo");
    CHECK(channel && rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(write_event(id, EVENT_USER, -7, UINT64_C(0x8877665544332211)) == 0);
    expect(channel, id, EVENT_USER, -7, UINT64_C(0x8877665544332211));
    CHECK(write_event(id, RDMA_CM_EVENT_ESTABLISHED, 0, 0) == -1 && errno == EINVAL);

    CHECK(query(id, &info) == -1 && errno == ENOENT);
    CHECK(resolve(id, address, "4711", &hints) == 0);
    CHECK(resolve(id, address, "4711", &hints) == -1 && errno == EBUSY);
    expect(channel, id, ADDRINFO_RESOLVED, 0, 0);
    CHECK(query(id, &info) == 0 && ntohs(((struct sockaddr_in *)info->ai_dst_addr)->sin_port) == 4711 && info->ai_qp_type == IBV_QPT_RC);
    CHECK(query(id, &info) == -1 && errno == ENOENT);
    rdma_freeaddrinfo(info);
    CHECK(strcmp(rdma_event_str((enum rdma_cm_event_type)ADDRINFO_RESOLVED), "RDMA_CM_EVENT_ADDRINFO_RESOLVED") == 0);
    /* A failure is that of the call, and nothing waits then. */
    CHECK(resolve(id, "not a number", "4711", &hints) == -1 && errno == EADDRNOTAVAIL);
    hints.ai_flags = SUBNET_ADMINISTRATION;
    CHECK(resolve(id, NULL, "0x1234", &hints) == -1 && errno == EOPNOTSUPP);
    CHECK(resolve(id, address, "4712", NULL) == 0);
    expect(channel, id, ADDRINFO_RESOLVED, 0, 0);
    /* The answer that nobody took goes with the id. */
    CHECK(rdma_destroy_id(id) == 0);
    rdma_destroy_event_channel(channel);

    CHECK(rdma_create_id(NULL, &waits, NULL, RDMA_PS_TCP) == 0);
    CHECK(resolve(waits, address, "4713", NULL) == 0 && query(waits, &info) == 0 && info->ai_dst_addr);
    rdma_freeaddrinfo(info);
    CHECK(rdma_destroy_id(waits) == 0);
}

int main(int count, char *arguments[]) {
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(count == 2 && list && (context = ibv_open_device(list[0])));
    struct ibv_pd *pd = ibv_alloc_pd(context), *other = ibv_alloc_pd(context);
    CHECK(pd && other);
    regions(pd);
    flushes(pd);
    buffers(pd, other);
    refused(pd);
    connections(arguments[1]);
    CHECK(ibv_dealloc_pd(pd) == 0 && ibv_dealloc_pd(other) == 0 && ibv_close_device(context) == 0);
    ibv_free_device_list(list);
    printf("all right\n");
    return 0;
}
