package io.rxe.qp.send;

import io.rxe.qp.congestion.CongestionControl;
import io.rxe.qp.congestion.Pacer;
import io.rxe.verbs.CongestionOptions;

/**
 * The peer send window: shares what a {@link CongestionControl} allows on a path among the queue pairs of an engine that send to one peer,
 * or have READ responses sent by it: {@link Peers}. Many queue pairs could otherwise overflow a queue that each alone would not fill.
 *
 * <pre>
 *   room:      every queue pair sends
 *   no room:   waiting [ C | D | E ]  --(packets of A are acknowledged)-->  C gets a grant, then queues again behind E
 * </pre>
 *
 * <p>A grant is 128 KiB, or an eighth of a smaller window, or what the {@link Pacer} lets leave at once, but never less than half of what
 * the next request brings: that would overflow a small window. Who got more than usual lets others go first as often. Retransmissions wait
 * for room as well.
 *
 * <p>A dead queue pair must not block live ones. The peer ignores a queue pair if two round trips after its last packet, other than those
 * that repeat what was lost, only others, which sent at about that time or later, have been answered. Nothing of it is in flight any more
 * then, or little. Until it is answered, it sends a request each time that a timer expires, or, as it may have none, after a while. The
 * first three count, and what is lost of them, since a queue that overflows may lose one packet of a queue pair again and again. Later
 * ones need no room.
 *
 * <p>If no acknowledgement arrives for 50 ms and four round trips while a queue pair waits, those that have filled the window may be dead,
 * or the path, or the peer. Then each that waits sends a request without room: a live one is answered, and the retries of all run out at
 * the same time, not one after the other. Before the first answer of the peer, everything in flight is written off instead, for a second.
 *
 * <p>Owned by the engine thread.
 */
public final class PeerSendWindow {
    /** What a queue pair may send at a time while others wait, unless the window is small: a few batches. */
    static final int GRANT_BYTES = 128 * 1024;
    /** What a packet takes of a socket buffer beside its payload. */
    static final int PACKET_BYTES = 512;

    private final int packetBytes;
    private final CongestionControl window;
    private final Pacer pacer;
    private final GrantQueue<Share> waiting = new GrantQueue<>();
    private long bytes;
    /** Grants that are not used up. */
    private long grantedBytes;
    private long writtenOffNs = Long.MIN_VALUE / 2;
    private final PeerAnswers answers;
    /** The time of the last call. */
    private long nowNs;
    /** The first that waits does so for the time of the next batch. */
    private boolean paced;
    /** When that leaves, as far as the first that waits knows. */
    private long knownNs;
    private int epoch;
    private int shares;

    /**
     * @param congestion  which controller it has, and how that is set.
     * @param bufferBytes of it on a path that holds nothing itself.
     * @param mostBytes   of it on any path.
     * @param answers     of the peer, to whatever it was sent.
     * @param mtu         payload bytes of a full packet.
     */
    PeerSendWindow(CongestionOptions congestion, long bufferBytes, long mostBytes, PeerAnswers answers, int mtu) {
        this.packetBytes = mtu + PACKET_BYTES;
        this.window = CongestionControl.of(congestion, bufferBytes, mostBytes, packetBytes);
        this.pacer = new Pacer(window);
        this.answers = answers;
    }

    private boolean hasRoom(long more) {
        return bytes + grantedBytes + more <= window.windowBytes();
    }

    /** Whether what has left lately leaves no room at the rate of the path. */
    private boolean isPaced() {
        pacer.forgive(nowNs + window.staleNs());
        paced = !pacer.isOpen(grantedBytes, nowNs);
        return paced;
    }

    /** Returns whether a queue pair got a grant, which schedules it. */
    private boolean grantWaiting() {
        boolean isAny = false;
        boolean isKnown = paced;
        paced = false;
        while (!waiting.isEmpty() && (bytes + grantedBytes <= 0 || hasRoom(waiting.peek().turnBytes())) && !isPaced()) {
            Share next = waiting.poll();
            long usual = next.usualBytes();
            long grant = next.grantBytes(usual);
            if (next.passes(usual, grant, waiting.isEmpty())) {
                waiting.add(next);
            } else {
                next.grant(grant);
                isAny = true;
            }
        }
        if (isAny || !isKnown || pacer.opensNs() < knownNs - window.batchNs() / 2) {
            tellFirst();
        }
        return isAny;
    }

    /** Who is now the first that waits has to know when the next batch leaves, or that it leaves much sooner than it was to. */
    private void tellFirst() {
        if (paced && !waiting.isEmpty()) {
            knownNs = pacer.opensNs();
            waiting.peek().onGrant.run();
        }
    }

    /** Before the first answer, as much could leave again and again: it counts as lost. Others that wait do not write it off again. */
    private void writeOff() {
        writtenOffNs = nowNs;
        window.onLost(Math.max(1, bytes / packetBytes), bytes);
        bytes = 0;
        grantedBytes = 0;
        epoch++;
    }

    /** A queue pair begins to use it. See {@link Peers#join}. */
    Share join(int mtu, Runnable onGrant) {
        shares++;
        return new Share(mtu, onGrant);
    }

    /** One queue pair's share of the window. */
    public final class Share extends GrantQueue.Entry<Share> {
        private final int fullPacketBytes;
        private final Runnable onGrant;
        private int ownEpoch = epoch;
        private long ownPackets;
        private long ownBytes;
        private long grantLeftBytes;
        private boolean queued;
        private boolean left;
        private long waitingSinceNs;
        private final Neglect neglect = new Neglect();
        /** What {@link PeerAnswers#onSent} returned last. */
        private long answersBefore = PeerAnswers.NOT_SENT;
        private long flyingPackets;
        /** About when it was settled last: a deadline that follows is not moved with each poll. */
        private long settledNs;
        /** What the next request brings, with all of its responses if it is a READ. */
        private long wantedBytes;

        private Share(int mtu, Runnable onGrant) {
            this.fullPacketBytes = mtu + PACKET_BYTES;
            this.onGrant = onGrant;
        }

        private long usualBytes() {
            return Math.max(fullPacketBytes, Math.min(GRANT_BYTES, Math.min(window.windowBytes() / 8, pacer.batchBytes())));
        }

        private long grantBytes(long usual) {
            return 2 * usual >= wantedBytes ? usual : wantedBytes;
        }

        /** What it or, if it passes, about the next one takes. */
        private long turnBytes() {
            long usual = usualBytes();
            return isAhead() ? usual : neededBytes(grantBytes(usual));
        }

        /** Of more than a usual grant, as a READ brings, half has to fit: windows that hold few requests are equally full then. */
        private long neededBytes(long grant) {
            return grant > fullPacketBytes ? Math.min(grant, (grant + usualBytes()) / 2) : grant;
        }

        /** Whether packets may be sent now. If not, the queue pair waits for a grant. Any number may when nothing is in flight. */
        public boolean claim(long packets, long now) {
            nowNs = now;
            if (neglect.isIgnored() && (neglect.isGivenUp() || !neglect.mayTry())) {
                return neglect.mayTry();
            }
            long bytesNow = packets * fullPacketBytes;
            // It may wait with a larger request than this one.
            boolean isSmaller = queued && bytesNow < wantedBytes && waiting.peek() == this;
            wantedBytes = bytesNow;
            if (grantLeftBytes > 0 || (waiting.isEmpty() || isSmaller) && (hasRoom(neededBytes(wantedBytes)) || bytes <= 0) && !isPaced()) {
                if (isSmaller) {
                    queued = false;
                    waiting.poll();
                }
                return true;
            }
            window.onFilled();
            if (!queued) {
                queued = true;
                waitingSinceNs = nowNs;
                waiting.add(this);
            }
            if (isFirst()) {
                knownNs = pacer.opensNs();
            }
            return false;
        }

        /** Whether the next packet may be the last before an acknowledgement makes room, so that it has to request one. */
        public boolean isLast() {
            return grantLeftBytes > 0 ? grantLeftBytes <= fullPacketBytes : !waiting.isEmpty() || !hasRoom(2L * fullPacketBytes);
        }

        /** Whether every packet has to request an acknowledgement, as nothing is sent before one. */
        boolean isIgnored() {
            return neglect.isIgnored();
        }

        /** Whether this queue pair has most of what is in flight, or all of what may be. */
        boolean isMost() {
            return 2 * ownBytes >= Math.min(bytes, window.windowBytes());
        }

        /** Whether other queue pairs wait for a grant. */
        boolean doOthersWait() {
            return waiting.size() > (queued ? 1 : 0);
        }

        /** Full packets that all queue pairs together may have in flight now. */
        public long windowPackets() {
            return window.windowBytes() / fullPacketBytes;
        }

        /** Payload bytes that may leave in a second in full packets, of all queue pairs together; 0 where nothing is paced. */
        long payloadBytesPerSecond() {
            return payloadBytes(window.bytesPerSecond());
        }

        /** The same for READ responses. */
        long responsePayloadBytesPerSecond() {
            return payloadBytes(window.responseBytesPerSecond());
        }

        private long payloadBytes(long bytesPerSecond) {
            return bytesPerSecond == CongestionControl.UNPACED ? 0
                : Math.max(1, (long) ((double) bytesPerSecond * (fullPacketBytes - PACKET_BYTES) / fullPacketBytes));
        }

        /** Full packets that the path itself holds, as far as it was measured. */
        long pathPackets() {
            return window.pathBytes() / fullPacketBytes;
        }

        /** A round trip was measured, of which the hosts at both ends may have caused a part. */
        void onSample(long ns, long hostsNs, boolean isExact, long nowNs) {
            answers.onRoundTrip(ns, isExact, nowNs);
            window.onSample(ns, answers.arrivalWait().leastNs(nowNs), hostsNs, isExact, nowNs);
        }

        /** See {@link CongestionControl#onReadSample}. */
        void onReadSample(long ns, long otherWayNs, long waitedNs, long hostNs, boolean isExact, long nowNs) {
            answers.onRoundTrip(ns, isExact, nowNs);
            window.onReadSample(ns, otherWayNs, waitedNs, hostNs, isExact, nowNs);
        }

        /** Packets arrived at the peer, or responses did. */
        void onArrived(long packets, long nowNs) {
            answers.onArrived(nowNs);
            onAnswered();
            window.onArrived(packets * meanBytes(), nowNs);
        }

        /** The peer answered the queue pair. */
        void onAnswered() {
            neglect.onAnswered();
        }

        /** The latest round trip to the peer that any queue pair measured; 0 before the first. */
        long roundTripNs() {
            return answers.roundTripNs();
        }

        /** A round trip may have become so long: see {@link PeerAnswers#onLonger}. */
        void onLonger(long mostNs) {
            answers.onLonger(mostNs);
        }

        /** Whether the peer has answered a queue pair since a time. */
        boolean hasArrivedSince(long ns) {
            return answers.arrivedNs() > ns;
        }

        /** The peer says that routers marked packets. Returns whether that changed anything. */
        boolean onNotified(long now) {
            return window.onNotified(now);
        }

        /** Packets were lost. What a peer ignores was lost in no queue, but for the last try. */
        void onLost(long packets) {
            long counted = neglect.isIgnored() ? Math.min(packets, ownPackets) : packets;
            neglect.onLost();
            if (counted > 0) {
                window.onLost(counted, counted * meanBytes());
            }
        }

        private long meanBytes() {
            return ownPackets > 0 ? ownBytes / ownPackets : fullPacketBytes;
        }

        /** Packets were sent or retransmitted, or READ responses requested. */
        public void sent(long packets, long payloadBytes) {
            synchronize();
            long added = payloadBytes + packets * PACKET_BYTES;
            flyingPackets += packets;
            if (!neglect.isGivenUp()) {
                ownPackets += packets;
                ownBytes += added;
                bytes += added;
            }
            answersBefore = answers.onSent(answersBefore, nowNs);
            neglect.onSent(nowNs);
            useGrant(Math.min(grantLeftBytes, added));
            window.onSent(added, nowNs);
            pacer.onSent(added, nowNs);
        }

        /**
         * Updates what this queue pair has in flight. Room that was freed is granted to the queue pairs that wait.
         *
         * @param packets that are neither acknowledged nor known to be lost.
         * @return whether a queue pair got a grant.
         */
        public boolean settle(long packets, long now) {
            nowNs = now;
            synchronize();
            neglect.onTimers(packets < flyingPackets || nowNs >= neglect.nextTryNs(window.staleNs()));
            flyingPackets = packets;
            settledNs = nowNs - settledNs > window.staleNs() / 2 ? nowNs : settledNs;
            if (packets > 0) {
                neglect.onInFlight(nowNs);
            }
            if ((!neglect.isIgnored() || ownPackets > 0) && answers.isPassedOver(neglect.sentNs(), nowNs)) {
                return leaveOut();
            }
            boolean isStale = queued && nowNs - waitingSinceNs >= window.staleNs();
            if (isStale) {
                waitingSinceNs = nowNs;
            }
            if (packets < ownPackets) {
                keep(packets);
                return grantWaiting();
            }
            if (isStale && nowNs - Math.max(answers.arrivedNs(), writtenOffNs) >= window.staleNs() && bytes + grantedBytes > 0) {
                return unblock();
            }
            return paced && isFirst() && nowNs >= pacer.opensNs() && grantWaiting();
        }

        /** It has waited long, and the peer answers nobody: those who have filled the window may be dead. */
        private boolean unblock() {
            if (answers.roundTripNs() == 0 && !answers.isSilent(window.staleNs(), nowNs)) {
                writeOff();
                return grantWaiting();
            }
            waiting.remove(this);
            grant(grantBytes(fullPacketBytes));
            tellFirst();
            return true;
        }

        /** What it has in flight is not on the path any more. */
        private boolean leaveOut() {
            neglect.begin();
            giveBack();
            return true;
        }

        private void giveBack() {
            bytes -= ownBytes;
            ownBytes = 0;
            ownPackets = 0;
            useGrant(grantLeftBytes);
            if (queued) {
                queued = false;
                waiting.remove(this);
            }
            if (!grantWaiting()) {
                tellFirst();
            }
        }

        /** Which packets remain is not known, so each counts as the mean of all. */
        private void keep(long packets) {
            long kept = ownBytes * packets / ownPackets;
            bytes -= ownBytes - kept;
            ownBytes = kept;
            ownPackets = packets;
        }

        /** The queue pair has nothing more to send for now: returns the rest of its grant. Returns whether another got one. */
        public boolean returnGrant() {
            if (grantLeftBytes > 0) {
                synchronize();
                useGrant(grantLeftBytes);
                return grantWaiting();
            }
            return false;
        }

        /** The queue pair stops sending: gives everything back. */
        public void leave() {
            if (!left) {
                synchronize();
                left = true;
                shares--;
                answers.onLeft(answersBefore);
                giveBack();
            }
        }

        /** When to call {@link #settle} even if nothing happens, or {@link Long#MAX_VALUE}. */
        public long deadlineNs() {
            if (left) {
                return Long.MAX_VALUE;
            }
            if (!queued) {
                boolean mayBeIgnored = ownPackets > 0 && shares > 1 && answers.roundTripNs() > 0;
                return mayBeIgnored ? settledNs + window.staleNs() : neglect.nextTryNs(window.staleNs());
            }
            long staleNs = waitingSinceNs + window.staleNs();
            return paced && isFirst() ? Math.min(staleNs, pacer.opensNs()) : staleNs;
        }

        private boolean isFirst() {
            return waiting.peek() == this;
        }

        /** After a {@link #writeOff} this share starts from zero. */
        private void synchronize() {
            if (ownEpoch != epoch) {
                ownEpoch = epoch;
                ownPackets = 0;
                ownBytes = 0;
                grantLeftBytes = 0;
            }
        }

        private void grant(long grantBytes) {
            queued = false;
            if (!left) {
                synchronize();
                grantLeftBytes = grantBytes;
                grantedBytes += grantLeftBytes;
                onGrant.run();
            }
        }

        private void useGrant(long used) {
            grantLeftBytes -= used;
            grantedBytes -= used;
        }
    }
}
