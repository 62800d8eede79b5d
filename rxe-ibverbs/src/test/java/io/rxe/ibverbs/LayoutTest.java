package io.rxe.ibverbs;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the structures of libibverbs lie as its header says")
class LayoutTest {
    private static final int STRUCTURES = 16;

    /** Constants whose field lies in a union or an inner structure. */
    private static final Map<String, String> INNER = Map.ofEntries(Map.entry("SendWr.REMOTE_ADDR", "wr.rdma.remote_addr"),
        Map.entry("SendWr.RDMA_RKEY", "wr.rdma.rkey"), Map.entry("SendWr.COMPARE_ADD", "wr.atomic.compare_add"),
        Map.entry("SendWr.SWAP", "wr.atomic.swap"), Map.entry("SendWr.ATOMIC_RKEY", "wr.atomic.rkey"), Map.entry("SendWr.AH", "wr.ud.ah"),
        Map.entry("SendWr.REMOTE_QPN", "wr.ud.remote_qpn"), Map.entry("SendWr.REMOTE_QKEY", "wr.ud.remote_qkey"),
        Map.entry("SendWr.REMOTE_SRQN", "qp_type.xrc.remote_srqn"), Map.entry("SendWr.BIND_MW", "bind_mw.mw"),
        Map.entry("SendWr.BIND_RKEY", "bind_mw.rkey"), Map.entry("SendWr.BIND_INFO", "bind_mw.bind_info"),
        Map.entry("AhAttr.DGID", "grh.dgid"), Map.entry("AhAttr.SGID_INDEX", "grh.sgid_index"),
        Map.entry("AhAttr.HOP_LIMIT", "grh.hop_limit"), Map.entry("AhAttr.TRAFFIC_CLASS", "grh.traffic_class"));

    @TempDir
    private Path folder;

    private static String structure(Class<?> type) {
        return "ibv" + type.getSimpleName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private HeaderCheck check() {
        CProgram.requireHeader();
        return new HeaderCheck(folder, "infiniband/verbs.h");
    }

    @Test
    void everyOffsetIsThatOfTheHeader() throws Exception {
        check().assertConstants(Layout.class, STRUCTURES, LayoutTest::structure, INNER);
    }

    @Test
    @DisplayName("the C half declares the same structures as the header")
    void abiHeaderIsTheSame() throws Exception {
        List<String> sizes = List.of("ibv_gid_entry",
            "ibv_device", "ibv_device_attr", "ibv_device_attr_ex", "ibv_port_attr", "ibv_pd", "ibv_mr",
            "ibv_ah", "ibv_comp_channel", "ibv_wc", "ibv_wc_tm_info", "ibv_cq", "ibv_cq_ex", "ibv_cq_init_attr_ex", "ibv_srq_init_attr",
            "ibv_srq",
            "ibv_qp_cap", "ibv_qp_init_attr", "ibv_qp_init_attr_ex", "ibv_sge", "ibv_data_buf", "ibv_send_wr", "ibv_qp", "ibv_qp_ex",
            "ibv_async_event", "ibv_context_ops", "ibv_context", "verbs_context", "ibv_mw", "ibv_mw_bind_info", "ibv_mw_bind", "ibv_td",
            "ibv_parent_domain_init_attr", "ibv_xrcd", "ibv_xrcd_init_attr", "ibv_srq_init_attr_ex");
        List<String> offsets = List.of("ibv_device, name",
            "ibv_device, ibdev_path", "ibv_device_attr, device_cap_flags", "ibv_device_attr, max_srq",
            "ibv_device_attr, phys_port_cnt", "ibv_device_attr_ex, odp_caps",
            "ibv_device_attr_ex, xrc_odp_caps", "ibv_device_attr_ex, completion_timestamp_mask", "ibv_device_attr_ex, device_cap_flags_ex",
            "ibv_device_attr_ex, phys_port_cnt_ex", "ibv_port_attr, pkey_tbl_len", "ibv_port_attr, link_layer", "ibv_mr, handle",
            "ibv_wc, wc_flags", "ibv_wc, dlid_path_bits", "ibv_cq, handle", "ibv_cq, comp_events_completed", "ibv_cq_ex, start_poll",
            "ibv_cq_ex, read_opcode", "ibv_cq_ex, read_imm_data", "ibv_cq_ex, read_wc_flags", "ibv_cq_ex, read_dlid_path_bits",
            "ibv_cq_init_attr_ex, wc_flags", "ibv_cq_init_attr_ex, flags", "ibv_srq, events_completed", "ibv_qp_init_attr, cap",
            "ibv_qp_init_attr_ex, comp_mask", "ibv_qp_init_attr_ex, create_flags", "ibv_qp_init_attr_ex, send_ops_flags",
            "ibv_send_wr, imm_data", "ibv_send_wr, wr.atomic.rkey", "ibv_send_wr, wr.ud.remote_qkey", "ibv_qp, qp_num", "ibv_qp, qp_type",
            "ibv_qp, events_completed", "ibv_qp_ex, wr_flags", "ibv_qp_ex, wr_atomic_cmp_swp", "ibv_qp_ex, wr_rdma_read",
            "ibv_qp_ex, wr_send_inv", "ibv_qp_ex, wr_set_ud_addr", "ibv_qp_ex, wr_set_inline_data", "ibv_qp_ex, wr_set_sge_list",
            "ibv_qp_ex, wr_start", "ibv_qp_ex, wr_abort", "ibv_context, ops.alloc_mw", "ibv_context, ops.poll_cq",
            "ibv_context, ops.req_notify_cq", "ibv_context, ops.post_srq_recv", "ibv_context, ops.post_send", "ibv_context, ops.post_recv",
            "ibv_context, async_fd", "ibv_context, abi_compat", "verbs_context, query_port", "verbs_context, advise_mr",
            "verbs_context, create_cq_ex",
            "verbs_context, query_device_ex", "verbs_context, create_qp_ex", "verbs_context, sz", "verbs_context, context",
            "ibv_mw, handle", "ibv_mw_bind, bind_info", "ibv_mw_bind_info, mw_access_flags", "ibv_parent_domain_init_attr, comp_mask",
            "ibv_xrcd_init_attr, oflags", "ibv_srq_init_attr_ex, srq_type", "ibv_srq_init_attr_ex, cq", "ibv_send_wr, bind_mw.bind_info",
            "ibv_cq_ex, read_completion_ts", "ibv_cq_ex, read_tm_info", "ibv_cq_ex, read_completion_wallclock_ns",
            "ibv_cq_init_attr_ex, parent_domain",
            "ibv_qp_ex, wr_bind_mw", "ibv_qp_ex, wr_local_inv", "ibv_qp_ex, wr_set_xrc_srqn", "ibv_qp_ex, wr_atomic_write",
            "ibv_context, ops.bind_mw", "ibv_context, ops.dealloc_mw", "verbs_context, alloc_parent_domain", "verbs_context, dealloc_td",
            "verbs_context, alloc_td", "verbs_context, get_srq_num", "verbs_context, create_srq_ex", "verbs_context, open_xrcd",
            "verbs_context, close_xrcd");
        check().assertSameAs("abi.h", sizes, offsets);
    }
}
