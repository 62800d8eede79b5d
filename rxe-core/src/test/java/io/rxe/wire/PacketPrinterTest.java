package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PacketPrinterTest {
    @Test
    void aRequestShowsItsFlagsAndRemoteMemory() {
        assertEquals("RC_RDMA_WRITE_ONLY qpn 0x11 psn 000000 AckReq va 0x7f0000001000 rkey 0x00001234 len 5 payload 5",
            print("0a30ffff000000118000000000007f0000001000000012340000000568656c6c6f00000058e49288"));
        assertEquals("RC_SEND_ONLY_WITH_IMMEDIATE qpn 0x12 psn 0000ff SE imm 0xdeadbeef payload 1",
            print("05b0ffff00000012000000ffdeadbeef0100000000000000"));
        assertEquals("RC_SEND_LAST_WITH_INVALIDATE qpn 0x12 psn 0000ff invalidate 0x00000abc payload 0",
            print("1600ffff00000012000000ff00000abc00000000"));
        assertEquals("UD_SEND_ONLY qpn 0x14 psn 000003 qkey 0x11111111 srcqpn 0x13 payload 4",
            print("6400ffff0000001400000003111111110000001370696e675299fd5a"));
    }

    @Test
    void atomicsShowTheirOperands() {
        assertEquals("RC_FETCH_ADD qpn 0x11 psn 000002 AckReq va 0x7f0000002000 rkey 0x00001234 add 0x1 compare 0x0 payload 0",
            print("1400ffff000000118000000200007f00000020000000123400000000000000010000000000000000" + "83a6ed41"));
        assertEquals("RC_COMPARE_SWAP qpn 0x11 psn 000002 va 0x1000 rkey 0x00001234 swap 0xff compare 0x2 payload 0",
            print("1300ffff0000001100000002000000000000100000001234" + "00000000000000ff0000000000000002" + "00000000"));
    }

    @Test
    @DisplayName("X2: the bytes of XRC packets as the specification's annex on XRC lays them out")
    void xrcPacketsShowTheSharedReceiveQueue() {
        assertEquals("XRC_SEND_ONLY qpn 0x11 psn 000003 AckReq srqn 0xabcdef payload 5",
            print("a430ffff0000001180000003" + "00abcdef" + "68656c6c6f000000" + "00000000"));
        assertEquals("XRC_SEND_LAST_WITH_INVALIDATE qpn 0x11 psn 000003 srqn 0x1 invalidate 0x00000abc payload 0",
            print("b600ffff0000001100000003" + "ff000001" + "00000abc" + "00000000"));
        assertEquals("XRC_RDMA_WRITE_ONLY_WITH_IMMEDIATE qpn 0x11 psn 000004 srqn 0x12 va 0x7f0000001000 rkey 0x00001234 len 4"
                + " imm 0xdeadbeef payload 4",
            print("ab00ffff0000001100000004" + "00000012" + "00007f0000001000" + "00001234" + "00000004" + "deadbeef" + "70696e67"
                + "00000000"));
        assertEquals("XRC_RDMA_READ_REQUEST qpn 0x11 psn 000005 AckReq srqn 0x12 va 0x1000 rkey 0x00001234 len 4096 payload 0",
            print("ac00ffff0000001180000005" + "00000012" + "0000000000001000" + "00001234" + "00001000" + "00000000"));
        assertEquals("XRC_COMPARE_SWAP qpn 0x11 psn 000006 srqn 0x12 va 0x1000 rkey 0x00001234 swap 0xff compare 0x2 payload 0",
            print("b300ffff0000001100000006" + "00000012" + "0000000000001000" + "00001234" + "00000000000000ff" + "0000000000000002"
                + "00000000"));
        assertEquals("XRC_FETCH_ADD qpn 0x11 psn 000007 srqn 0x12 va 0x1000 rkey 0x00001234 add 0xff compare 0x0 payload 0",
            print("b400ffff0000001100000007" + "00000012" + "0000000000001000" + "00001234" + "00000000000000ff" + "0000000000000000"
                + "00000000"));
        assertEquals("XRC_FLUSH qpn 0x11 psn 000008 AckReq srqn 0x12 plt 2 sel 1 va 0x1000 rkey 0x00001234 len 4096 payload 0",
            print("bc00ffff0000001180000008" + "00000012" + "00000012" + "0000000000001000" + "00001234" + "00001000" + "00000000"));
        assertEquals("XRC_ATOMIC_WRITE qpn 0x11 psn 000009 AckReq srqn 0x12 va 0x1000 rkey 0x00001234 len 8 payload 8",
            print("bd00ffff0000001180000009" + "00000012" + "0000000000001000" + "00001234" + "00000008" + "0102030405060708"
                + "00000000"));
        assertEquals("XRC_ACKNOWLEDGE qpn 0x10 psn 000004 ACK msn 2 payload 0",
            print("b100ffff0000001000000004" + "1f000002" + "00000000"));
        assertEquals("XRC_RDMA_READ_RESPONSE_ONLY qpn 0x10 psn 000005 ACK msn 3 payload 4",
            print("b000ffff0000001000000005" + "1f000003" + "70696e67" + "00000000"));
    }

    @Test
    void aResponseShowsSyndromeAndMsn() {
        assertEquals("RC_ACKNOWLEDGE qpn 0x12 psn ffffff ACK msn 1 payload 0", print("1100ffff0000001200ffffff1f000001e2b5f425"));
        assertEquals("RC_ACKNOWLEDGE qpn 0x12 psn ffffff RNR NAK timer 12 msn 16777215 payload 0",
            print("1100ffff0000001200ffffff2cffffffe2b5f425"));
        assertEquals("RC_ATOMIC_ACKNOWLEDGE qpn 0x12 psn 000001 ACK msn 1 original 0x2a payload 0",
            print("1200ffff00000012000000011f000001000000000000002a00000000"));
    }

    @Test
    @DisplayName("G1 G2 the mark and a gap report in words; what is none is a payload")
    void gapReportsArePrinted() {
        assertEquals("RC_ACKNOWLEDGE qpn 0x12 psn 00000f mark ACK msn 1 gaps 000010+3, 000020+1; end 000042; 2 duplicates; room 4096",
            print("1100ffff000000120100000f1f000001" + "01020000" + "00000042" + "00000002" + "00001000" + "0000001000000003"
                + "0000002000000001" + "e2b5f425"));
        assertEquals("XRC_ACKNOWLEDGE qpn 0x12 psn 00000f mark ACK msn 1 gaps none; end 000010; 4294967295 duplicates; room 0",
            print("b100ffff000000120100000f1f000001" + "01000000" + "00000010" + "ffffffff" + "00000000" + "e2b5f425"));
        assertEquals("RC_ACKNOWLEDGE qpn 0x12 psn 00000f ACK msn 1 payload 16 (no gap report)",
            print("1100ffff000000120000000f1f000001" + "02000000" + "00000010" + "00000000" + "00000000" + "e2b5f425"));
    }

    @Test
    @DisplayName("G10 when a request or a READ response left, by its clock modulo 33,554 us")
    void sendTimesArePrinted() {
        assertEquals("RC_SEND_ONLY qpn 0x12 psn 000001 mark sent at 0 us payload 0", print("0400ffff20000012010000010badcafe"));
        assertEquals("RC_SEND_ONLY qpn 0x12 psn 000001 mark sent at 33521 us payload 0", print("0400ffff3f0000127d0000010badcafe"));
        assertEquals("RC_SEND_ONLY qpn 0x12 psn 000001 payload 0", print("0400ffff3f0000127c0000010badcafe"));
        assertEquals("RC_RDMA_READ_REQUEST qpn 0x12 psn 000001 mark sent at 33521 us va 0x1000 rkey 0x00000007 len 8 payload 0",
            print("0c00ffff3f0000127d000001" + "0000000000001000" + "00000007" + "00000008" + "0badcafe"));
        assertEquals("RC_RDMA_READ_RESPONSE_MIDDLE qpn 0x12 psn 000001 mark sent at 33521 us payload 0",
            print("0e00ffff3f0000127d000001" + "0badcafe"));
    }

    @Test
    @DisplayName("G10 how long the request of a READ response waited")
    void waitsOfRequestsArePrinted() {
        assertEquals("RC_RDMA_READ_RESPONSE_ONLY qpn 0x12 psn 000001 mark host delay 16 us request waited 49 us ACK msn 1 payload 0",
            print("1000ffff0400001205000001" + "1f000001" + "0badcafe"));
    }

    @Test
    void unusualHeaderValuesArePrinted() {
        assertEquals("RC_SEND_ONLY qpn 0x12 psn 000001 FECN BECN pkey 7fff payload 0", print("04007fffc0000012000000010badcafe"));
        assertEquals("RC_SEND_ONLY qpn 0x12 psn 000001 tver 1 payload 0 (unsupported_transport_version)",
            print("0401ffff00000012000000010badcafe"));
    }

    @Test
    void theVerboseFormHasEveryField() {
        UnsafeBuffer ack = Hex.buffer("1100ffff0000001200ffffff1f000001e2b5f425");
        assertEquals("RC_ACKNOWLEDGE qpn 0x12 psn ffffff pkey ffff migreq 0 pad 0 tver 0 ACK msn 1 payload 0 icrc 25f4b5e2",
            PacketText.verbose(ack, 0, ack.capacity()));
    }

    @Test
    void malformedPacketsArePrintedWithTheReason() {
        assertEquals("datagram_too_short length 3", print("040000"));
        assertEquals("opcode 0x82 qpn 0x118 psn 000000 BECN length 16 (unknown_opcode)",
            print("8200ffff400001180000000082fd002a"));
        assertEquals("CNP qpn 0x118 psn 000000 BECN length 16 (headers_truncated)", print("8100ffff400001180000000082fd002a"));
        assertEquals("RC_ACKNOWLEDGE qpn 0x12 psn 000001 length 16 (headers_truncated)",
            print("1100ffff00000012000000010badcafe"));
        assertEquals("RC_FLUSH qpn 0x12 psn 000001 plt 2 sel 1 va 0x1 rkey 0x00000002 len 3 payload 0",
            print("1c00ffff00000012000000010000001200000000000000010000000200000003" + "00000000"));
        assertEquals("RC_SEND_ONLY qpn 0x12 psn 000001 payload -3 (bad_padding)", print("0430ffff00000012000000010badcafe"));
    }

    private static String print(String hex) {
        UnsafeBuffer buffer = Hex.buffer(hex);
        return PacketText.of(buffer, 0, buffer.capacity());
    }
}
