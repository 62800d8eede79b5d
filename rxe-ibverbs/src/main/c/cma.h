/*
 * The structures of librdmacm that a program and this library share, declared here so that building needs no librdmacm-dev. As in abi.h
 * their layout is frozen, an enum is an int, and what we never touch is a void pointer. CmLayoutTest compares them with the real header.
 */
#ifndef RXE_CMA_H
#define RXE_CMA_H

#include "abi.h"
#include <netinet/in.h>
#include <sys/socket.h>

enum { PS_TCP = 0x0106, PS_UDP = 0x0111, PS_IB = 0x013f };
enum { QPT_RC = 2, QPT_UC, QPT_UD };
enum { QPS_INIT = 1, QPS_RTS = 3 };
enum {
    CM_ADDR_RESOLVED, CM_ADDR_ERROR, CM_ROUTE_RESOLVED, CM_ROUTE_ERROR, CM_CONNECT_REQUEST, CM_CONNECT_RESPONSE, CM_CONNECT_ERROR,
    CM_UNREACHABLE, CM_REJECTED, CM_ESTABLISHED, CM_DISCONNECTED, CM_DEVICE_REMOVAL, CM_MULTICAST_JOIN, CM_MULTICAST_ERROR,
    CM_ADDR_CHANGE, CM_TIMEWAIT_EXIT,
    /* Of librdmacm after rdma-core 44. */
    CM_ADDRINFO_RESOLVED, CM_ADDRINFO_ERROR, CM_USER
};
enum { OPTION_ID = 0 };
enum { OPTION_ID_TOS, OPTION_ID_REUSEADDR, OPTION_ID_AFONLY, OPTION_ID_ACK_TIMEOUT };
enum { JOIN_ADDRESS = 1 << 0, JOIN_FLAGS = 1 << 1 };
enum { JOIN_FULLY, JOIN_TO_SEND };
enum { RAI_PASSIVE = 1 << 0, RAI_NUMERICHOST = 1 << 1, RAI_FAMILY = 1 << 3, RAI_SA = 1 << 4 };

struct rdma_addr {
    union {
        struct sockaddr src_addr;
        struct sockaddr_in src_sin;
        struct sockaddr_in6 src_sin6;
        struct sockaddr_storage src_storage;
    };
    union {
        struct sockaddr dst_addr;
        struct sockaddr_in dst_sin;
        struct sockaddr_in6 dst_sin6;
        struct sockaddr_storage dst_storage;
    };
    union ibv_gid sgid, dgid;
    uint16_t pkey;
};

struct ibv_sa_path_rec {
    union ibv_gid dgid, sgid;
    uint16_t dlid, slid;
    int raw_traffic;
    uint32_t flow_label;
    uint8_t hop_limit, traffic_class;
    int reversible;
    uint8_t numb_path;
    uint16_t pkey;
    uint8_t sl, mtu_selector, mtu, rate_selector, rate, packet_life_time_selector, packet_life_time, preference;
};

struct rdma_route {
    struct rdma_addr addr;
    struct ibv_sa_path_rec *path_rec;
    int num_paths;
};

struct rdma_event_channel {
    int fd;
};

struct rdma_cm_event;

struct rdma_cm_id {
    struct ibv_context *verbs;
    struct rdma_event_channel *channel;
    void *context;
    struct ibv_qp *qp;
    struct rdma_route route;
    int ps;
    uint8_t port_num;
    struct rdma_cm_event *event;
    struct ibv_comp_channel *send_cq_channel;
    struct ibv_cq *send_cq;
    struct ibv_comp_channel *recv_cq_channel;
    struct ibv_cq *recv_cq;
    struct ibv_srq *srq;
    struct ibv_pd *pd;
    int qp_type;
};

struct rdma_conn_param {
    const void *private_data;
    uint8_t private_data_len, responder_resources, initiator_depth, flow_control, retry_count, rnr_retry_count, srq;
    uint32_t qp_num;
};

/* Begins as rdma_conn_param does. */
struct rdma_ud_param {
    const void *private_data;
    uint8_t private_data_len;
    uint64_t ah_attr[AH_ATTR_SIZE / sizeof(uint64_t)];
    uint32_t qp_num, qkey;
};

struct rdma_cm_event {
    struct rdma_cm_id *id, *listen_id;
    int event, status;
    union {
        struct rdma_conn_param conn;
        struct rdma_ud_param ud;
    } param;
};

struct rdma_cm_join_mc_attr_ex {
    uint32_t comp_mask, join_flags;
    struct sockaddr *addr;
};

struct rdma_addrinfo {
    int ai_flags, ai_family, ai_qp_type, ai_port_space;
    socklen_t ai_src_len, ai_dst_len;
    struct sockaddr *ai_src_addr, *ai_dst_addr;
    char *ai_src_canonname, *ai_dst_canonname;
    size_t ai_route_len;
    void *ai_route;
    size_t ai_connect_len;
    void *ai_connect;
    struct rdma_addrinfo *ai_next;
};

#endif
