package io.rxe.tools.loopback;

import io.rxe.counters.NicCounter;
import io.rxe.net.RxeNic;
import io.rxe.net.port.NetCounter;
import io.rxe.wire.DropReason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

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
        this.nics = List.of(nics);
    }

    @Override
    public Map<String, Long> get() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (NicCounter counter : ALWAYS) {
            counts.put(counter.label(), sum(nic -> nic.core().counter(counter)));
        }
        counts.put(DropReason.BAD_ICRC.label(), sum(nic -> nic.core().counter(DropReason.BAD_ICRC)));
        // A probe that the peer counts as duplicate_request was needless: the response was late, not lost.
        putIfAny(counts, NicCounter.LOSS_PROBE.label(), nic -> nic.core().counter(NicCounter.LOSS_PROBE));
        for (DropReason reason : DropReason.values()) {
            putIfAny(counts, reason.label(), nic -> nic.core().counter(reason));
        }
        for (NetCounter counter : EVENTS) {
            putIfAny(counts, counter.label(), nic -> nic.count(counter));
        }
        return counts;
    }

    private long sum(ToLongFunction<RxeNic> counter) {
        return nics.stream().mapToLong(counter).sum();
    }

    private void putIfAny(Map<String, Long> counts, String label, ToLongFunction<RxeNic> counter) {
        long count = sum(counter);
        if (count != 0) {
            counts.put(label, count);
        }
    }
}
