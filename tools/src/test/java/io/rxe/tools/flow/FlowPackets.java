package io.rxe.tools.flow;

import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;

/** Packets for tests. */
final class FlowPackets {
    private FlowPackets() {
    }

    /** A packet that its sender sends once. */
    static FlowPacket once(String name, long timeNs, Gid source, Gid destination, Opcode opcode, int qpn, int psn, boolean ackRequested,
                           int syndrome, int payloadBytes, long requestBytes, int sourceQpn, String invalidReason, String management,
                           String refusal, boolean migrating, String gaps) {
        return new FlowPacket(name, timeNs, source, destination, opcode, qpn, psn, ackRequested, syndrome, payloadBytes, requestBytes,
            sourceQpn, invalidReason, management, refusal, migrating, gaps, false, FlowPacket.Details.NONE);
    }
}
