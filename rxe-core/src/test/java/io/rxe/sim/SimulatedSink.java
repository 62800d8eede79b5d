package io.rxe.sim;

import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Icrc;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receives the packets of a NIC and passes them to the network. It is full at random times, for up to 40 us. It draws IP identifications
 * as a kernel does (mostly incremented by one for each destination) or as in a GSO batch.
 */
final class SimulatedSink implements PacketSink {
    /** Receives each committed packet. */
    interface Output {
        void transmit(byte[] bytes, Flow flow, int ipId);
    }

    private static final int OFFSET = 64;
    private static final long GUARD = 0xa5a5a5a5a5a5a5a5L;

    private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
    private final Icrc icrc = new Icrc();
    private final Map<Flow, int[]> lastIds = new HashMap<>();
    private final SeededRandom random;
    private final Output exit;
    private final boolean kernelIpIds;
    private double fullProbability;
    private long fullUntilNs = Long.MIN_VALUE;
    private long nowNs;
    private int gsoId;
    private Flow flow;
    private int length;
    private boolean claimed;
    long commits;
    long refusals;

    SimulatedSink(SeededRandom random, boolean kernelIpIds, double fullProbability, Output exit) {
        this.random = random;
        this.kernelIpIds = kernelIpIds;
        this.fullProbability = fullProbability;
        this.exit = exit;
    }

    /** Called before each poll of the engine. */
    void begin(long now) {
        nowNs = now;
        gsoId = 0;
    }

    void fullProbability(double chance) {
        fullProbability = chance;
        fullUntilNs = Long.MIN_VALUE;
    }

    @Override
    public int claim(Flow newFlow, int lengthBytes) {
        claimed = false;
        if (lengthBytes % 4 != 0 || lengthBytes < 16 || lengthBytes > 4136) {
            throw new SimulationFailure("claim of " + lengthBytes + " bytes: a packet has 16 to 4136 bytes, a multiple of 4");
        }
        if (nowNs < fullUntilNs) {
            refusals++;
            return FULL;
        }
        if (random.chance(fullProbability)) {
            fullUntilNs = nowNs + random.between(0L, 40_000L);
            refusals++;
            return FULL;
        }
        flow = newFlow;
        length = lengthBytes;
        claimed = true;
        buffer.putLong(OFFSET - 8, GUARD);
        buffer.putLong(OFFSET + lengthBytes - Icrc.LENGTH, GUARD);
        return OFFSET;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return buffer;
    }

    @Override
    public void commit() {
        if (!claimed) {
            throw new SimulationFailure("commit without a claim");
        }
        claimed = false;
        commits++;
        if (buffer.getLong(OFFSET - 8) != GUARD || buffer.getLong(OFFSET + length - Icrc.LENGTH) != GUARD) {
            throw new SimulationFailure("the NIC wrote outside the " + length + " bytes it claimed");
        }
        byte[] bytes = new byte[length];
        buffer.getBytes(OFFSET, bytes, 0, length - Icrc.LENGTH);
        exit.transmit(bytes, flow, drawIpId());
    }

    /** Writes the ICRC of a packet, which {@link Output} may have changed. */
    void seal(byte[] bytes, Flow packetFlow, int ipId) {
        UnsafeBuffer packet = new UnsafeBuffer(bytes);
        int covered = bytes.length - Icrc.LENGTH;
        Icrc.write(packet, covered, icrc.compute(packet, 0, covered, packetFlow.icrcSeed(), packetFlow.isIpv4(), ipId));
    }

    private int drawIpId() {
        if (!kernelIpIds) {
            return gsoId++ & 0xFFFF;
        }
        int[] last = lastIds.computeIfAbsent(flow, key -> new int[] {random.bits() & 0xFFFF});
        last[0] = last[0] + (random.chance(0.02) ? random.between(2, 5000) : 1) & 0xFFFF;
        return last[0];
    }
}
