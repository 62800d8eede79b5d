package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the structures of librdmacm lie as its header says")
class CmLayoutTest {
    private static final Map<Class<?>, String> STRUCTURES = Map.of(CmLayout.CmId.class, "rdma_cm_id", CmLayout.ConnParam.class,
        "rdma_conn_param", CmLayout.UdParam.class, "rdma_ud_param", CmLayout.SockaddrIn.class, "sockaddr_in",
        CmLayout.SockaddrIn6.class, "sockaddr_in6");
    /** Constants whose field lies in an inner structure. */
    private static final Map<String, String> INNER = Map.of("SRC_ADDR", "route.addr.src_addr", "DST_ADDR", "route.addr.dst_addr", "SGID",
        "route.addr.addr.ibaddr.sgid", "DGID", "route.addr.addr.ibaddr.dgid");
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

    private static String expression(Class<?> type, String constant) {
        String structure = "struct " + STRUCTURES.get(type);
        return constant.equals("SIZE") ? "sizeof(" + structure + ")"
            : "offsetof(" + structure + ", " + INNER.getOrDefault(constant, constant.toLowerCase(Locale.ROOT)) + ")";
    }

    @Test
    void everyOffsetIsThatOfTheHeader() throws Exception {
        CProgram.requireCmHeader();
        Map<String, Integer> ours = new TreeMap<>();
        StringBuilder source = new StringBuilder("#include <rdma/rdma_cma.h>\n#include <stdio.h>\nint main(void) {\n");
        assertEquals(STRUCTURES.size(), CmLayout.class.getDeclaredClasses().length);
        for (Class<?> type : CmLayout.class.getDeclaredClasses()) {
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
    void cmaHeaderIsTheSame() throws Exception {
        CProgram.requireCmHeader();
        StringBuilder body = new StringBuilder("\n#include <stdio.h>\nint main(void) {\n");
        SIZES.forEach(size -> body.append("printf(\"").append(size).append(" %zu\\n\", sizeof(struct ").append(size).append("));\n"));
        OFFSETS.forEach(offset -> body.append("printf(\"").append(offset).append(" %zu\\n\", offsetof(struct ").append(offset)
            .append("));\n"));
        body.append("return 0; }\n");
        NativeLibrary.extract(folder);
        assertEquals(CProgram.run(folder, "#include <rdma/rdma_cma.h>" + body),
            CProgram.run(folder, "#include \"cma.h\"" + body, "-I" + folder));
    }
}
