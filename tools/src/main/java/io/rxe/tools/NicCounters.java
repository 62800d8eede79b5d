package io.rxe.tools;

import io.rxe.bench.CounterSource;
import io.rxe.counters.NicCounter;
import io.rxe.net.NetCounter;
import io.rxe.net.RxeNic;
import io.rxe.wire.DropReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The counters of NICs that tell whether a run was clean, summed: those of the protocol always, drops and failures of the sockets only
 * when there are any.
 */
final class NicCounters implements CounterSource {
    private static final List<NicCounter> ALWAYS = List.of(NicCounter.SENT_PKTS, NicCounter.RCVD_PKTS, NicCounter.RETRANSMITTED_PKTS,
        NicCounter.DUPLICATE_REQUEST, NicCounter.OUT_OF_SEQ_REQUEST, NicCounter.RCVD_SEQ_ERR, NicCounter.RCVD_RNR_ERR,
        NicCounter.ACK_TIMEOUT, NicCounter.ICRC_FULL, NicCounter.ICRC_INFERRED);
    private static final List<NetCounter> SOCKET_TROUBLE = List.of(NetCounter.DROPPED_FRAMES, NetCounter.RECEIVE_ERRORS,
        NetCounter.SEGMENTATION_REFUSED, NetCounter.UNCUT_DATAGRAMS, NetCounter.FORWARD_OVERFLOW);

    private final List<RxeNic> nics;

    NicCounters(RxeNic... nics) {
        this.nics = new ArrayList<>(List.of(nics));
    }

    @Override
    public Map<String, Long> read() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (NicCounter counter : ALWAYS) {
            counts.put(counter.label(), nics.stream().mapToLong(nic -> nic.core().counter(counter)).sum());
        }
        counts.put(DropReason.BAD_ICRC.label(), drops(DropReason.BAD_ICRC));
        for (DropReason reason : DropReason.values()) {
            putIfAny(counts, reason.label(), drops(reason));
        }
        for (NetCounter counter : SOCKET_TROUBLE) {
            putIfAny(counts, counter.label(), nics.stream().mapToLong(nic -> nic.count(counter)).sum());
        }
        return counts;
    }

    private long drops(DropReason reason) {
        return nics.stream().mapToLong(nic -> nic.core().counter(reason)).sum();
    }

    private static void putIfAny(Map<String, Long> counts, String label, long count) {
        if (count != 0) {
            counts.put(label, count);
        }
    }
}
