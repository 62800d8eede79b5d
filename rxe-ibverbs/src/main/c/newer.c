#include "results.h"
#include "rxe.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Functions of libibverbs that came after rdma-core 44. Regions by attributes, and buffers, are what libibverbs makes of older verbs for a
 * provider without them. The rest the provider of rdma_rxe has not: handles of DMA, counters of completions, the speed in use.
 */

struct ibv_buf {
    struct ibv_pd *pd;
    void *addr;
    size_t size;
};

/* ---- buffers ---- */

PUBLIC void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf) {
    int status = rxe_refusal(context_of(pd->context)->nic, "alloc_buf");
    struct ibv_buf *made = status ? NULL : calloc(1, sizeof *made);
    if (made && posix_memalign(&made->addr, (size_t)sysconf(_SC_PAGESIZE), size) == 0) {
        made->pd = pd;
        made->size = size;
        *buf = made;
        return made->addr;
    }
    return object_or_error(made, -(status ? status : ENOMEM));
}

PUBLIC void ibv_free_buf(struct ibv_buf *buf) {
    free(buf->addr);
    free(buf);
}

/* No buffer lies in a dma-buf. */
PUBLIC int ibv_export_buf_dmabuf_fd(struct ibv_buf *buf) {
    (void)buf;
    errno = ENODATA;
    return -1;
}

/* ---- regions by attributes ---- */

static bool lies_in_buffer(const struct ibv_pd *pd, const struct ibv_mr_init_attr *attr) {
    uintptr_t offset = (uintptr_t)attr->addr - (uintptr_t)attr->buf->addr;
    return pd == attr->buf->pd && offset <= attr->buf->size && attr->length <= attr->buf->size - offset;
}

PUBLIC struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr) {
    uint64_t mask = attr->comp_mask;
    if (mask & ~(uint64_t)(REG_MR_IOVA | REG_MR_ADDR | REG_MR_FD | REG_MR_FD_OFFSET | REG_MR_BUF)) {
        unsupported();
        return NULL;
    }
    bool in_file = mask & REG_MR_FD;
    bool is_wrong = in_file ? mask & (REG_MR_ADDR | REG_MR_BUF) || ~mask & (REG_MR_FD_OFFSET | REG_MR_IOVA)
        : !(mask & REG_MR_ADDR) || mask & REG_MR_FD_OFFSET || (mask & REG_MR_BUF && !lies_in_buffer(pd, attr));
    if (is_wrong) {
        errno = EINVAL;
        return NULL;
    }
    return in_file ? ibv_reg_dmabuf_mr(pd, attr->fd_offset, attr->length, attr->iova, attr->fd, attr->access)
        : ibv_reg_mr_iova2(pd, attr->addr, attr->length, mask & REG_MR_IOVA ? attr->iova : (uintptr_t)attr->addr, (unsigned)attr->access);
}

PUBLIC struct ibv_mr *ibv_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access) {
    struct ibv_mr_init_attr attr = {.length = length, .access = access, .comp_mask = REG_MR_BUF | REG_MR_ADDR, .addr = addr, .buf = buf};
    return ibv_reg_mr_ex(pd, &attr);
}

/* ---- what cannot be done; of what cannot be made there is no object either ---- */

PUBLIC void *ibv_alloc_dmah(struct ibv_context *context, void *attr) {
    (void)context, (void)attr;
    unsupported();
    return NULL;
}

PUBLIC int ibv_dealloc_dmah(void *dmah) {
    (void)dmah;
    return unsupported();
}

PUBLIC int ibv_dm_export_dmabuf_fd(void *dm) {
    (void)dm;
    unsupported();
    return -1;
}

PUBLIC int ibv_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed) {
    (void)context, (void)port, (void)speed;
    return unsupported();
}

PUBLIC int _ibv_query_comp_cntr_caps(struct ibv_context *context, void *caps, size_t size) {
    (void)context;
    memset(caps, 0, size);
    return unsupported();
}

PUBLIC void *ibv_create_comp_cntr(struct ibv_context *context, void *attr) {
    (void)context, (void)attr;
    unsupported();
    return NULL;
}

PUBLIC int ibv_destroy_comp_cntr(void *counter) {
    (void)counter;
    return unsupported();
}

PUBLIC int ibv_set_comp_cntr(void *counter, uint64_t value) {
    (void)counter, (void)value;
    return unsupported();
}

PUBLIC int ibv_set_err_comp_cntr(void *counter, uint64_t value) {
    (void)counter, (void)value;
    return unsupported();
}

PUBLIC int ibv_inc_comp_cntr(void *counter, uint64_t amount) {
    (void)counter, (void)amount;
    return unsupported();
}

PUBLIC int ibv_inc_err_comp_cntr(void *counter, uint64_t amount) {
    (void)counter, (void)amount;
    return unsupported();
}

PUBLIC int ibv_read_comp_cntr(void *counter, uint64_t *value) {
    (void)counter, (void)value;
    return unsupported();
}

PUBLIC int ibv_read_err_comp_cntr(void *counter, uint64_t *value) {
    (void)counter, (void)value;
    return unsupported();
}

PUBLIC int ibv_qp_attach_comp_cntr(struct ibv_qp *qp, void *counter, void *attr) {
    (void)qp, (void)counter, (void)attr;
    return unsupported();
}
