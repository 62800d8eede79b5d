package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the structures of libibverbs lie as its header says")
class LayoutTest {
    private static final int STRUCTURES = 13;

    /** Constants whose field lies in a union or an inner structure. */
    private static final Map<String, String> INNER = Map.ofEntries(Map.entry("SendWr.REMOTE_ADDR", "wr.rdma.remote_addr"),
        Map.entry("SendWr.RDMA_RKEY", "wr.rdma.rkey"), Map.entry("SendWr.COMPARE_ADD", "wr.atomic.compare_add"),
        Map.entry("SendWr.SWAP", "wr.atomic.swap"), Map.entry("SendWr.ATOMIC_RKEY", "wr.atomic.rkey"), Map.entry("SendWr.AH", "wr.ud.ah"),
        Map.entry("SendWr.REMOTE_QPN", "wr.ud.remote_qpn"), Map.entry("SendWr.REMOTE_QKEY", "wr.ud.remote_qkey"),
        Map.entry("AhAttr.DGID", "grh.dgid"), Map.entry("AhAttr.SGID_INDEX", "grh.sgid_index"),
        Map.entry("AhAttr.HOP_LIMIT", "grh.hop_limit"), Map.entry("AhAttr.TRAFFIC_CLASS", "grh.traffic_class"));

    @TempDir
    private Path folder;

    private static String structure(Class<?> type) {
        return "ibv" + type.getSimpleName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private static String expression(Class<?> type, String constant) {
        String structure = "struct " + structure(type);
        if (constant.equals("SIZE")) {
            return "sizeof(" + structure + ")";
        }
        return "offsetof(" + structure + ", "
            + INNER.getOrDefault(type.getSimpleName() + "." + constant, constant.toLowerCase(Locale.ROOT)) + ")";
    }

    @Test
    void everyOffsetIsThatOfTheHeader() throws Exception {
        CProgram.requireHeader();
        Map<String, Integer> ours = new TreeMap<>();
        StringBuilder source = new StringBuilder("#include <infiniband/verbs.h>\n#include <stdio.h>\nint main(void) {\n");
        assertEquals(STRUCTURES, Layout.class.getDeclaredClasses().length);
        for (Class<?> type : Layout.class.getDeclaredClasses()) {
            assertTrue(type.getDeclaredFields().length > 0, type.getName());
            for (Field field : type.getDeclaredFields()) {
                String expression = expression(type, field.getName());
                ours.put(expression, field.getInt(null));
                source.append("printf(\"%s=%zu\\n\", \"").append(expression).append("\", ").append(expression).append(");\n");
            }
        }
        Map<String, Integer> theirs = new TreeMap<>();
        CProgram.run(folder, source + "return 0; }\n").forEach(line -> theirs.put(line.substring(0, line.indexOf('=')),
            Integer.valueOf(line.substring(line.indexOf('=') + 1))));
        assertEquals(theirs, ours);
    }

    @Test
    @DisplayName("the C half declares the same structures as the header")
    void abiHeaderIsTheSame() throws Exception {
        CProgram.requireHeader();
        String[] sizes = {"ibv_gid_entry", "ibv_device", "ibv_device_attr", "ibv_device_attr_ex", "ibv_port_attr", "ibv_pd", "ibv_mr",
            "ibv_ah", "ibv_comp_channel", "ibv_wc", "ibv_cq", "ibv_cq_ex", "ibv_cq_init_attr_ex", "ibv_srq_init_attr", "ibv_srq",
            "ibv_qp_cap", "ibv_qp_init_attr", "ibv_qp_init_attr_ex", "ibv_sge", "ibv_data_buf", "ibv_send_wr", "ibv_qp", "ibv_qp_ex",
            "ibv_async_event", "ibv_context_ops", "ibv_context", "verbs_context"};
        String[] offsets = {"ibv_device, name", "ibv_device, ibdev_path", "ibv_device_attr, device_cap_flags", "ibv_device_attr, max_srq",
            "ibv_device_attr, phys_port_cnt", "ibv_device_attr_ex, completion_timestamp_mask", "ibv_device_attr_ex, device_cap_flags_ex",
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
            "ibv_context, async_fd", "ibv_context, abi_compat", "verbs_context, query_port", "verbs_context, create_cq_ex",
            "verbs_context, query_device_ex", "verbs_context, create_qp_ex", "verbs_context, sz", "verbs_context, context"};
        StringBuilder body = new StringBuilder("\n#include <stdio.h>\nint main(void) {\n");
        for (String size : sizes) {
            body.append("printf(\"").append(size).append(" %zu\\n\", sizeof(struct ").append(size).append("));\n");
        }
        for (String offset : offsets) {
            body.append("printf(\"").append(offset).append(" %zu\\n\", offsetof(struct ").append(offset).append("));\n");
        }
        body.append("return 0; }\n");
        NativeLibrary.extract(folder);
        assertEquals(CProgram.run(folder, "#include <infiniband/verbs.h>" + body),
            CProgram.run(folder, "#include \"abi.h\"" + body, "-I" + folder));
    }
}
