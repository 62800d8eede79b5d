package io.rxe.cm.exchange;

import io.rxe.port.Entropy;
import io.rxe.time.DeadlineQueue;
import io.rxe.wire.Gid;
import io.rxe.wire.Psn;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.function.Consumer;

/** What all exchanges of a NIC share. Engine thread, but for {@link #counters}, which any thread may read. */
final class ExchangeContext {
    private static final int FIRST_SOURCE_PORT = 32_768;
    private static final int SOURCE_PORTS = 28_232;
    private static final int AMBIGUOUS_PSN = 0xFF_0000;

    private final CmConfig config;
    private final Entropy entropy;
    private final CmCounters counters = new CmCounters();
    private final ExchangeTable<CmExchange> table;
    private final PeerAdmission<CmExchange> admission;
    private final RequestRate requestRate;
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final ArrayDeque<CmExchange> sendQueue = new ArrayDeque<>();
    private final ReplyQueue replies;
    private Consumer<Gid> silentPeers = peer -> { };
    private boolean closing;

    ExchangeContext(CmConfig config, Entropy entropy) {
        this.config = config;
        this.entropy = entropy;
        this.table = new ExchangeTable<>(entropy, Comparator.naturalOrder());
        this.admission = new PeerAdmission<>(config.maxPeerExchanges(), CmExchange::onEvicted);
        this.requestRate = new RequestRate(config.requestsPerSecond());
        this.replies = new ReplyQueue(config.repliesPerSecond(), counters);
    }

    /** Sets who learns of peers that have not replied to a request of this side, which is retransmitted. */
    void silentPeers(Consumer<Gid> listener) {
        silentPeers = listener;
    }

    void onSilence(Gid peer) {
        silentPeers.accept(peer);
    }

    CmConfig config() {
        return config;
    }

    CmCounters counters() {
        return counters;
    }

    ExchangeTable<CmExchange> table() {
        return table;
    }

    /** Bounds the exchanges that peers begin. */
    PeerAdmission<CmExchange> admission() {
        return admission;
    }

    /** Bounds how fast they begin them. */
    RequestRate requestRate() {
        return requestRate;
    }

    /** Exchanges this side began. */
    int ownExchanges() {
        return table.size() - admission.size();
    }

    DeadlineQueue deadlines() {
        return deadlines;
    }

    /** Exchanges whose message is due, oldest first; each at most once. */
    ArrayDeque<CmExchange> sendQueue() {
        return sendQueue;
    }

    ReplyQueue replies() {
        return replies;
    }

    /** The NIC is being closed: exchanges end in a hurry. */
    void closing() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    /** The PSN the peer shall begin with: below 0xFF0000, from where on a keep-alive would be ambiguous (rule T11). */
    int drawPsn() {
        int psn = entropy.nextInt() & Psn.MASK;
        return psn < AMBIGUOUS_PSN ? psn : psn ^ 1 << 23;
    }

    int drawSourcePort() {
        return FIRST_SOURCE_PORT + Integer.remainderUnsigned(entropy.nextInt(), SOURCE_PORTS);
    }

    /** Transaction ID of a message that is not a reply: 64 random bits, which only the receiver can echo. */
    long newTransaction() {
        return (long) entropy.nextInt() << 32 | entropy.nextInt() & 0xFFFF_FFFFL;
    }
}
