package io.rxe.tools.loopback;

import io.rxe.counters.NicCounter;
import io.rxe.net.RxeNic;
import io.rxe.net.port.NetCounter;
import io.rxe.wire.DropReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The counters that show whether a run was free of errors, summed over NICs. Those of the protocol are always listed, drops, socket
 * errors and stalls only if they are not 0.
 */
final class NicCounters implements Supplier<Map<String, Long>> {
    private static final List<NicCounter> ALWAYS = List.of(NicCounter.SENT_PKTS, NicCounter.RCVD_PKTS, NicCounter.RETRANSMITTED_PKTS,
        NicCounter.DUPLICATE_REQUEST, NicCounter.OUT_OF_SEQ_REQUEST, NicCounter.RCVD_SEQ_ERR, NicCounter.RCVD_RNR_ERR,
        NicCounter.ACK_TIMEOUT, NicCounter.ICRC_FULL, NicCounter.ICRC_INFERRED);
    private static final List<NetCounter> EVENTS = List.of(NetCounter.DROPPED_FRAMES, NetCounter.RECEIVE_ERRORS,
        NetCounter.SEGMENTATION_REFUSED, NetCounter.UNCUT_DATAGRAMS, NetCounter.FORWARD_OVERFLOW, NetCounter.ENGINE_STALLS);

    private final List<RxeNic> nics;

    NicCounters(RxeNic... nics) {
        this.nics = new ArrayList<>(List.of(nics));
    }

    @Override
    public Map<String, Long> get() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (NicCounter counter : ALWAYS) {
            counts.put(counter.label(), nics.stream().mapToLong(nic -> nic.core().counter(counter)).sum());
        }
        counts.put(DropReason.BAD_ICRC.label(), drops(DropReason.BAD_ICRC));
        // A probe that the peer counts as duplicate_request was needless: the response was late, not lost.
        putIfAny(counts, NicCounter.LOSS_PROBE.label(), nics.stream().mapToLong(nic -> nic.core().counter(NicCounter.LOSS_PROBE)).sum());
        for (DropReason reason : DropReason.values()) {
            putIfAny(counts, reason.label(), drops(reason));
        }
        for (NetCounter counter : EVENTS) {
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
