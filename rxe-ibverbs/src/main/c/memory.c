#include "results.h"
#include "rxe.h"

/* Memory regions and memory windows. */

static int watch(const void *address, size_t bytes) {
    UNINTERRUPTED;
    return rxe_watch_memory(address, bytes);
}

static void unwatch(int number) {
    UNINTERRUPTED;
    if (number >= 0) {
        rxe_unwatch_memory(number);
    }
}

/* The memory is watched before any peer can use it. */
PUBLIC struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access) {
    struct rxe_mr *mr = calloc(1, sizeof *mr);
    int number = mr ? watch(addr, length) : -1;
    int handle = number < 0 ? -ENOMEM
        : up(UP_REG_MR, (int)pd->handle, ADDRESS(addr), LONG(length), LONG(iova), (int)access, ADDRESS(mr));
    if (!(mr = object_or_error(mr, handle))) {
        unwatch(number);
        return NULL;
    }
    mr->watch = number;
    mr->base.context = pd->context;
    mr->base.pd = pd;
    mr->base.addr = addr;
    mr->base.length = length;
    mr->base.handle = (uint32_t)handle;
    return &mr->base;
}

PUBLIC struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access) {
    return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, (unsigned)access);
}

PUBLIC struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access) {
    return ibv_reg_mr_iova2(pd, addr, length, iova, (unsigned)access);
}

PUBLIC int ibv_dereg_mr(struct ibv_mr *mr) {
    int status = up(UP_DEREG_MR, (int)mr->handle);
    if (!status) {
        unwatch(((struct rxe_mr *)mr)->watch);
        mr->handle = (uint32_t)DESTROYED;
        rxe_bury(mr);
    }
    return result(status);
}

/*
 * A failure leaves the region as it was. IBV_REREG_MR_ERR_INPUT says so to the program; what only the NIC can judge is
 * IBV_REREG_MR_ERR_CMD, as behind libibverbs, and the program is to deregister the region.
 */
PUBLIC int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access) {
    bool translates = flags & REREG_MR_TRANSLATION;
    int known = REREG_MR_TRANSLATION | REREG_MR_PD | REREG_MR_ACCESS;
    int status = flags & ~known || (translates && (!addr || !length)) || (flags & REREG_MR_PD && !pd)
        || (access && !(flags & REREG_MR_ACCESS)) ? EINVAL : 0;
    bool well_formed = !status;
    int number = !status && translates ? watch(addr, length) : -1;
    if (!status && translates && number < 0) {
        status = ENOMEM;
    }
    if (!status) {
        status = up(UP_REREG_MR, (int)mr->handle, flags, flags & REREG_MR_PD ? (int)pd->handle : 0, ADDRESS(addr), LONG(length), access);
    }
    if (status) {
        unwatch(number);
        result(status);
        return well_formed ? REREG_MR_ERR_CMD : REREG_MR_ERR_INPUT;
    }
    if (flags & REREG_MR_PD) {
        mr->pd = pd;
    }
    if (translates) {
        unwatch(((struct rxe_mr *)mr)->watch);
        ((struct rxe_mr *)mr)->watch = number;
        mr->addr = addr;
        mr->length = length;
    }
    return 0;
}

int rxe_advise_mr(struct ibv_pd *pd, int advice, uint32_t flags, struct ibv_sge *list, uint32_t count) {
    int status = rxe_refusal(context_of(pd->context)->nic, "advise_mr");
    return result(status ? status : up(UP_ADVISE_MR, (int)pd->handle, advice, (int)flags, ADDRESS(list), (int)count));
}

struct ibv_mw *rxe_alloc_mw(struct ibv_pd *pd, int type) {
    struct ibv_mw *mw = calloc(1, sizeof *mw);
    int handle = mw ? up(UP_ALLOC_MW, (int)pd->handle, type, ADDRESS(mw)) : -ENOMEM;
    if ((mw = object_or_error(mw, handle))) {
        mw->context = pd->context;
        mw->pd = pd;
        mw->handle = (uint32_t)handle;
        mw->type = type;
    }
    return mw;
}

int rxe_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind) {
    return result(up(UP_BIND_MW, (int)qp->handle, ADDRESS(mw), ADDRESS(bind)));
}

int rxe_dealloc_mw(struct ibv_mw *mw) {
    int status = up(UP_DEALLOC_MW, (int)mw->handle);
    if (!status) {
        mw->handle = (uint32_t)DESTROYED;
        rxe_bury(mw);
    }
    return result(status);
}

PUBLIC struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access) {
    (void)pd, (void)offset, (void)length, (void)iova, (void)fd, (void)access;
    unsupported();
    return NULL;
}

PUBLIC struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle) {
    (void)pd, (void)handle;
    unsupported();
    return NULL;
}

PUBLIC void ibv_unimport_mr(struct ibv_mr *mr) {
    (void)mr;
}
