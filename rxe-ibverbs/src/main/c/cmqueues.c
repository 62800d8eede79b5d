#include "cm.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* The queue pairs and shared receive queues of ids, and the completion queues and XRC domain that librdmacm makes for them. */

/* The XRC domain of all queue pairs and shared receive queues that ids on a NIC have; null with errno. */
static struct ibv_xrcd *shared_xrcd(struct ibv_context *context) {
    struct ibv_xrcd_init_attr attr = {.comp_mask = XRCD_INIT_ATTR_FD | XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT};
    /* Not with the lock, which a fork waits for. */
    int status = rxe_start();
    if (status) {
        errno = status;
        return NULL;
    }
    HOLD(&rxe_cm_device_lock);
    struct rxe_cm_device *device = &rxe_cm_devices[nic_of(context)];
    if (!device->xrcd) {
        device->xrcd = rxe_open_xrcd(context, &attr);
    }
    return device->xrcd;
}

/* Keeps errno. */
static void destroy_queue(struct ibv_comp_channel **channel, struct ibv_cq **queue) {
    int error = errno;
    if (*queue) {
        ibv_destroy_cq(*queue);
    }
    if (*channel) {
        ibv_destroy_comp_channel(*channel);
    }
    *queue = NULL;
    *channel = NULL;
    errno = error;
}

static void destroy_queues(struct rdma_cm_id *id) {
    /* A program may have given the id one for both. */
    if (id->send_cq == id->recv_cq) {
        id->send_cq = NULL;
    }
    if (id->send_cq_channel == id->recv_cq_channel) {
        id->send_cq_channel = NULL;
    }
    destroy_queue(&id->send_cq_channel, &id->send_cq);
    destroy_queue(&id->recv_cq_channel, &id->recv_cq);
}

/* A completion queue of an id, for a program that gave none. */
static struct ibv_cq *queue_for(struct rdma_cm_id *id, uint32_t requests, struct ibv_comp_channel **channel, struct ibv_cq **queue) {
    *channel = ibv_create_comp_channel(id->verbs);
    *queue = *channel ? ibv_create_cq(id->verbs, requests ? (int)requests : 1, id, *channel, 0) : NULL;
    return *queue;
}

/*
 * Those the id has already go before new ones. A queue pair that receives over XRC needs a completion queue nevertheless: that of the
 * shared receive queue, which follows or has made it already.
 */
static int add_queues(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr) {
    bool sends = attr->qp_type != XRC_RECEIVE_QP, receives = attr->qp_type != XRC_SEND_QP;
    if (sends && !attr->send_cq) {
        attr->send_cq = id->send_cq;
    }
    if (receives && !attr->recv_cq) {
        attr->recv_cq = id->recv_cq;
    }
    if ((sends && !attr->send_cq && !(attr->send_cq = queue_for(id, attr->cap.max_send_wr, &id->send_cq_channel, &id->send_cq)))
        || (receives && !attr->recv_cq
            && !(attr->recv_cq = queue_for(id, attr->cap.max_recv_wr, &id->recv_cq_channel, &id->recv_cq)))) {
        return errno;
    }
    if (!sends && (!(attr->comp_mask & QP_INIT_ATTR_XRCD) || !attr->xrcd)) {
        attr->comp_mask |= QP_INIT_ATTR_XRCD;
        attr->xrcd = shared_xrcd(id->verbs);
        return attr->xrcd ? 0 : errno;
    }
    return 0;
}

static int create_qp(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr) {
    if (!(attr->comp_mask & QP_INIT_ATTR_PD) || !attr->pd) {
        attr->comp_mask |= QP_INIT_ATTR_PD;
        attr->pd = id->pd;
    }
    if (!attr->srq) {
        attr->srq = id->srq;
    }
    int status = add_queues(id, attr);
    struct ibv_qp *qp = status ? NULL : rxe_create_qp_ex(id->verbs, attr);
    status = status ? status : qp ? up(UP_CM_PREPARE_QP, (int)qp->handle) : errno;
    if (qp && status) {
        ibv_destroy_qp(qp);
    } else if (qp) {
        qp->state = qp->qp_type == QPT_UD ? QPS_RTS : QPS_INIT;
        id->qp = qp;
        id->pd = qp->pd ? qp->pd : id->pd;
    }
    return status;
}

PUBLIC int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr) {
    REQUIRE_LIVE(id);
    if (id->qp || !id->verbs) {
        return rxe_cm_result(EINVAL);
    }
    /* The program's, or that of a shared receive queue for XRC. */
    bool had_send_queue = id->send_cq, had_receive_queue = id->recv_cq;
    int status = create_qp(id, attr);
    if (status && !had_send_queue) {
        destroy_queue(&id->send_cq_channel, &id->send_cq);
    }
    if (status && !had_receive_queue) {
        destroy_queue(&id->recv_cq_channel, &id->recv_cq);
    }
    return rxe_cm_result(status);
}

/* The extended structure begins with this one. */
PUBLIC int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
    struct ibv_qp_init_attr_ex extended = {.comp_mask = QP_INIT_ATTR_PD, .pd = pd};
    memcpy(&extended, attr, offsetof(struct ibv_qp_init_attr_ex, comp_mask));
    int status = rdma_create_qp_ex(id, &extended);
    attr->cap = extended.cap;
    return status;
}

PUBLIC void rdma_destroy_qp(struct rdma_cm_id *id) {
    if (!rxe_is_live(id) || !id->qp) {
        return;
    }
    /* A shared receive queue for XRC reports to the completion queue of the id. */
    bool keeps = id->srq && id->qp->qp_type == XRC_RECEIVE_QP;
    /* One that is attached to a group stays, and the id has it no more: as librdmacm does. */
    ibv_destroy_qp(id->qp);
    id->qp = NULL;
    if (!keeps) {
        destroy_queues(id);
    }
}

/* Gives it the protection domain of the id where the program left it out. */
static struct ibv_srq *create_basic_srq(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr) {
    struct ibv_pd *pd = attr->comp_mask & SRQ_INIT_ATTR_PD && attr->pd ? attr->pd : id->pd;
    struct ibv_srq *srq = ibv_create_srq(pd, (struct ibv_srq_init_attr *)attr);
    if (srq) {
        attr->pd = pd;
        attr->comp_mask |= SRQ_INIT_ATTR_PD;
    }
    return srq;
}

/* Gives it what the program left out: protection domain, XRC domain and completion queue of the id. */
static struct ibv_srq *create_xrc_srq(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr) {
    struct ibv_srq_init_attr_ex full = *attr;
    bool had_queue = id->recv_cq;
    if (!(attr->comp_mask & SRQ_INIT_ATTR_PD) || !attr->pd) {
        full.pd = id->pd;
    }
    if (!(attr->comp_mask & SRQ_INIT_ATTR_XRCD) || !attr->xrcd) {
        full.xrcd = shared_xrcd(id->verbs);
    }
    if (!(attr->comp_mask & SRQ_INIT_ATTR_CQ) || !attr->cq) {
        full.cq = id->recv_cq ? id->recv_cq : queue_for(id, attr->max_wr, &id->recv_cq_channel, &id->recv_cq);
    }
    full.comp_mask = SRQ_INIT_ATTR_TYPE | SRQ_INIT_ATTR_PD | SRQ_INIT_ATTR_XRCD | SRQ_INIT_ATTR_CQ;
    full.srq_type = SRQT_XRC;
    struct ibv_srq *srq = full.xrcd && full.cq ? rxe_create_srq_ex(id->verbs, &full) : NULL;
    if (srq) {
        *attr = full;
    } else if (!had_queue) {
        destroy_queue(&id->recv_cq_channel, &id->recv_cq);
    }
    return srq;
}

PUBLIC int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr) {
    REQUIRE_LIVE(id);
    bool typed = attr->comp_mask & SRQ_INIT_ATTR_TYPE;
    bool is_xrc = typed ? attr->srq_type == SRQT_XRC : id->qp_type == XRC_RECEIVE_QP;
    uint32_t known = SRQ_INIT_ATTR_TYPE | SRQ_INIT_ATTR_PD | (is_xrc ? SRQ_INIT_ATTR_XRCD | SRQ_INIT_ATTR_CQ : 0);
    if (attr->comp_mask & ~known || (typed && !is_xrc && attr->srq_type != SRQT_BASIC)) {
        return rxe_cm_result(EOPNOTSUPP);
    }
    if (id->srq || !id->verbs) {
        return rxe_cm_result(EINVAL);
    }
    id->srq = is_xrc ? create_xrc_srq(id, attr) : create_basic_srq(id, attr);
    if (id->srq) {
        id->pd = id->srq->pd;
    }
    return id->srq ? 0 : -1;
}

/* The extended structure begins with this one. */
PUBLIC int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr) {
    struct ibv_srq_init_attr_ex extended = {.comp_mask = SRQ_INIT_ATTR_PD, .pd = pd};
    memcpy(&extended, attr, offsetof(struct ibv_srq_init_attr_ex, comp_mask));
    int status = rdma_create_srq_ex(id, &extended);
    memcpy(attr, &extended, offsetof(struct ibv_srq_init_attr_ex, comp_mask));
    return status;
}

PUBLIC void rdma_destroy_srq(struct rdma_cm_id *id) {
    if (rxe_is_live(id) && id->srq && ibv_destroy_srq(id->srq) == 0) {
        id->srq = NULL;
        if (!id->qp) {
            destroy_queues(id);
        }
    }
}
