package io.rxe.testkit.faults;

import java.util.List;
import java.util.Map;

/**
 * A stock program as server and client, or as a job.
 *
 * @param name   of the program, for the table.
 * @param server its command; $S is the address of the server, $P a TCP port, $T the folder of what the command compiles. Null for a job.
 * @param client the same.
 * @param ready  whether the server is ready when it listens at $P; else when the NIC says that it has a listener.
 * @param hangs  fault, last line and {@link FaultRun.End#waiting}, as a regular expression, of a hang that is the program's own; and why.
 */
record FaultedProgram(String name, String server, String client, boolean ready, Map<String, String> hangs) {
    /** Each runs for some seconds, or until it has failed. */
    static final List<FaultedProgram> ALL = List.of(
        new FaultedProgram("ib_write_bw", "ib_write_bw -F -D 2 -s 4096 -p $P", "ib_write_bw -F -D 2 -s 4096 -p $P $S", true, Map.of()),
        new FaultedProgram("ib_send_bw", "ib_send_bw -F -D 2 -s 4096 -p $P", "ib_send_bw -F -D 2 -s 4096 -p $P $S", true, Map.of()),
        new FaultedProgram("rping", "rping -s -a $S -p $P -C 2000", "rping -c -a $S -p $P -C 2000", false, Map.of(
            "(.* / connect error -1|rdma_disconnect: EINVAL / ) / [1-9] faults, ((INIT|RTR|RTS) 0, )*[^,]*join\\S* < \\?\\? < __libc.*",
            "rping_run_client joins cq_thread, which waits in ibv_get_cq_event and is not cancelled",
            "async: PORT_ERR after \\w+ /  / 1 faults, RTS 0, [^,]*sem_wait\\S* < \\?\\? < __libc.*",
            "its main thread waits for a message, with no request of its own that would tell it of a dead port",
            "cm: REJECT reason \\d+ /  / 1 faults, [^,]*sem_wait\\S* < \\?\\? < __libc.*",
            "the server waits for the next client, and nothing tells it of one that was rejected in its name")),
        new FaultedProgram("ucx_perftest", "ucx_perftest -p $P",
            "ucx_perftest -d rxe0:1 -x rc_verbs -t put_bw -n 20000 -w 50 -p $P $S", true, Map.of()),
        new FaultedProgram("fi_pingpong", "fi_pingpong -p verbs;ofi_rxd -e rdm -c -S 4096 -I 500 -B $P",
            "fi_pingpong -p verbs;ofi_rxd -e rdm -c -S 4096 -I 500 -P $P $S", true, Map.of(
            "(reg_mr|post_recv): ENOMEM nth 1 / .* / 1 faults, (RTS 0, )*[^,]*", "rxd_ep_enable of libfabric succeeds without a receive",
            "poll_cq: E\\w+ nth \\d+ / .* / 1 faults, (RTS 0, )+(?!\\w+ \\d).*",
            "rxd_ep_progress of libfabric takes an error of fi_cq_read for the completion before it",
            "async: PORT_ERR after \\w+ / .* / 1 faults, RTS 0, (?!\\w+ \\d).*", "rxd_get_timeout overflows: nothing is sent or given up",
            ".*rxd_ep_send_pkt.* error sending packet.* / [1-9] faults, (ERROR 0, )+(?!\\w+ \\d).*", "vrb_post_send makes all FI_EAGAIN",
            ".*rxd_handle_error.* error from core provider.* / \\d+ faults, ((RTS|ERROR) 0, )*[^,]*",
            "rxd_handle_error of libfabric only warns, and what rxd_progress_pkt_list finds in use is neither sent again nor given up")),
        new FaultedProgram("mpirun.openmpi", null, "mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 $T/ranks", false, Map.of()));
    /** The next user of the addresses. */
    static final FaultedProgram NEXT = new FaultedProgram("ibv_rc_pingpong", "ibv_rc_pingpong -g 1 -c -n 200 -p $P",
        "ibv_rc_pingpong -g 1 -c -n 200 -p $P $S", true, Map.of());

    /** Why it hangs with a fault and such an end; null where that is not the program's own. */
    String ownHang(String fault, FaultRun.End end) {
        return hangs.entrySet().stream().filter(one -> (fault + " / " + end.lastLine() + " / " + end.waiting()).matches(one.getKey()))
            .map(Map.Entry::getValue).findFirst().orElse(null);
    }
}
