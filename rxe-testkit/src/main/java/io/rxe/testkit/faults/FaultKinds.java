package io.rxe.testkit.faults;

import io.rxe.fault.ConnectionFault;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A fault of each kind, as a specification. */
final class FaultKinds {
    private static final List<String> OTHERS = List.of("alloc_pd: ENOMEM", "reg_mr: ENOMEM nth 1", "create_cq: ENOMEM nth 1",
        "create_qp: ENOMEM nth 1", "create_ah: ENOMEM nth 1", "modify_qp: EINVAL nth 2", "modify_qp: ETIMEDOUT nth 3",
        "query_qp: EIO nth 1", "post_send: EAGAIN nth 30", "post_send: ENOMEM nth 30", "post_send: EAGAIN 1%", "post_recv: ENOMEM nth 1",
        "poll_cq: EIO nth 1000", "req_notify_cq: EIO nth 1", "qp: ERR after 100KB", "qp: ERR after 1s", "async: PORT_ERR after 500ms",
        "async: PORT_ERR after 500ms, PORT_ACTIVE after 1500ms", "device: FATAL after 1s", "rdma_create_id: ENODEV",
        "rdma_resolve_addr: EADDRNOTAVAIL", "rdma_resolve_route: EHOSTUNREACH", "rdma_connect: ECONNREFUSED", "rdma_disconnect: EINVAL",
        "cm: DISCONNECTED after 500ms", "cm: DEVICE_REMOVAL after 500ms", "cm: ADDR_CHANGE after 500ms", "dealloc_pd: EBUSY nth 1",
        "dereg_mr: EBUSY nth 1", "destroy_cq: EBUSY nth 1", "destroy_qp: EBUSY nth 1", "close_device: EBUSY nth 1",
        "rdma_destroy_id: EINVAL nth 1");
    /** Of the server. */
    private static final List<String> SERVERS = List.of("rdma_bind_addr: EADDRINUSE", "rdma_listen: EADDRINUSE", "rdma_accept: EINVAL",
        "cm: REJECT reason 28", "cm: REJECT reason 8", "post_srq_recv: status=LOC_PROT_ERR nth 1");

    private FaultKinds() {
    }

    /** Those for the client. */
    static List<String> ofClients() {
        List<String> all = new ArrayList<>(OTHERS);
        Arrays.stream(CompletionStatus.values()).filter(status -> status != CompletionStatus.SUCCESS)
            .forEach(status -> all.add("poll_cq: status=" + status + " nth 30"));
        Arrays.stream(AsyncEvent.Type.values()).filter(type -> !type.name().startsWith("PORT_") && type != AsyncEvent.Type.DEVICE_FATAL)
            .forEach(type -> all.add("async: " + type + " after 1s"));
        Arrays.stream(ConnectionFault.Event.values()).forEach(event -> all.add(event.verb().word() + ": event=" + event));
        return all;
    }

    /** Those for the server: what the client sends arrives there. */
    static List<String> ofServers() {
        return Stream.concat(SERVERS.stream(), Arrays.stream(CompletionStatus.values()).filter(VerbsFaultSpec::isOfReceive)
            .map(status -> "post_recv: status=" + status + " nth 30")).toList();
    }
}
