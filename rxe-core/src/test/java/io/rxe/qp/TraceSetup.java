package io.rxe.qp;

import io.rxe.device.NicConfig;
import io.rxe.port.EcnOptions;
import io.rxe.port.EngineThread;
import io.rxe.port.SameThread;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairState;

/**
 * The starting state of a {@link Trace}: one connected RC queue pair, both directions starting at PSN 0x100, MTU 1024, timeout code
 * 14 (67.1 ms), 3 retries, infinite RNR retries, min RNR timer 12 (0.64 ms), 8 READs and atomics either way, everything allowed.
 */
final class TraceSetup {
    QueuePairState state = QueuePairState.RTS;
    int sendPsn = 0x100;
    int receivePsn = 0x100;
    PathMtu mtu = PathMtu.MTU_1024;
    int timeout = 14;
    int retryCount = 3;
    int rnrRetry = 7;
    int minRnrTimer = 12;
    int maxRdAtomic = 8;
    int maxDestRdAtomic = 8;
    int access = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
    int regionAccess = AccessFlags.ALL;
    int completions = 256;
    int sends = 256;
    int receives = 256;
    int memoryBytes = 1 << 18;
    long reorderBytes = NicConfig.DEFAULT_REORDER_BYTES;
    boolean signalAll;
    boolean rxeRetryCompatibility;
    boolean kernelPeer = true;
    EngineThread thread = SameThread.INLINE;
    boolean twoPorts;
    long keepAliveNs;
    PartitionKeys partitionKeys = PartitionKeys.DEFAULT;
    int partitionKeyIndex;
    EcnOptions ecn = EcnOptions.OFF;
    CongestionOptions congestion = CongestionOptions.DELAY;
    /** Of the queue pair; null for that of the NIC. */
    CongestionOptions ownCongestion;

    TraceSetup in(QueuePairState newState) {
        state = newState;
        return this;
    }

    TraceSetup sendPsn(int psn) {
        sendPsn = psn;
        return this;
    }

    TraceSetup receivePsn(int psn) {
        receivePsn = psn;
        return this;
    }

    TraceSetup mtu(PathMtu newMtu) {
        mtu = newMtu;
        return this;
    }

    TraceSetup timeout(int code) {
        timeout = code;
        return this;
    }

    TraceSetup retryCount(int count) {
        retryCount = count;
        return this;
    }

    TraceSetup rnrRetry(int count) {
        rnrRetry = count;
        return this;
    }

    TraceSetup minRnrTimer(int code) {
        minRnrTimer = code;
        return this;
    }

    TraceSetup maxRdAtomic(int count) {
        maxRdAtomic = count;
        return this;
    }

    TraceSetup maxDestRdAtomic(int count) {
        maxDestRdAtomic = count;
        return this;
    }

    TraceSetup access(int flags) {
        access = flags;
        return this;
    }

    TraceSetup regionAccess(int flags) {
        regionAccess = flags;
        return this;
    }

    TraceSetup completions(int capacity) {
        completions = capacity;
        return this;
    }

    TraceSetup sends(int capacity) {
        sends = capacity;
        return this;
    }

    TraceSetup receives(int capacity) {
        receives = capacity;
        return this;
    }

    TraceSetup memoryBytes(int bytes) {
        memoryBytes = bytes;
        return this;
    }

    TraceSetup reorderBytes(long bytes) {
        reorderBytes = bytes;
        return this;
    }

    TraceSetup signalAll() {
        signalAll = true;
        return this;
    }

    TraceSetup rxeRetryCompatibility() {
        rxeRetryCompatibility = true;
        return this;
    }

    TraceSetup keepAliveNs(long ns) {
        keepAliveNs = ns;
        return this;
    }

    TraceSetup ecn(EcnOptions options) {
        ecn = options;
        return this;
    }

    /** The controllers of the NIC and of the queue pair, which may be null. */
    TraceSetup congestion(CongestionOptions ofNic, CongestionOptions ofQueuePair) {
        congestion = ofNic;
        ownCongestion = ofQueuePair;
        return this;
    }

    /** The peer of this trace violates the protocol (a SEND where a READ was, ...), so rules K1 to K13 are not checked. */
    TraceSetup hostilePeer() {
        kernelPeer = false;
        return this;
    }

    TraceSetup on(EngineThread newThread) {
        thread = newThread;
        return this;
    }

    /** Both sides have a second port, and the peer is none of the kernel's, whose MigReq is always 0. */
    TraceSetup twoPorts() {
        twoPorts = true;
        kernelPeer = false;
        return this;
    }

    /** Our NIC has a P_Key table, and the queue pair one of its P_Keys; the peer is none of the kernel's, which have only 0xFFFF. */
    TraceSetup partition(PartitionKeys table, int index) {
        partitionKeys = table;
        partitionKeyIndex = index;
        kernelPeer = false;
        return this;
    }

    Trace open() {
        return new Trace(this);
    }
}
