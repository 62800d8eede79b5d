/*
 * The structures of libibverbs that a program and this library share, declared here so that building needs no libibverbs-dev.
 * Their layout is the frozen binary interface of libibverbs: an enum is an int, what we never touch is a void pointer.
 * LayoutTest compares every structure with the real header.
 */
#ifndef RXE_ABI_H
#define RXE_ABI_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define EXTENDED_ABI ((void *)UINTPTR_MAX)

enum { NODE_CA = 1, TRANSPORT_IB = 0 };
enum { QPS_RESET = 0 };
enum { QP_STATE = 1 << 0 };
enum { SEND_INLINE = 1 << 3 };
/* sizeof(struct ibv_ah_attr), which Java reads; verbs.c has its fields. */
enum { AH_ATTR_SIZE = 32 };
enum {
    EVENT_CQ_ERR, EVENT_QP_FATAL, EVENT_QP_REQ_ERR, EVENT_QP_ACCESS_ERR, EVENT_COMM_EST, EVENT_SQ_DRAINED, EVENT_PATH_MIG,
    EVENT_PATH_MIG_ERR, EVENT_DEVICE_FATAL, EVENT_PORT_ACTIVE, EVENT_PORT_ERR, EVENT_SRQ_ERR = 14, EVENT_SRQ_LIMIT_REACHED,
    EVENT_QP_LAST_WQE_REACHED
};
enum { QP_INIT_ATTR_PD = 1 << 0, QP_INIT_ATTR_CREATE_FLAGS = 1 << 2, QP_INIT_ATTR_SEND_OPS_FLAGS = 1 << 6 };
enum { QP_INIT_ATTR_XRCD = 1 << 1 };
/* The send operations a queue pair has: all of ibv_qp_create_send_ops_flags but TSO. FLUSH is of libibverbs 45 and later. */
enum { SEND_OPS_TSO = 1 << 10, SEND_OPS_FLUSH = 1 << 11, SEND_OPS_ATOMIC_WRITE = 1 << 12, SUPPORTED_SEND_OPS = 0x1fff & ~SEND_OPS_TSO };
enum { XRC_SEND_QP = 9, XRC_RECEIVE_QP = 10 };
enum { WC_TIMESTAMP = 1 << 7, WC_WALLCLOCK = 1 << 11, WC_ALL_FLAGS = 0xfff };
enum { CREATE_CQ_ATTR_SINGLE_THREADED = 1 << 0, CREATE_CQ_ATTR_IGNORE_OVERRUN = 1 << 1 };
enum { CQ_INIT_ATTR_MASK_FLAGS = 1 << 0, CQ_INIT_ATTR_MASK_PD = 1 << 1 };
enum { SRQ_INIT_ATTR_TYPE = 1 << 0, SRQ_INIT_ATTR_PD = 1 << 1, SRQ_INIT_ATTR_XRCD = 1 << 2, SRQ_INIT_ATTR_CQ = 1 << 3 };
enum { SRQT_BASIC, SRQT_XRC };
enum { MW_TYPE_1 = 1, MW_TYPE_2 };
enum { ODP_SUPPORT = 1 << 0, ODP_SUPPORT_IMPLICIT = 1 << 1 };
/* Of a transport. FLUSH and ATOMIC_WRITE are of the kernel's interface. */
enum {
    ODP_SEND = 1 << 0, ODP_RECV = 1 << 1, ODP_WRITE = 1 << 2, ODP_READ = 1 << 3, ODP_ATOMIC = 1 << 4, ODP_SRQ_RECV = 1 << 5,
    ODP_FLUSH = 1 << 6, ODP_ATOMIC_WRITE = 1 << 7
};
enum { REREG_MR_TRANSLATION = 1 << 0, REREG_MR_PD = 1 << 1, REREG_MR_ACCESS = 1 << 2, REREG_MR_ERR_INPUT = -1,
    REREG_MR_ERR_CMD = -4 };
/* Of ibv_mr_init_attr, which is of libibverbs 61 and later. */
enum { REG_MR_IOVA = 1 << 0, REG_MR_ADDR = 1 << 1, REG_MR_FD = 1 << 2, REG_MR_FD_OFFSET = 1 << 3, REG_MR_BUF = 1 << 5 };
enum { XRCD_INIT_ATTR_FD = 1 << 0, XRCD_INIT_ATTR_OFLAGS = 1 << 1 };
enum { PARENT_DOMAIN_ALLOCATORS = 1 << 0, PARENT_DOMAIN_PD_CONTEXT = 1 << 1 };
enum {
    WR_RDMA_WRITE, WR_RDMA_WRITE_WITH_IMM, WR_SEND, WR_SEND_WITH_IMM, WR_RDMA_READ, WR_ATOMIC_CMP_AND_SWP, WR_ATOMIC_FETCH_AND_ADD,
    WR_LOCAL_INV, WR_BIND_MW, WR_SEND_WITH_INV, WR_FLUSH = 14, WR_ATOMIC_WRITE
};

union ibv_gid {
    uint8_t raw[16];
    uint64_t words[2];
};

struct ibv_gid_entry {
    union ibv_gid gid;
    uint32_t gid_index, port_num, gid_type, ndev_ifindex;
};

struct ibv_device {
    void *ops[2];
    int node_type, transport_type;
    char name[64], dev_name[64], dev_path[256], ibdev_path[256];
};

struct ibv_device_attr {
    char fw_ver[64];
    uint64_t node_guid, sys_image_guid, max_mr_size, page_size_cap;
    uint32_t vendor_id, vendor_part_id, hw_ver;
    int max_qp, max_qp_wr;
    unsigned device_cap_flags;
    int max_sge, max_sge_rd, max_cq, max_cqe, max_mr, max_pd, max_qp_rd_atom, max_ee_rd_atom, max_res_rd_atom, max_qp_init_rd_atom,
        max_ee_init_rd_atom, atomic_cap, max_ee, max_rdd, max_mw, max_raw_ipv6_qp, max_raw_ethy_qp, max_mcast_grp, max_mcast_qp_attach,
        max_total_mcast_qp_attach, max_ah, max_fmr, max_map_per_fmr, max_srq, max_srq_wr, max_srq_sge;
    uint16_t max_pkeys;
    uint8_t local_ca_ack_delay, phys_port_cnt;
};

struct ibv_device_attr_ex {
    struct ibv_device_attr orig_attr;
    uint32_t comp_mask;
    struct {
        uint64_t general_caps;
        uint32_t rc_odp_caps, uc_odp_caps, ud_odp_caps;
    } odp_caps;
    uint64_t completion_timestamp_mask, hca_core_clock, device_cap_flags_ex;
    uint32_t tso_caps[2];
    uint64_t rss_caps[4];
    uint32_t max_wq_type_rq, packet_pacing_caps[3], raw_packet_caps, tm_caps[5];
    uint16_t cq_mod_caps[2];
    uint64_t max_dm_size;
    uint16_t pci_atomic_caps[3];
    uint32_t xrc_odp_caps, phys_port_cnt_ex;
};

struct ibv_port_attr {
    int state, max_mtu, active_mtu, gid_tbl_len;
    uint32_t port_cap_flags, max_msg_sz, bad_pkey_cntr, qkey_viol_cntr;
    uint16_t pkey_tbl_len, lid, sm_lid;
    uint8_t lmc, max_vl_num, sm_sl, subnet_timeout, init_type_reply, active_width, active_speed, phys_state, link_layer, flags;
    uint16_t port_cap_flags2;
};

struct ibv_context;

struct ibv_pd {
    struct ibv_context *context;
    uint32_t handle;
};

struct ibv_mr {
    struct ibv_context *context;
    struct ibv_pd *pd;
    void *addr;
    size_t length;
    uint32_t handle, lkey, rkey;
};

struct ibv_buf;

struct ibv_mr_init_attr {
    size_t length;
    int access;
    uint64_t comp_mask, iova;
    void *addr;
    int fd;
    uint64_t fd_offset;
    void *dmah;
    struct ibv_buf *buf;
};

struct ibv_mw {
    struct ibv_context *context;
    struct ibv_pd *pd;
    uint32_t rkey, handle;
    int type;
};

struct ibv_mw_bind_info {
    struct ibv_mr *mr;
    uint64_t addr, length;
    unsigned mw_access_flags;
};

struct ibv_mw_bind {
    uint64_t wr_id;
    unsigned send_flags;
    struct ibv_mw_bind_info bind_info;
};

struct ibv_td {
    struct ibv_context *context;
};

struct ibv_parent_domain_init_attr {
    struct ibv_pd *pd;
    struct ibv_td *td;
    uint32_t comp_mask;
    void *alloc, *free, *pd_context;
};

struct ibv_xrcd {
    struct ibv_context *context;
};

struct ibv_xrcd_init_attr {
    uint32_t comp_mask;
    int fd, oflags;
};

struct ibv_ah {
    struct ibv_context *context;
    struct ibv_pd *pd;
    uint32_t handle;
};

struct ibv_comp_channel {
    struct ibv_context *context;
    int fd, refcnt;
};

struct ibv_wc {
    uint64_t wr_id;
    int status, opcode;
    uint32_t vendor_err, byte_len, imm_data, qp_num, src_qp;
    unsigned wc_flags;
    uint16_t pkey_index, slid;
    uint8_t sl, dlid_path_bits;
};

struct ibv_cq {
    struct ibv_context *context;
    struct ibv_comp_channel *channel;
    void *cq_context;
    uint32_t handle;
    int cqe;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    uint32_t comp_events_completed, async_events_completed;
};

struct ibv_wc_tm_info {
    uint64_t tag;
    uint32_t priv;
};

struct ibv_cq_ex {
    struct ibv_cq base;
    uint32_t comp_mask;
    int status;
    uint64_t wr_id;
    int (*start_poll)(struct ibv_cq_ex *, void *attr);
    int (*next_poll)(struct ibv_cq_ex *);
    void (*end_poll)(struct ibv_cq_ex *);
    int (*read_opcode)(struct ibv_cq_ex *);
    uint32_t (*read_vendor_err)(struct ibv_cq_ex *);
    uint32_t (*read_byte_len)(struct ibv_cq_ex *);
    uint32_t (*read_imm_data)(struct ibv_cq_ex *);
    uint32_t (*read_qp_num)(struct ibv_cq_ex *);
    uint32_t (*read_src_qp)(struct ibv_cq_ex *);
    unsigned (*read_wc_flags)(struct ibv_cq_ex *);
    uint32_t (*read_slid)(struct ibv_cq_ex *);
    uint8_t (*read_sl)(struct ibv_cq_ex *);
    uint8_t (*read_dlid_path_bits)(struct ibv_cq_ex *);
    uint64_t (*read_completion_ts)(struct ibv_cq_ex *);
    uint16_t (*read_cvlan)(struct ibv_cq_ex *);
    uint32_t (*read_flow_tag)(struct ibv_cq_ex *);
    void (*read_tm_info)(struct ibv_cq_ex *, struct ibv_wc_tm_info *);
    uint64_t (*read_completion_wallclock_ns)(struct ibv_cq_ex *);
};

struct ibv_cq_init_attr_ex {
    uint32_t cqe;
    void *cq_context;
    struct ibv_comp_channel *channel;
    uint32_t comp_vector;
    uint64_t wc_flags;
    uint32_t comp_mask, flags;
    struct ibv_pd *parent_domain;
};

struct ibv_srq_init_attr {
    void *srq_context;
    uint32_t max_wr, max_sge, srq_limit;
};

struct ibv_srq {
    struct ibv_context *context;
    void *srq_context;
    struct ibv_pd *pd;
    uint32_t handle;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    uint32_t events_completed;
};

struct ibv_srq_init_attr_ex {
    void *srq_context;
    uint32_t max_wr, max_sge, srq_limit, comp_mask;
    int srq_type;
    struct ibv_pd *pd;
    struct ibv_xrcd *xrcd;
    struct ibv_cq *cq;
    uint32_t tm_cap[2];
};

struct ibv_qp_cap {
    uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data;
};

struct ibv_qp_init_attr {
    void *qp_context;
    struct ibv_cq *send_cq, *recv_cq;
    struct ibv_srq *srq;
    struct ibv_qp_cap cap;
    int qp_type, sq_sig_all;
};

struct ibv_qp_init_attr_ex {
    void *qp_context;
    struct ibv_cq *send_cq, *recv_cq;
    struct ibv_srq *srq;
    struct ibv_qp_cap cap;
    int qp_type, sq_sig_all;
    uint32_t comp_mask;
    struct ibv_pd *pd;
    struct ibv_xrcd *xrcd;
    uint32_t create_flags;
    uint16_t max_tso_header;
    void *rwq_ind_tbl;
    uint64_t rx_hash_conf[3];
    uint32_t source_qpn;
    uint64_t send_ops_flags;
};

struct ibv_sge {
    uint64_t addr;
    uint32_t length, lkey;
};

struct ibv_data_buf {
    void *addr;
    size_t length;
};

struct ibv_send_wr {
    uint64_t wr_id;
    struct ibv_send_wr *next;
    struct ibv_sge *sg_list;
    int num_sge, opcode;
    unsigned send_flags;
    uint32_t imm_data;
    union {
        struct {
            uint64_t remote_addr;
            uint32_t rkey;
        } rdma;
        struct {
            uint64_t remote_addr, compare_add, swap;
            uint32_t rkey;
        } atomic;
        struct {
            struct ibv_ah *ah;
            uint32_t remote_qpn, remote_qkey;
        } ud;
    } wr;
    uint32_t remote_srqn;
    struct {
        struct ibv_mw *mw;
        uint32_t rkey;
        struct ibv_mw_bind_info bind_info;
    } bind_mw;
};

struct ibv_qp {
    struct ibv_context *context;
    void *qp_context;
    struct ibv_pd *pd;
    struct ibv_cq *send_cq, *recv_cq;
    struct ibv_srq *srq;
    uint32_t handle, qp_num;
    int state, qp_type;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    uint32_t events_completed;
};

struct ibv_qp_ex {
    struct ibv_qp qp_base;
    uint64_t comp_mask, wr_id;
    unsigned wr_flags;
    void (*wr_atomic_cmp_swp)(struct ibv_qp_ex *, uint32_t rkey, uint64_t remote_addr, uint64_t compare, uint64_t swap);
    void (*wr_atomic_fetch_add)(struct ibv_qp_ex *, uint32_t rkey, uint64_t remote_addr, uint64_t add);
    void (*wr_bind_mw)(struct ibv_qp_ex *, struct ibv_mw *, uint32_t rkey, const struct ibv_mw_bind_info *);
    void (*wr_local_inv)(struct ibv_qp_ex *, uint32_t invalidate_rkey);
    void (*wr_rdma_read)(struct ibv_qp_ex *, uint32_t rkey, uint64_t remote_addr);
    void (*wr_rdma_write)(struct ibv_qp_ex *, uint32_t rkey, uint64_t remote_addr);
    void (*wr_rdma_write_imm)(struct ibv_qp_ex *, uint32_t rkey, uint64_t remote_addr, uint32_t imm_data);
    void (*wr_send)(struct ibv_qp_ex *);
    void (*wr_send_imm)(struct ibv_qp_ex *, uint32_t imm_data);
    void (*wr_send_inv)(struct ibv_qp_ex *, uint32_t invalidate_rkey);
    void *wr_send_tso;
    void (*wr_set_ud_addr)(struct ibv_qp_ex *, struct ibv_ah *, uint32_t remote_qpn, uint32_t remote_qkey);
    void (*wr_set_xrc_srqn)(struct ibv_qp_ex *, uint32_t remote_srqn);
    void (*wr_set_inline_data)(struct ibv_qp_ex *, void *addr, size_t length);
    void (*wr_set_inline_data_list)(struct ibv_qp_ex *, size_t count, const struct ibv_data_buf *);
    void (*wr_set_sge)(struct ibv_qp_ex *, uint32_t lkey, uint64_t addr, uint32_t length);
    void (*wr_set_sge_list)(struct ibv_qp_ex *, size_t count, const struct ibv_sge *);
    void (*wr_start)(struct ibv_qp_ex *);
    int (*wr_complete)(struct ibv_qp_ex *);
    void (*wr_abort)(struct ibv_qp_ex *);
    void (*wr_atomic_write)(struct ibv_qp_ex *, uint32_t rkey, uint64_t remote_addr, const void *eight_bytes);
};

struct ibv_async_event {
    void *element;
    int event_type;
};

struct ibv_context_ops {
    void *compat_1[7];
    struct ibv_mw *(*alloc_mw)(struct ibv_pd *, int type);
    int (*bind_mw)(struct ibv_qp *, struct ibv_mw *, struct ibv_mw_bind *);
    int (*dealloc_mw)(struct ibv_mw *);
    void *compat_2;
    int (*poll_cq)(struct ibv_cq *, int count, struct ibv_wc *);
    int (*req_notify_cq)(struct ibv_cq *, int solicited_only);
    void *compat_3[7];
    int (*post_srq_recv)(struct ibv_srq *, void *wr, void **bad);
    void *compat_4[4];
    int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **bad);
    int (*post_recv)(struct ibv_qp *, void *wr, void **bad);
    void *compat_5[5];
};

struct ibv_context {
    struct ibv_device *device;
    struct ibv_context_ops ops;
    int cmd_fd, async_fd, num_comp_vectors;
    pthread_mutex_t mutex;
    void *abi_compat;
};

/* What the extended calls of verbs.h go through; it lies in front of the context. A null pointer makes verbs.h answer EOPNOTSUPP. */
struct verbs_context {
    int (*query_port)(struct ibv_context *, uint8_t port, struct ibv_port_attr *, size_t size);
    int (*advise_mr)(struct ibv_pd *, int advice, uint32_t flags, struct ibv_sge *list, uint32_t count);
    void *unsupported_1[12];
    struct ibv_pd *(*alloc_parent_domain)(struct ibv_context *, struct ibv_parent_domain_init_attr *);
    int (*dealloc_td)(struct ibv_td *);
    struct ibv_td *(*alloc_td)(struct ibv_context *, const uint32_t *comp_mask);
    void *unsupported_2[8];
    struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *, struct ibv_cq_init_attr_ex *);
    void *priv;
    int (*query_device_ex)(struct ibv_context *, const void *input, struct ibv_device_attr_ex *, size_t size);
    void *unsupported_3[5];
    struct ibv_qp *(*create_qp_ex)(struct ibv_context *, struct ibv_qp_init_attr_ex *);
    int (*get_srq_num)(struct ibv_srq *, uint32_t *number);
    struct ibv_srq *(*create_srq_ex)(struct ibv_context *, struct ibv_srq_init_attr_ex *);
    struct ibv_xrcd *(*open_xrcd)(struct ibv_context *, struct ibv_xrcd_init_attr *);
    int (*close_xrcd)(struct ibv_xrcd *);
    uint64_t placeholder;
    size_t sz;
    struct ibv_context context;
};

#endif
