package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The opcode table of rdma_rxe, and those of XRC and RoCEv2 in the specification's annexes, stated a second time as text. */
class OpcodeTest {
    /** Opcode byte and extension headers in wire order. */
    private static final String TABLE = """
        00 01 02 04 07 08 0e 20 21 22 24 27 28 :
        03 05 09 23 25 29 : ImmDt
        06 0a 0c 26 2a : RETH
        0b 2b : RETH ImmDt
        0d 0f 10 11 : AETH
        12 : AETH AtomicAckETH
        13 14 : AtomicETH
        16 17 : IETH
        1c : FETH RETH
        1d : RETH
        64 : DETH
        65 : DETH ImmDt
        a0 a1 a2 a4 a7 a8 : XRCETH
        a3 a5 a9 : XRCETH ImmDt
        a6 aa ac : XRCETH RETH
        ab : XRCETH RETH ImmDt
        ae :
        ad af b0 b1 : AETH
        b2 : AETH AtomicAckETH
        b3 b4 : XRCETH AtomicETH
        b6 b7 : XRCETH IETH
        bc : XRCETH FETH RETH
        bd : XRCETH RETH
        81 : zeros
        """;

    private static final Map<String, Integer> LENGTHS = Map.of("ImmDt", 4, "RETH", 16, "AETH", 4, "AtomicAckETH", 8,
        "AtomicETH", 28,
        "IETH", 4, "FETH", 4, "DETH", 8, "XRCETH", 4, "zeros", 16);

    @Test
    void everyDefinedOpcodeAndNoOtherIsInTheTable() {
        Map<Integer, List<String>> expected = expectedHeaders();
        for (int code = 0; code < 256; code++) {
            Opcode opcode = Opcode.of(code);
            if (expected.containsKey(code)) {
                assertEquals(code, opcode.code());
            } else {
                assertNull(opcode, "0x" + Integer.toHexString(code));
            }
        }
        assertEquals(expected.size(), Opcode.values().length);
    }

    @Test
    void aLookUpIgnoresBitsAboveTheByte() {
        assertSame(Opcode.RC_ACKNOWLEDGE, Opcode.of(0xFFFF_FF11));
    }

    @Test
    void headersLieBehindEachOtherInWireOrder() {
        expectedHeaders().forEach((code, headers) -> {
            Opcode opcode = Opcode.of(code);
            Map<String, Integer> offsets = offsets(opcode);
            int end = 12;
            for (String header : headers) {
                assertEquals(end, offsets.remove(header), opcode + " " + header);
                end += LENGTHS.get(header);
            }
            offsets.forEach((header, offset) -> assertEquals(-1, offset, opcode + " " + header));
            assertEquals(end, opcode.headerLength(), opcode.name());
        });
    }

    @Test
    void hasSaysWhetherTheOffsetExists() {
        for (Opcode opcode : Opcode.values()) {
            assertEquals(opcode.rethOffset() >= 0, opcode.hasReth());
            assertEquals(opcode.aethOffset() >= 0, opcode.hasAeth());
            assertEquals(opcode.atomicEthOffset() >= 0, opcode.hasAtomicEth());
            assertEquals(opcode.atomicAckEthOffset() >= 0, opcode.hasAtomicAckEth());
            assertEquals(opcode.immDtOffset() >= 0, opcode.hasImmDt());
            assertEquals(opcode.iethOffset() >= 0, opcode.hasIeth());
            assertEquals(opcode.dethOffset() >= 0, opcode.hasDeth());
            assertEquals(opcode.fethOffset() >= 0, opcode.hasFeth());
            assertEquals(opcode.xrcEthOffset() >= 0, opcode.hasXrcEth());
        }
    }

    @Test
    void namesAgreeWithTransportAndPosition() {
        for (Opcode opcode : Opcode.values()) {
            String name = opcode.name();
            assertTrue((name + "_").startsWith(opcode.transport() + "_"));
            assertEquals(opcode.transport().opcodeBits(), opcode.code() & Transport.MASK);
            assertEquals(name.contains("_FIRST"), opcode.isFirst(), name);
            assertEquals(name.contains("_MIDDLE"), opcode.isMiddle(), name);
            assertEquals(name.contains("_LAST"), opcode.isLast(), name);
            boolean onePacket = !opcode.isFirst() && !opcode.isMiddle() && !opcode.isLast();
            assertEquals(onePacket, opcode.isOnly(), name);
            assertEquals(opcode.isFirst() || opcode.isOnly(), opcode.isStart(), name);
            assertEquals(opcode.isLast() || opcode.isOnly(), opcode.isEnd(), name);
            assertEquals(name.contains("WITH_IMMEDIATE"), opcode.hasImmDt(), name);
            assertEquals(name.contains("WITH_INVALIDATE"), opcode.hasIeth(), name);
        }
    }

    @Test
    void namesAgreeWithTheOperation() {
        for (Opcode opcode : Opcode.values()) {
            String name = opcode.name();
            assertEquals(name.contains("_SEND_"), opcode.isSend(), name);
            assertEquals(name.contains("_RDMA_WRITE_"), opcode.isWrite(), name);
            assertEquals(name.contains("READ_REQUEST"), opcode.isReadRequest(), name);
            assertEquals(name.contains("READ_RESPONSE"), opcode.isReadResponse(), name);
            assertEquals(name.endsWith("COMPARE_SWAP") || name.endsWith("FETCH_ADD"), opcode.isAtomic(), name);
            assertEquals(name.endsWith("_ATOMIC_ACKNOWLEDGE"), opcode.isAtomicAck(), name);
            assertEquals(name.endsWith("FETCH_ADD"), opcode.isFetchAdd(), name);
            assertEquals(name.endsWith("RC_ACKNOWLEDGE"), opcode.isAck(), name);
            boolean response = name.contains("RESPONSE") || name.contains("ACKNOWLEDGE") || name.equals("CNP");
            assertEquals(!response, opcode.isRequest(), name);
            boolean payload = opcode.isSend() || opcode.isWrite() || opcode.isReadResponse() || name.endsWith("ATOMIC_WRITE");
            assertEquals(payload, opcode.hasPayload(), name);
        }
    }

    @Test
    @DisplayName("READ, atomics, ATOMIC_WRITE and FLUSH have a response of their own")
    void requestsWithAResponseOfTheirOwn() {
        List<Opcode> own = List.of(Opcode.RC_RDMA_READ_REQUEST, Opcode.RC_COMPARE_SWAP, Opcode.RC_FETCH_ADD, Opcode.RC_FLUSH,
            Opcode.RC_ATOMIC_WRITE, Opcode.XRC_RDMA_READ_REQUEST, Opcode.XRC_COMPARE_SWAP, Opcode.XRC_FETCH_ADD, Opcode.XRC_FLUSH,
            Opcode.XRC_ATOMIC_WRITE);
        for (Opcode opcode : Opcode.values()) {
            assertEquals(own.contains(opcode), opcode.isReadOrAtomic(), opcode.name());
            assertEquals(opcode.name().endsWith("_FLUSH"), opcode.isFlush(), opcode.name());
            assertEquals(opcode.name().endsWith("_ATOMIC_WRITE"), opcode.isAtomicWrite(), opcode.name());
        }
    }

    @Test
    @DisplayName("an XRC opcode is its RC opcode with other transport bits; every request has an XRCETH, no response has one")
    void xrcMirrorsRc() {
        for (Opcode opcode : Opcode.values()) {
            assertEquals(opcode.transport() == Transport.XRC && opcode.isRequest(), opcode.hasXrcEth(), opcode.name());
            if (opcode.transport() == Transport.XRC) {
                Opcode plain = Opcode.of(opcode.code() & ~Transport.MASK);
                assertEquals("X" + plain.name(), opcode.name());
                assertEquals(plain.headerLength() + (opcode.isRequest() ? XrcEth.LENGTH : 0), opcode.headerLength(), opcode.name());
            }
        }
    }

    private static Map<String, Integer> offsets(Opcode opcode) {
        Map<String, Integer> offsets = new TreeMap<>();
        offsets.put("RETH", opcode.rethOffset());
        offsets.put("AETH", opcode.aethOffset());
        offsets.put("AtomicETH", opcode.atomicEthOffset());
        offsets.put("AtomicAckETH", opcode.atomicAckEthOffset());
        offsets.put("ImmDt", opcode.immDtOffset());
        offsets.put("IETH", opcode.iethOffset());
        offsets.put("DETH", opcode.dethOffset());
        offsets.put("FETH", opcode.fethOffset());
        offsets.put("XRCETH", opcode.xrcEthOffset());
        offsets.put("zeros", opcode.isNotification() ? 12 : -1);
        return offsets;
    }

    private static Map<Integer, List<String>> expectedHeaders() {
        Map<Integer, List<String>> expected = new TreeMap<>();
        TABLE.lines().forEach(line -> {
            String[] sides = line.split(":", 2);
            List<String> headers = sides[1].isBlank() ? List.of() : Arrays.asList(sides[1].trim().split(" "));
            for (String code : sides[0].trim().split(" ")) {
                expected.put(Integer.parseInt(code, 16), headers);
            }
        });
        return expected;
    }
}
