#include "address.h"
#include "pkeys.h"
#include "results.h"
#include "rxe.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The device list and the queries, all answered without the JVM. The limits of an object are those of
 * io.rxe.verbs.DeviceAttributes (a test compares), the numbers of objects smaller.
 */

/* The table of GIDs has empty entries, too: programs must be ready for them. */
enum { GIDS = 2, GID_TABLE = 8, GID_TYPE_ROCE_V2 = 2, COMPAT_PORT_ATTR_SIZE = 50 };
/* What the heap of the JVM has room for, each alone and queues with one entry; at least 1.5 times as many were made. */
enum { QUEUE_PAIRS = 1 << 15, QUEUES = 1 << 17, REGIONS = 1 << 18, WINDOWS = 1 << 19, DOMAINS = 1 << 18 };
enum { NO_VENDOR = 0xffffff, KHZ_OF_NANOSECONDS = 1000000 };
/* AUTO_PATH_MIG, SYS_IMAGE_GUID, RC_RNR_NAK_GEN, SRQ_RESIZE, MEM_WINDOW, XRC, MEM_MGT_EXTENSIONS, MEM_WINDOW_TYPE_2B */
enum { CAPABILITIES = 1 << 4 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 17 | 1 << 20 | 1 << 21 | 1 << 24 };
/* FLUSH_GLOBAL and ATOMIC_WRITE. */
static const uint64_t EXTENDED_CAPABILITIES = UINT64_C(1) << 38 | UINT64_C(1) << 40;

/* No memory is pinned, so that every operation copes with pages that are not there. XRC has no receive queues but shared ones. */
enum {
    ODP_DATAGRAMS = ODP_SEND | ODP_RECV | ODP_SRQ_RECV,
    ODP_RELIABLE = ODP_DATAGRAMS | ODP_WRITE | ODP_READ | ODP_ATOMIC | ODP_FLUSH | ODP_ATOMIC_WRITE
};

/* Zeroes behind each device: programs for particular adapters look there. */
#define DEVICE(number) {.device = { \
    .node_type = NODE_CA, .transport_type = TRANSPORT_IB, .name = "rxe" #number, .dev_name = "uverbs" #number, \
    .dev_path = "/sys/class/infiniband_verbs/uverbs" #number, .ibdev_path = "/sys/class/infiniband/rxe" #number}}

static struct rxe_device {
    struct ibv_device device;
    char behind[64];
} devices[] = {DEVICE(0), DEVICE(1), DEVICE(2), DEVICE(3), DEVICE(4), DEVICE(5), DEVICE(6), DEVICE(7)};

_Static_assert(sizeof devices / sizeof *devices == MOST_NICS, "each NIC is a device");

struct ibv_device *rxe_device(unsigned nic) {
    return &devices[nic].device;
}

static unsigned nic_of_device(const struct ibv_device *device) {
    return (unsigned)((const struct rxe_device *)device - devices);
}

/* ---- the list ---- */

PUBLIC struct ibv_device **ibv_get_device_list(int *count) {
    int status = rxe_refusal(0, "get_device_list");
    struct ibv_device **list = status ? NULL : calloc(MOST_NICS + 1, sizeof *list);
    unsigned found = list ? rxe_nic_count() : 0;
    for (unsigned i = 0; i < found; i++) {
        list[i] = rxe_device(i);
    }
    if (count) {
        *count = (int)found;
    }
    errno = status ? status : errno;
    return list;
}

PUBLIC void ibv_free_device_list(struct ibv_device **list) {
    free(list);
}

PUBLIC const char *ibv_get_device_name(struct ibv_device *device) {
    return device->name;
}

PUBLIC int ibv_get_device_index(struct ibv_device *device) {
    return (int)nic_of_device(device);
}

PUBLIC uint64_t ibv_get_device_guid(struct ibv_device *device) {
    union ibv_gid gid;
    return rxe_gid(nic_of_device(device), &gid) == 0 ? rxe_guid(&gid) : 0;
}

/* ---- contexts ---- */

static void fill_operations(struct rxe_context *context) {
    context->verbs.query_port = rxe_query_port;
    context->verbs.advise_mr = rxe_advise_mr;
    context->verbs.alloc_parent_domain = rxe_alloc_parent_domain;
    context->verbs.alloc_td = rxe_alloc_td;
    context->verbs.dealloc_td = rxe_dealloc_td;
    context->verbs.open_xrcd = rxe_open_xrcd;
    context->verbs.close_xrcd = rxe_close_xrcd;
    context->verbs.create_srq_ex = rxe_create_srq_ex;
    context->verbs.get_srq_num = rxe_get_srq_num;
    context->verbs.create_cq_ex = rxe_create_cq_ex;
    context->verbs.query_device_ex = rxe_query_device_ex;
    context->verbs.create_qp_ex = rxe_create_qp_ex;
    context->verbs.sz = sizeof context->verbs;
    context->verbs.context.ops.alloc_mw = rxe_alloc_mw;
    context->verbs.context.ops.bind_mw = rxe_bind_mw;
    context->verbs.context.ops.dealloc_mw = rxe_dealloc_mw;
    context->verbs.context.ops.poll_cq = rxe_poll_cq;
    context->verbs.context.ops.req_notify_cq = rxe_req_notify_cq;
    context->verbs.context.ops.post_srq_recv = rxe_post_srq_recv;
    context->verbs.context.ops.post_send = rxe_post_send;
    context->verbs.context.ops.post_recv = rxe_post_recv;
    context->verbs.context.abi_compat = EXTENDED_ABI;
}

struct ibv_context *rxe_open_device(struct ibv_device *device) {
    struct rxe_context *context = calloc(1, sizeof *context);
    struct rxe_pkeys pkeys;
    int status = context ? rxe_read_pkeys(&pkeys) : ENOMEM;
    status = status ? status : rxe_claim_addresses();
    if (!status) {
        context->nic = nic_of_device(device);
    }
    if (!status && (status = event_queue_open(&context->async)) == 0 && !rxe_remember_context(context)) {
        event_queue_close(&context->async);
        status = ENOMEM;
    }
    if (status) {
        free(context);
        errno = status;
        return NULL;
    }
    fill_operations(context);
    context->verbs.context.device = device;
    context->verbs.context.cmd_fd = context->verbs.context.async_fd = context->async.fd;
    /* As rdma_rxe: UCX asks for the vector of its processor. All are one here. */
    context->verbs.context.num_comp_vectors = (int)sysconf(_SC_NPROCESSORS_CONF);
    pthread_mutex_init(&context->verbs.context.mutex, NULL);
    return &context->verbs.context;
}

PUBLIC struct ibv_context *ibv_open_device(struct ibv_device *device) {
    return result(rxe_refusal(nic_of_device(device), "open_device")) ? NULL : rxe_open_device(device);
}

PUBLIC int ibv_close_device(struct ibv_context *context) {
    if (context->async_fd < 0) {
        errno = EINVAL;
        return -1;
    }
    if (result(rxe_refusal(context_of(context)->nic, "close_device"))) {
        return -1;
    }
    up_if_running(UP_CLOSE_CONTEXT, context_of(context)->nic, context);
    context->cmd_fd = context->async_fd = -1;
    rxe_forget_context(context_of(context));
    event_queue_close(&context_of(context)->async);
    rxe_bury(context_of(context));
    return 0;
}

/* ---- queries ---- */

static void fill_device_attr(struct ibv_context *context, struct ibv_device_attr *attr) {
    union ibv_gid gid;
    struct rxe_pkeys pkeys;
    rxe_read_pkeys(&pkeys);
    *attr = (struct ibv_device_attr){
        .fw_ver = "0.1", .max_mr_size = UINT64_C(1) << 46, .page_size_cap = 0xfffff000,
        .max_qp = QUEUE_PAIRS, .max_qp_wr = 32768, .max_sge = 32, .max_sge_rd = 32, .max_cq = QUEUES, .max_cqe = 4194304,
        .max_mr = REGIONS, .max_mw = WINDOWS, .max_pd = DOMAINS, .max_qp_rd_atom = 128, .max_res_rd_atom = 1 << 24,
        .max_qp_init_rd_atom = 128, .atomic_cap = 1, .max_mcast_grp = 8192, .max_mcast_qp_attach = 56,
        .max_total_mcast_qp_attach = 8192 * 56, .max_ah = 1 << 20,
        .max_srq = QUEUES, .max_srq_wr = 32768, .max_srq_sge = 32, .max_pkeys = (uint16_t)pkeys.count, .local_ca_ack_delay = 8,
        .phys_port_cnt = 1, .vendor_id = NO_VENDOR, .device_cap_flags = CAPABILITIES};
    if (rxe_gid(context_of(context)->nic, &gid) == 0) {
        attr->node_guid = attr->sys_image_guid = rxe_guid(&gid);
    }
}

PUBLIC int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr) {
    fill_device_attr(context, attr);
    return result(rxe_refusal(context_of(context)->nic, "query_device"));
}

/* The program may have been built with a shorter or a longer structure. */
int rxe_query_device_ex(struct ibv_context *context, const void *input, struct ibv_device_attr_ex *attr, size_t size) {
    struct ibv_device_attr_ex all = {.phys_port_cnt_ex = 1, .completion_timestamp_mask = UINT64_MAX,
        .hca_core_clock = KHZ_OF_NANOSECONDS, .xrc_odp_caps = ODP_RELIABLE & ~ODP_RECV,
        .odp_caps = {.general_caps = ODP_SUPPORT | ODP_SUPPORT_IMPLICIT, .rc_odp_caps = ODP_RELIABLE,
            .uc_odp_caps = ODP_DATAGRAMS | ODP_WRITE, .ud_odp_caps = ODP_DATAGRAMS}};
    int status = size < sizeof all.orig_attr || (input && *(const uint32_t *)input) ? EINVAL
        : rxe_refusal(context_of(context)->nic, "query_device");
    if (status) {
        return status;
    }
    fill_device_attr(context, &all.orig_attr);
    all.device_cap_flags_ex = all.orig_attr.device_cap_flags | EXTENDED_CAPABILITIES;
    memset(attr, 0, size);
    memcpy(attr, &all, size < sizeof all ? size : sizeof all);
    return 0;
}

int rxe_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size) {
    union ibv_gid gid;
    struct rxe_pkeys pkeys;
    unsigned nic = context_of(context)->nic;
    /* As the kernel does once an adapter is gone. */
    int status = port != 1 ? EINVAL : rxe_has_failed(nic) ? EIO : rxe_gid(nic, &gid);
    if (status || (status = rxe_read_pkeys(&pkeys)) || (status = rxe_refusal(nic, "query_port"))) {
        return status;
    }
    struct rxe_port found = rxe_find_port(&gid);
    bool up = found.up && !rxe_port_is_down(nic);
    struct ibv_port_attr all = {
        /* ACTIVE or DOWN, 4096 bytes, CM_SUP and IP_BASED_GIDS, 1X of 2.5 Gbit/s as rdma_rxe says, LinkUp or Disabled, Ethernet */
        .state = up ? 4 : 1, .max_mtu = 5, .active_mtu = found.mtu, .gid_tbl_len = GID_TABLE,
        .port_cap_flags = 1 << 16 | 1 << 26, .max_msg_sz = UINT32_C(1) << 31,
        .bad_pkey_cntr = (uint32_t)up_if_running(UP_BAD_PKEYS, nic, NULL), .pkey_tbl_len = (uint16_t)pkeys.count, .max_vl_num = 1,
        .active_width = 1, .active_speed = 1, .phys_state = up ? 5 : 3, .link_layer = 2};
    memset(attr, 0, size);
    memcpy(attr, &all, size < sizeof all ? size : sizeof all);
    return 0;
}

/* Of programs older than the extended interface: their structure ends earlier. */
PUBLIC int ibv_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr) {
    return rxe_query_port(context, port, attr, COMPAT_PORT_ATTR_SIZE);
}

PUBLIC int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid) {
    int status = port == 1 && index >= 0 && index < GID_TABLE ? rxe_refusal(context_of(context)->nic, "query_gid") : EINVAL;
    if (!status && index >= GIDS) {
        memset(gid, 0, sizeof *gid);
        return 0;
    }
    status = status ? status : rxe_gid(context_of(context)->nic, gid);
    errno = status ? status : errno;
    return status ? -1 : 0;
}

/* rdma_rxe has a link-local GID at index 0 and that of the address at index 1. Here both are that of the address. */
PUBLIC int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
                             size_t size) {
    struct ibv_gid_entry all = {.gid_index = index, .port_num = 1, .gid_type = GID_TYPE_ROCE_V2};
    int status = port != 1 || index >= GID_TABLE || flags ? EINVAL : rxe_refusal(context_of(context)->nic, "query_gid");
    if (status) {
        return status;
    }
    status = index < GIDS ? rxe_gid(context_of(context)->nic, &all.gid) : ENODATA;
    if (status == 0) {
        all.ndev_ifindex = rxe_find_port(&all.gid).interface_index;
        memset(entry, 0, size);
        memcpy(entry, &all, size < sizeof all ? size : sizeof all);
    }
    return status;
}

PUBLIC ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t most, uint32_t flags, size_t size) {
    if (most < GIDS) {
        return -EINVAL;
    }
    for (size_t i = 0; i < GIDS; i++) {
        int status = _ibv_query_gid_ex(context, 1, (uint32_t)i, (struct ibv_gid_entry *)((char *)entries + i * size), flags, size);
        if (status) {
            return -status;
        }
    }
    return GIDS;
}

PUBLIC int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned index, int *type) {
    (void)context;
    if (port != 1 || index >= GID_TABLE) {
        errno = EINVAL;
        return -1;
    }
    /* In this older call 1 is RoCE version 2. */
    *type = 1;
    return 0;
}

PUBLIC int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, uint16_t *pkey) {
    struct rxe_pkeys pkeys;
    int status = rxe_read_pkeys(&pkeys) || port != 1 || index < 0 || index >= pkeys.count ? EINVAL
        : rxe_refusal(context_of(context)->nic, "query_pkey");
    if (status) {
        errno = status;
        return -1;
    }
    *pkey = pkeys.keys[index];
    return 0;
}

PUBLIC int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, uint16_t pkey) {
    struct rxe_pkeys pkeys;
    (void)context;
    int index = rxe_read_pkeys(&pkeys) || port != 1 ? -1 : rxe_pkey_index(&pkeys, pkey);
    errno = index < 0 ? EINVAL : errno;
    return index;
}

/* ---- asynchronous events ---- */

PUBLIC int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event) {
    struct event next;
    if (result(rxe_refusal(context_of(context)->nic, "get_async_event")) || event_queue_pop(&context_of(context)->async, &next) != 0) {
        return -1;
    }
    event->element = next.element;
    event->event_type = next.type;
    return 0;
}
