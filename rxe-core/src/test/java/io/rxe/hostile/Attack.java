package io.rxe.hostile;

import io.rxe.golden.GoldenFrame;
import io.rxe.wire.HeaderField;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Turns a frame between two kernel peers into a datagram for the {@link Victim}.
 *
 * @param aim       destination queue pair.
 * @param psnAhead  distance of its PSN from the expected one.
 * @param withKeys  whether remote key and queue key are those of the victim, and the address is in or near its region.
 * @param edits     bytes to overwrite.
 * @param cutBytes  bytes to cut off the end; negative = bytes to append.
 */
record Attack(GoldenFrame frame, Aim aim, int psnAhead, boolean withKeys, List<Edit> edits, int cutBytes) {
    /** Queue pairs a datagram can be sent to. */
    enum Aim {
        SAME_TRANSPORT, RELIABLE, UNRELIABLE, DATAGRAMS, MANAGEMENT, MULTICAST, AS_CAPTURED;

        private int number(Victim victim, GoldenFrame frame) {
            return switch (this) {
                case SAME_TRANSPORT -> of(frame.opcode()).number(victim, frame);
                case RELIABLE -> victim.reliable.number();
                case UNRELIABLE -> victim.unreliable.number();
                case DATAGRAMS -> victim.datagrams.number();
                case MANAGEMENT -> 1;
                case MULTICAST -> 0xFF_FFFF;
                case AS_CAPTURED -> frame.destinationQpn();
            };
        }

        private static Aim of(Opcode opcode) {
            if (opcode == null) {
                return AS_CAPTURED;
            }
            return switch (opcode.transport()) {
                case RC -> RELIABLE;
                case UC -> UNRELIABLE;
                default -> DATAGRAMS;
            };
        }
    }

    /** A byte to overwrite, at a position modulo the length of the datagram. */
    record Edit(int position, byte value) {
    }

    /** Returns the datagram; its ICRC is not yet right. */
    byte[] bytes(Victim victim, int psn) {
        UnsafeBuffer packet = new UnsafeBuffer(frame.packet());
        HeaderField.BTH_QPN.set(packet, 0, aim.number(victim, frame));
        if (aim != Aim.AS_CAPTURED) {
            HeaderField.BTH_PSN.set(packet, 0, psn + psnAhead & 0xFF_FFFF);
        }
        Opcode opcode = frame.opcode();
        if (withKeys && opcode != null && packet.capacity() >= opcode.headerLength() + Icrc.LENGTH) {
            openDoors(packet, opcode, victim);
        }
        for (Edit edit : edits) {
            packet.putByte(edit.position % packet.capacity(), edit.value);
        }
        return Arrays.copyOf(packet.byteArray(), Math.max(0, packet.capacity() - cutBytes));
    }

    /** Sets keys and an address inside the region or at its ends. */
    private void openDoors(UnsafeBuffer packet, Opcode opcode, Victim victim) {
        long address = victim.region.address() + (psnAhead < 0 ? -8 : psnAhead * 16_384L);
        if (opcode.rethOffset() >= 0) {
            HeaderField.RETH_KEY.set(packet, opcode.rethOffset(), victim.region.rKey());
            HeaderField.RETH_ADDRESS.set(packet, opcode.rethOffset(), address);
        }
        if (opcode.atomicEthOffset() >= 0) {
            HeaderField.ATOMIC_KEY.set(packet, opcode.atomicEthOffset(), victim.region.rKey());
            HeaderField.ATOMIC_ADDRESS.set(packet, opcode.atomicEthOffset(), address);
        }
        if (opcode.dethOffset() >= 0) {
            HeaderField.DETH_KEY.set(packet, opcode.dethOffset(), Victim.QUEUE_KEY);
        }
    }
}
