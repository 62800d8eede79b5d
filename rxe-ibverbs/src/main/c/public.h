/* The functions of libibverbs and librdmacm that a program calls: what this library defines for it, marked PUBLIC. */
#ifndef RXE_PUBLIC_H
#define RXE_PUBLIC_H

#include "abi.h"
#include "cma.h"
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define PUBLIC __attribute__((visibility("default")))

/* descriptors.c, of the C library, which may be older than some of them */
int close_range(unsigned first, unsigned last, int flags);
void closefrom(int lowest);

/* rsockets.c, epoll.c, of the C library and of the rsockets of librdmacm */
int fcntl64(int fd, int command, ...);
int rpoll(struct pollfd *fds, nfds_t count, int timeout);
int rsocket(int domain, int type, int protocol);
int rconnect(int rs, const struct sockaddr *address, socklen_t length);
int raccept(int rs, struct sockaddr *address, socklen_t *length);
ssize_t rrecv(int rs, void *to, size_t bytes, int flags);
ssize_t rsend(int rs, const void *from, size_t bytes, int flags);
ssize_t rsendmsg(int rs, const struct msghdr *from, int flags);
ssize_t rwritev(int rs, const struct iovec *from, int count);
int rsetsockopt(int rs, int level, int name, const void *value, socklen_t length);
int rclose(int rs);

/* ---- libibverbs ---- */

/* device.c */
struct ibv_device **ibv_get_device_list(int *count);
void ibv_free_device_list(struct ibv_device **list);
const char *ibv_get_device_name(struct ibv_device *device);
int ibv_get_device_index(struct ibv_device *device);
uint64_t ibv_get_device_guid(struct ibv_device *device);
struct ibv_context *ibv_open_device(struct ibv_device *device);
int ibv_close_device(struct ibv_context *context);
int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr);
int ibv_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr);
int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid);
int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags, size_t size);
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t most, uint32_t flags, size_t size);
int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned index, int *type);
int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, uint16_t *pkey);
int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, uint16_t pkey);
int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event);

/* domains.c */
struct ibv_pd *ibv_alloc_pd(struct ibv_context *context);
int ibv_dealloc_pd(struct ibv_pd *base);
struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle);
void ibv_unimport_pd(struct ibv_pd *pd);

/* memory.c */
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access);
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);
struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access);
int ibv_dereg_mr(struct ibv_mr *mr);
int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access);
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access);
struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle);
void ibv_unimport_mr(struct ibv_mr *mr);

/* verbs.c */
struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context);
int ibv_destroy_comp_channel(struct ibv_comp_channel *base);
struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector);
int ibv_resize_cq(struct ibv_cq *cq, int cqe);
int ibv_destroy_cq(struct ibv_cq *base);
int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context);
void ibv_ack_cq_events(struct ibv_cq *cq, unsigned count);
void ibv_ack_async_event(struct ibv_async_event *event);
struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
int ibv_destroy_qp(struct ibv_qp *base);
struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp);
int ibv_modify_qp(struct ibv_qp *qp, void *attr, int mask);
int ibv_query_qp(struct ibv_qp *qp, void *attr, int mask, struct ibv_qp_init_attr *init);
int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);
int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);
struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
int ibv_modify_srq(struct ibv_srq *srq, void *attr, int mask);
int ibv_query_srq(struct ibv_srq *srq, void *attr);
int ibv_destroy_srq(struct ibv_srq *base);
struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, void *attr);
int ibv_destroy_ah(struct ibv_ah *ah);
int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, void *grh, void *attr);
struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, void *grh, uint8_t port);
struct ibv_context *ibv_import_device(int fd);
void *ibv_import_dm(struct ibv_context *context, uint32_t handle);
void ibv_unimport_dm(void *dm);
int ibv_set_ece(struct ibv_qp *qp, void *ece);
int ibv_query_ece(struct ibv_qp *qp, void *ece);
int ibv_query_qp_data_in_order(struct ibv_qp *qp, int operation, uint32_t flags);
int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, void *attr, uint8_t *mac, uint16_t *vlan);
int ibv_fork_init(void);
int ibv_is_fork_initialized(void);
int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);

/* newer.c */
void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf);
void ibv_free_buf(struct ibv_buf *buf);
int ibv_export_buf_dmabuf_fd(struct ibv_buf *buf);
struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr);
struct ibv_mr *ibv_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access);
void *ibv_alloc_dmah(struct ibv_context *context, void *attr);
int ibv_dealloc_dmah(void *dmah);
int ibv_dm_export_dmabuf_fd(void *dm);
int ibv_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed);
int _ibv_query_comp_cntr_caps(struct ibv_context *context, void *caps, size_t size);
void *ibv_create_comp_cntr(struct ibv_context *context, void *attr);
int ibv_destroy_comp_cntr(void *counter);
int ibv_set_comp_cntr(void *counter, uint64_t value);
int ibv_set_err_comp_cntr(void *counter, uint64_t value);
int ibv_inc_comp_cntr(void *counter, uint64_t amount);
int ibv_inc_err_comp_cntr(void *counter, uint64_t amount);
int ibv_read_comp_cntr(void *counter, uint64_t *value);
int ibv_read_err_comp_cntr(void *counter, uint64_t *value);
int ibv_qp_attach_comp_cntr(struct ibv_qp *qp, void *counter, void *attr);

/* ---- librdmacm ---- */

/* cm.c */
struct ibv_context **rdma_get_devices(int *count);
void rdma_free_devices(struct ibv_context **list);
int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, int port_space);
int rdma_destroy_id(struct rdma_cm_id *base);
int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address);
int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *source, struct sockaddr *destination, int timeout_ms);
int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms);
uint16_t rdma_get_src_port(struct rdma_cm_id *id);
uint16_t rdma_get_dst_port(struct rdma_cm_id *id);
int rdma_init_qp_attr(struct rdma_cm_id *id, void *attr, int *mask);
int rdma_listen(struct rdma_cm_id *id, int backlog);
int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param);
int rdma_establish(struct rdma_cm_id *id);
int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param);
int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t length);
int rdma_notify(struct rdma_cm_id *id, int event);
int rdma_disconnect(struct rdma_cm_id *id);
int rdma_get_request(struct rdma_cm_id *listener, struct rdma_cm_id **id);
void rdma_destroy_ep(struct rdma_cm_id *id);
int rdma_create_ep(struct rdma_cm_id **created, struct rdma_addrinfo *info, struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *group, void *context);
int rdma_join_multicast_ex(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *attr, void *context);
int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *group);
int rdma_set_option(struct rdma_cm_id *base, int level, int name, void *value, size_t length);
int rdma_set_local_ece(struct rdma_cm_id *id, void *ece);
int rdma_get_remote_ece(struct rdma_cm_id *id, void *ece);
int rdma_reject_ece(struct rdma_cm_id *id, const void *data, uint8_t length);

/* cmevents.c */
struct rdma_event_channel *rdma_create_event_channel(void);
void rdma_destroy_event_channel(struct rdma_event_channel *channel);
int rdma_migrate_id(struct rdma_cm_id *base, struct rdma_event_channel *channel);
int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
int rdma_ack_cm_event(struct rdma_cm_event *base);
const char *rdma_event_str(int type);

/* cminfo.c */
void rdma_freeaddrinfo(struct rdma_addrinfo *info);
int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *given, struct rdma_addrinfo **result);

/* cmresolve.c */
int rdma_write_cm_event(struct rdma_cm_id *id, int event, int status, uint64_t argument);
int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node, const char *service, const struct rdma_addrinfo *hints);
int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info);

/* cmqueues.c */
int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr);
int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
void rdma_destroy_qp(struct rdma_cm_id *id);
int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr);
int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
void rdma_destroy_srq(struct rdma_cm_id *id);

#endif
