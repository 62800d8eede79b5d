package io.rxe.ibverbs;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the structures of librdmacm lie as its header says")
class CmLayoutTest {
    private static final Map<Class<?>, String> STRUCTURES = Map.of(CmLayout.CmId.class, "rdma_cm_id", CmLayout.ConnParam.class,
        "rdma_conn_param", CmLayout.UdParam.class, "rdma_ud_param", CmLayout.SockaddrIn.class, "sockaddr_in",
        CmLayout.SockaddrIn6.class, "sockaddr_in6");
    /** Constants whose field lies in an inner structure. */
    private static final Map<String, String> INNER = Map.of("CmId.SRC_ADDR", "route.addr.src_addr", "CmId.DST_ADDR",
        "route.addr.dst_addr", "CmId.SGID", "route.addr.addr.ibaddr.sgid", "CmId.DGID", "route.addr.addr.ibaddr.dgid");
    private static final List<String> SIZES = List.of("rdma_addr", "ibv_sa_path_rec", "rdma_route", "rdma_event_channel", "rdma_cm_id",
        "rdma_conn_param", "rdma_ud_param", "rdma_cm_event", "rdma_cm_join_mc_attr_ex", "rdma_addrinfo", "ibv_srq_init_attr_ex");
    private static final List<String> OFFSETS = List.of("rdma_cm_id, verbs", "rdma_cm_id, channel", "rdma_cm_id, context",
        "rdma_cm_id, qp", "rdma_cm_id, route", "rdma_cm_id, route.path_rec", "rdma_cm_id, route.num_paths", "rdma_cm_id, ps",
        "rdma_cm_id, port_num", "rdma_cm_id, event", "rdma_cm_id, send_cq_channel", "rdma_cm_id, send_cq",
        "rdma_cm_id, recv_cq_channel", "rdma_cm_id, recv_cq", "rdma_cm_id, srq", "rdma_cm_id, pd", "rdma_cm_id, qp_type",
        "ibv_sa_path_rec, hop_limit", "ibv_sa_path_rec, pkey", "ibv_sa_path_rec, mtu", "ibv_sa_path_rec, packet_life_time",
        "rdma_conn_param, retry_count", "rdma_conn_param, srq", "rdma_conn_param, qp_num", "rdma_ud_param, ah_attr",
        "rdma_ud_param, qkey", "rdma_cm_event, listen_id", "rdma_cm_event, status", "rdma_cm_event, param",
        "rdma_cm_join_mc_attr_ex, addr", "rdma_addrinfo, ai_port_space", "rdma_addrinfo, ai_src_len", "rdma_addrinfo, ai_dst_addr",
        "rdma_addrinfo, ai_route", "rdma_addrinfo, ai_next", "ibv_srq_init_attr_ex, comp_mask", "ibv_srq_init_attr_ex, pd");

    @TempDir
    private Path folder;

    private HeaderCheck check() {
        CProgram.requireCmHeader();
        return new HeaderCheck(folder, "rdma/rdma_cma.h");
    }

    @Test
    void everyOffsetIsThatOfTheHeader() throws Exception {
        check().assertConstants(CmLayout.class, STRUCTURES.size(), STRUCTURES::get, INNER);
    }

    @Test
    @DisplayName("the C half declares the same structures as the header")
    void cmaHeaderIsTheSame() throws Exception {
        check().assertSameAs("cma.h", SIZES, OFFSETS);
    }
}
