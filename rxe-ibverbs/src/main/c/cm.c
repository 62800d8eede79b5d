#include "address.h"
#include "cm.h"
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The functions of librdmacm on one id. This half has the structures the program sees, the objects that librdmacm makes for a program
 * (the protection domain; cmqueues.c has its queues), and the waiting of synchronous ids; what is sent when is decided in Java.
 */

enum { MAX_READS = 128, EXACTLY = 2, RATE_2_5_GBPS = 2, HOP_LIMIT = 64 };

static struct rxe_cm_id *own(struct rdma_cm_id *id) {
    return (struct rxe_cm_id *)id;
}

/* ---- the device ---- */

/* Opens the devices of all NICs, of one at an address the program binds to; null for any. An errno. */
static int open_devices(const struct sockaddr *bound) {
    HOLD(&rxe_cm_device_lock);
    int status = rxe_cm_devices->context ? 0 : rxe_claim_bound_address(bound);
    for (unsigned nic = 0; !status && nic < rxe_nic_count(); nic++) {
        struct rxe_cm_device *device = &rxe_cm_devices[nic];
        if (!device->context && !(device->context = rxe_open_device(rxe_device(nic)))) {
            status = errno;
        }
    }
    return status;
}

static struct ibv_pd *shared_pd(unsigned nic) {
    /* Not with the lock, which a fork waits for. */
    int status = rxe_start();
    if (status) {
        errno = status;
        return NULL;
    }
    HOLD(&rxe_cm_device_lock);
    if (!rxe_cm_devices[nic].pd) {
        rxe_cm_devices[nic].pd = ibv_alloc_pd(rxe_cm_devices[nic].context);
    }
    return rxe_cm_devices[nic].pd;
}

/* Gives an id that has a handle its device, which must be open. An errno. */
static int bind_device(struct rxe_cm_id *id) {
    return id->base.verbs || shared_pd(rxe_nic_of_handle(id->handle)) ? rxe_cm_bind_device(id) : errno;
}

/* Makes the counterpart of an id on a NIC in Java. An errno. */
static int create_on(struct rxe_cm_id *id, unsigned nic, int *handle) {
    int created = up(UP_CM_CREATE, (int)nic, ADDRESS(&id->base), id->base.ps);
    *handle = created < 0 ? 0 : created;
    return created < 0 ? -created : 0;
}

/*
 * Opens the devices for an id, if necessary at the address it is to be bound to, and makes its counterpart: on the NIC at that address,
 * else on the one by which packets leave for a peer. Each may be null. An errno.
 */
static int begin(struct rxe_cm_id *id, const struct sockaddr *bound, const struct sockaddr *peer) {
    int status = id->handle ? 0 : open_devices(bound);
    return id->handle || status ? status : create_on(id, peer ? rxe_nic_towards(peer) : rxe_nic_at(bound), &id->handle);
}

/* The contexts are those of ids, too: they are never closed. */
PUBLIC struct ibv_context **rdma_get_devices(int *count) {
    int status = open_devices(NULL);
    status = status ? status : rxe_refusal(0, "rdma_get_devices");
    struct ibv_context **list = status ? NULL : calloc(MOST_NICS + 1, sizeof *list);
    unsigned found = list ? rxe_nic_count() : 0;
    for (unsigned nic = 0; nic < found; nic++) {
        list[nic] = rxe_cm_devices[nic].context;
    }
    if (count) {
        *count = (int)found;
    }
    errno = status ? status : errno;
    return list;
}

PUBLIC void rdma_free_devices(struct ibv_context **list) {
    free(list);
}

/* ---- ids ---- */

static int create_id(struct rdma_event_channel *channel, struct rdma_cm_id **created, void *context, int port_space, int qp_type) {
    if (port_space != PS_TCP && port_space != PS_UDP && port_space != PS_IB) {
        rxe_say("port space 0x%x is not supported: use RDMA_PS_TCP, RDMA_PS_UDP or RDMA_PS_IB", (unsigned)port_space);
        return rxe_cm_result(EPROTONOSUPPORT);
    }
    if (channel) {
        REQUIRE_LIVE(channel);
    }
    int status = rxe_refusal(0, "rdma_create_id");
    if (status) {
        return rxe_cm_result(status);
    }
    struct rxe_cm_id *id = rxe_cm_new_id(context, port_space, qp_type);
    status = id ? rxe_cm_join_channel(id, (struct rxe_cm_channel *)channel) : ENOMEM;
    if (status) {
        if (id) {
            rxe_cm_free_id(id);
        }
        return rxe_cm_result(status);
    }
    *created = &id->base;
    return 0;
}

PUBLIC int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, int port_space) {
    return create_id(channel, id, context, port_space, port_space == PS_UDP ? QPT_UD : QPT_RC);
}

PUBLIC int rdma_destroy_id(struct rdma_cm_id *base) {
    REQUIRE_LIVE(base);
    struct rxe_cm_id *id = own(base);
    int status = id->handle ? rxe_refusal(rxe_nic_of_handle(id->handle), "rdma_destroy_id") : 0;
    status = !status && id->handle ? up(UP_CM_DESTROY, id->handle) : status;
    for (int i = 0; !status && i < MOST_NICS - 1; i++) {
        status = id->further[i] ? up(UP_CM_DESTROY, id->further[i]) : 0;
    }
    if (status) {
        return rxe_cm_result(status);
    }
    if (base->event) {
        rdma_ack_cm_event(base->event);
    }
    struct rdma_cm_id *request;
    while ((request = rxe_cm_leave_channel(id))) {
        rdma_destroy_id(request);
    }
    rxe_cm_await_acknowledged(id);
    rdma_freeaddrinfo(id->resolved);
    rxe_cm_free_id(id);
    return 0;
}

/* ---- addresses and routes ---- */

static socklen_t length_of(const struct sockaddr *address) {
    return address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static int check_family(const struct sockaddr *address) {
    return address && (address->sa_family == AF_INET || address->sa_family == AF_INET6) ? 0 : EINVAL;
}

/* It is as it was before it had a NIC: the program may bind it, or resolve an address, on another one. */
static void leave_nic(struct rxe_cm_id *id) {
    up(UP_CM_DESTROY, id->handle);
    id->handle = 0;
    id->base.verbs = NULL;
    id->base.pd = NULL;
    id->base.port_num = 0;
}

static int bind_source(struct rxe_cm_id *id, const struct sockaddr *source) {
    int status = check_family(source);
    bool had_nic = id->handle;
    if (status || (status = begin(id, source, NULL))) {
        return status;
    }
    struct sockaddr_storage before = id->base.route.addr.src_storage;
    memcpy(&id->base.route.addr.src_storage, source, length_of(source));
    rxe_replace_source(&id->base.route.addr.src_storage);
    status = up(UP_CM_BIND, id->handle, id->reuse_port, id->family_only);
    if (status) {
        /* It is as bound as before: the program may bind it elsewhere, also by rdma_resolve_addr. */
        id->base.route.addr.src_storage = before;
        if (!had_nic) {
            leave_nic(id);
        }
    }
    return status || rxe_is_any_address(source) ? status : bind_device(id);
}

PUBLIC int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address) {
    REQUIRE_LIVE(id);
    return rxe_cm_result(bind_source(own(id), address));
}

/* Whether the NIC may take another address of loopback than the peer's: the program names none, or the peer's for both ends. */
static bool leaves_source_open(const struct sockaddr *source, const struct sockaddr *destination) {
    const struct sockaddr_in *from = (const struct sockaddr_in *)source, *to = (const struct sockaddr_in *)destination;
    return !source || !source->sa_family || rxe_is_any_address(source)
        || (source->sa_family == AF_INET && destination->sa_family == AF_INET && from->sin_addr.s_addr == to->sin_addr.s_addr);
}

static int resolve_address(struct rxe_cm_id *id, const struct sockaddr *source, const struct sockaddr *destination) {
    int status = check_family(destination);
    if (!status && leaves_source_open(source, destination)) {
        rxe_avoid_address(destination);
    }
    /* An id that is bound stays where it is. */
    if (!status && source && source->sa_family && !id->base.route.addr.src_addr.sa_family) {
        status = bind_source(id, source);
    }
    bool had_nic = id->handle;
    if (status || (status = begin(id, NULL, destination))) {
        return status;
    }
    memcpy(&id->base.route.addr.dst_storage, destination, length_of(destination));
    status = bind_device(id);
    status = status ? status : up(UP_CM_RESOLVE_ADDR, id->handle, id->reuse_port);
    if (status && !had_nic) {
        leave_nic(id);
    }
    return status;
}

/* The timeout is for the resolution of hardware addresses, which is the kernel's here. */
PUBLIC int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *source, struct sockaddr *destination, int timeout_ms) {
    REQUIRE_LIVE(id);
    (void)timeout_ms;
    int status = resolve_address(own(id), source, destination);
    return status ? rxe_cm_result(status) : rxe_cm_complete(own(id));
}

/* A path record as rdma_cm makes one up on RoCE. */
static int describe_path(struct rdma_cm_id *id) {
    struct ibv_sa_path_rec *path = id->route.path_rec ? id->route.path_rec : calloc(1, sizeof *path);
    if (!path) {
        return ENOMEM;
    }
    const struct rdma_addr *addr = &id->route.addr;
    *path = (struct ibv_sa_path_rec){.sgid = addr->sgid, .dgid = addr->dgid, .hop_limit = HOP_LIMIT, .reversible = 1, .numb_path = 1,
        .pkey = addr->pkey, .traffic_class = (uint8_t)own(id)->traffic_class, .mtu_selector = EXACTLY,
        .mtu = (uint8_t)rxe_find_port(&addr->sgid).mtu, .rate_selector = EXACTLY, .rate = RATE_2_5_GBPS,
        .packet_life_time_selector = EXACTLY};
    id->route.path_rec = path;
    id->route.num_paths = 1;
    return 0;
}

PUBLIC int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms) {
    REQUIRE_LIVE(id);
    (void)timeout_ms;
    int status = own(id)->handle ? describe_path(id) : EINVAL;
    if (!status) {
        status = up(UP_CM_RESOLVE_ROUTE, own(id)->handle);
    }
    return status ? rxe_cm_result(status) : rxe_cm_complete(own(id));
}

static uint16_t port_of(const struct sockaddr *address) {
    /* At the same place in both families. */
    return address->sa_family == AF_INET || address->sa_family == AF_INET6 ? ((const struct sockaddr_in *)address)->sin_port : 0;
}

PUBLIC uint16_t rdma_get_src_port(struct rdma_cm_id *id) {
    return rxe_is_live(id) ? port_of(&id->route.addr.src_addr) : 0;
}

PUBLIC uint16_t rdma_get_dst_port(struct rdma_cm_id *id) {
    return rxe_is_live(id) ? port_of(&id->route.addr.dst_addr) : 0;
}

/* ---- connections ---- */

PUBLIC int rdma_init_qp_attr(struct rdma_cm_id *id, void *attr, int *mask) {
    REQUIRE_LIVE(id);
    int status = rxe_refusal(0, "rdma_init_qp_attr");
    return rxe_cm_result(status ? status
        : own(id)->handle ? up(UP_CM_INIT_QP_ATTR, own(id)->handle, ADDRESS(attr), ADDRESS(mask)) : EINVAL);
}

static int qp_handle(const struct rdma_cm_id *id) {
    return id->qp ? (int)id->qp->handle : 0;
}

static void destroy_further(struct rxe_cm_id *id) {
    for (int i = 0; i < MOST_NICS - 1; i++) {
        if (id->further[i]) {
            up(UP_CM_DESTROY, id->further[i]);
            id->further[i] = 0;
        }
    }
}

/* An id at any address listens on all NICs or on none: the first, which has decided the port, comes last. An errno. */
static int listen_everywhere(struct rxe_cm_id *id, int backlog) {
    if (id->further[0]) {
        return EINVAL;
    }
    int status = 0;
    for (unsigned nic = 1; !status && !id->base.verbs && nic < rxe_nic_count(); nic++) {
        int *handle = &id->further[nic - 1];
        status = shared_pd(nic) ? create_on(id, nic, handle) : errno;
        status = status ? status : up(UP_CM_BIND, *handle, id->reuse_port, id->family_only);
        status = status ? status : up(UP_CM_LISTEN, *handle, backlog);
    }
    status = status ? status : up(UP_CM_LISTEN, id->handle, backlog);
    if (status) {
        destroy_further(id);
    }
    return status;
}

PUBLIC int rdma_listen(struct rdma_cm_id *id, int backlog) {
    static const struct sockaddr_in ANY = {.sin_family = AF_INET};
    REQUIRE_LIVE(id);
    bool unbound = !id->route.addr.src_addr.sa_family && rxe_nic_count() > 1;
    int status = unbound ? bind_source(own(id), (const struct sockaddr *)&ANY) : begin(own(id), NULL, NULL);
    /* What requests will need, before the first arrives. */
    if (!status && !shared_pd(rxe_nic_of_handle(own(id)->handle))) {
        status = errno;
    }
    return rxe_cm_result(status ? status : listen_everywhere(own(id), backlog));
}

/* More than the device has is refused, but for the value that stands for all it has. */
static int check_depths(const struct rdma_conn_param *param) {
    return param && ((param->responder_resources > MAX_READS && param->responder_resources != UINT8_MAX)
        || (param->initiator_depth > MAX_READS && param->initiator_depth != UINT8_MAX)) ? EINVAL : 0;
}

PUBLIC int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param) {
    REQUIRE_LIVE(id);
    struct rxe_cm_id *self = own(id);
    int status = self->handle ? check_depths(param) : EINVAL;
    if (!status) {
        status = up(UP_CM_CONNECT, self->handle, qp_handle(id), ADDRESS(param), self->ack_timeout, self->traffic_class, id->srq != NULL);
    }
    return status ? rxe_cm_result(status) : rxe_cm_complete(self);
}

PUBLIC int rdma_establish(struct rdma_cm_id *id) {
    REQUIRE_LIVE(id);
    return rxe_cm_result(own(id)->handle ? up(UP_CM_ESTABLISH, own(id)->handle) : EINVAL);
}

/* A datagram service is not established, so that there is nothing to wait for. */
PUBLIC int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param) {
    REQUIRE_LIVE(id);
    int status = own(id)->handle ? check_depths(param) : EINVAL;
    if (!status) {
        status = up(UP_CM_ACCEPT, own(id)->handle, qp_handle(id), ADDRESS(param));
    }
    if (status || id->qp_type == QPT_UD) {
        return rxe_cm_result(status);
    }
    if (id->qp) {
        id->qp->state = QPS_RTS;
    }
    return rxe_cm_complete(own(id));
}

PUBLIC int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t length) {
    REQUIRE_LIVE(id);
    return rxe_cm_result(own(id)->handle ? up(UP_CM_REJECT, own(id)->handle, ADDRESS(data), (int)length) : EINVAL);
}

PUBLIC int rdma_notify(struct rdma_cm_id *id, int event) {
    REQUIRE_LIVE(id);
    return rxe_cm_result(own(id)->handle && event == EVENT_COMM_EST ? up(UP_CM_NOTIFY, own(id)->handle) : EINVAL);
}

PUBLIC int rdma_disconnect(struct rdma_cm_id *id) {
    REQUIRE_LIVE(id);
    int status = own(id)->handle ? up(UP_CM_DISCONNECT, own(id)->handle) : EINVAL;
    /* No event follows the last one. */
    return status || own(id)->had_last_event ? rxe_cm_result(status) : rxe_cm_complete(own(id));
}

/* Several threads may wait for requests of one listener: only what is no request is left in it, for the program to look at. */
PUBLIC int rdma_get_request(struct rdma_cm_id *listener, struct rdma_cm_id **id) {
    REQUIRE_LIVE(listener);
    struct rxe_cm_id *self = own(listener);
    struct rdma_cm_event *event;
    if (!self->synchronous) {
        return rxe_cm_result(EINVAL);
    }
    rxe_cm_end_event(listener);
    if (rxe_cm_take_event(listener->channel, &event) != 0) {
        return -1;
    }
    if (event->status || event->event != CM_CONNECT_REQUEST) {
        listener->event = event;
        return rxe_cm_result(event->status ? event->status : EINVAL);
    }
    struct rdma_cm_id *request = event->id;
    if (self->request_attr) {
        struct ibv_qp_init_attr attr = *self->request_attr;
        attr.qp_type = request->qp_type;
        if (rdma_create_qp(request, self->request_pd, &attr) != 0) {
            int failure = errno;
            rdma_ack_cm_event(event);
            rdma_destroy_id(request);
            return rxe_cm_result(failure);
        }
    }
    request->event = event;
    *id = request;
    return 0;
}

/* ---- endpoints: an id with all that belongs to it ---- */

static int prepare_endpoint(struct rdma_cm_id *id, const struct rdma_addrinfo *info, struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
    enum { TIMEOUT_MS = 2000 };
    if (info->ai_flags & RAI_PASSIVE) {
        if (rdma_bind_addr(id, info->ai_src_addr) != 0) {
            return -1;
        }
        id->pd = pd ? pd : id->pd;
        own(id)->request_pd = pd;
        own(id)->request_attr = attr ? malloc(sizeof *attr) : NULL;
        if (own(id)->request_attr) {
            *own(id)->request_attr = *attr;
        }
        return attr && !own(id)->request_attr ? rxe_cm_result(ENOMEM) : 0;
    }
    if (rdma_resolve_addr(id, info->ai_src_addr, info->ai_dst_addr, TIMEOUT_MS) != 0 || rdma_resolve_route(id, TIMEOUT_MS) != 0) {
        return -1;
    }
    if (attr) {
        attr->qp_type = info->ai_qp_type;
        return rdma_create_qp(id, pd, attr);
    }
    return 0;
}

PUBLIC void rdma_destroy_ep(struct rdma_cm_id *id) {
    rdma_destroy_qp(id);
    rdma_destroy_srq(id);
    rdma_destroy_id(id);
}

PUBLIC int rdma_create_ep(struct rdma_cm_id **created, struct rdma_addrinfo *info, struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
    struct rdma_cm_id *id;
    if (create_id(NULL, &id, NULL, info->ai_port_space, info->ai_qp_type) != 0) {
        return -1;
    }
    if (prepare_endpoint(id, info, pd, attr) != 0) {
        int failure = errno;
        rdma_destroy_ep(id);
        return rxe_cm_result(failure);
    }
    *created = id;
    return 0;
}

/* ---- multicast groups ---- */

/* @param qp handle of the queue pair that receives what is sent to the group; 0 for none. */
static int join(struct rdma_cm_id *id, int qp, struct sockaddr *group, void *context) {
    int status = own(id)->handle && id->verbs ? check_family(group) : EINVAL;
    if (!status) {
        status = up(UP_CM_JOIN, own(id)->handle, qp, ADDRESS(group), ADDRESS(context));
    }
    return status ? rxe_cm_result(status) : rxe_cm_complete(own(id));
}

PUBLIC int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *group, void *context) {
    REQUIRE_LIVE(id);
    return join(id, qp_handle(id), group, context);
}

PUBLIC int rdma_join_multicast_ex(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *attr, void *context) {
    REQUIRE_LIVE(id);
    if (attr->comp_mask & ~(uint32_t)(JOIN_ADDRESS | JOIN_FLAGS)) {
        return rxe_cm_result(EOPNOTSUPP);
    }
    if (attr->comp_mask != (JOIN_ADDRESS | JOIN_FLAGS) || attr->join_flags > JOIN_TO_SEND) {
        return rxe_cm_result(EINVAL);
    }
    return join(id, attr->join_flags == JOIN_TO_SEND ? 0 : qp_handle(id), attr->addr, context);
}

PUBLIC int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *group) {
    REQUIRE_LIVE(id);
    int status = check_family(group);
    if (!status) {
        status = own(id)->handle ? up(UP_CM_LEAVE, own(id)->handle, qp_handle(id), ADDRESS(group)) : EADDRNOTAVAIL;
    }
    return rxe_cm_result(status);
}

/* ---- options ---- */

/* With AFONLY, an id that is bound to any address of the family that the NIC has not is no obstacle to another on the same port. */
PUBLIC int rdma_set_option(struct rdma_cm_id *base, int level, int name, void *value, size_t length) {
    REQUIRE_LIVE(base);
    struct rxe_cm_id *id = own(base);
    size_t expected = name == OPTION_ID_REUSEADDR || name == OPTION_ID_AFONLY ? sizeof(int) : 1;
    if (level != OPTION_ID || name < OPTION_ID_TOS || name > OPTION_ID_ACK_TIMEOUT) {
        return rxe_cm_result(ENOSYS);
    }
    int status = length != expected ? EINVAL : rxe_refusal(0, "rdma_set_option");
    if (status) {
        return rxe_cm_result(status);
    }
    switch (name) {
        case OPTION_ID_TOS:
            id->traffic_class = *(uint8_t *)value;
            break;
        case OPTION_ID_REUSEADDR:
            id->reuse_port = *(int *)value != 0;
            break;
        case OPTION_ID_ACK_TIMEOUT:
            id->ack_timeout = *(uint8_t *)value;
            break;
        default:
            id->family_only = *(int *)value != 0;
    }
    return 0;
}

/* ---- what cannot be done ---- */

PUBLIC int rdma_set_local_ece(struct rdma_cm_id *id, void *ece) {
    REQUIRE_LIVE(id);
    (void)id, (void)ece;
    return rxe_cm_result(EOPNOTSUPP);
}

/* Three words of zero: no vendor, no options. */
PUBLIC int rdma_get_remote_ece(struct rdma_cm_id *id, void *ece) {
    REQUIRE_LIVE(id);
    (void)id;
    memset(ece, 0, 3 * sizeof(uint32_t));
    return 0;
}

/* We never offer such options, so that no peer can be rejected for its own. */
PUBLIC int rdma_reject_ece(struct rdma_cm_id *id, const void *data, uint8_t length) {
    REQUIRE_LIVE(id);
    (void)id, (void)data, (void)length;
    return rxe_cm_result(EOPNOTSUPP);
}
