package io.rxe.tools.pingpong;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fuzz.FuzzInput;
import io.rxe.fuzz.FuzzTarget;
import io.rxe.tools.side.FuzzLink;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** What the peer of a pingpong says over TCP: the first byte chooses our role, the rest arrives as fast as it is read. */
final class PingPongFuzz implements FuzzTarget {
    private static final PingPongAddress OWN = new PingPongAddress(0, 0x11, 0x100, Gid.ofIpv4(0x0A000001));
    private static final int MAX_24_BITS = 0xFF_FFFF;

    @Override
    public void run(byte[] bytes) {
        FuzzInput input = new FuzzInput(bytes);
        int role = input.next();
        PingPongKind kind = PingPongKind.values()[(role >> 1) % PingPongKind.values().length];
        List<PingPongAddress> own = kind.wireAddresses() > 1 ? List.of(OWN, OWN) : List.of(OWN);
        PingPongExchange exchange = new PingPongExchange(new FuzzLink(input, (role & 1) == 0), kind);
        List<PingPongAddress> remote;
        try {
            remote = (role & 1) == 0 ? exchange.asClient(own) : exchange.asServer(own, PingPongFuzz::check);
        } catch (IllegalArgumentException | IOException e) {
            assertTrue(e.getMessage() != null && e.getMessage().chars().allMatch(c -> c >= ' '), "a message with control characters");
            return;
        }
        assertEquals(own.size(), remote.size());
        check(remote);
    }

    /** An address that was read can be connected to, and is written as it was read. */
    private static void check(List<PingPongAddress> remote) {
        for (PingPongAddress address : remote) {
            assertTrue(address.qpn() >= 0 && address.qpn() <= MAX_24_BITS && address.psn() >= 0 && address.psn() <= MAX_24_BITS,
                address::toString);
            if (address.gid() != null && address.lid() >>> 16 == 0) {
                assertEquals(address, PingPongAddress.parse(address.toWire()));
            }
        }
    }

    @Override
    public List<byte[]> seeds() {
        return Stream.of("0000:000011:9a2b3c:00000000000000000000ffff0a000001\0done\0",
            "0000:000011:9a2b3c:fe80000000000000020000fffe000001\0done\0",
            "0001:000000:000000:00000000000000000000000000000000\0").flatMap(text -> Stream.of("\0", "\1", "\2", "\3", "\6", "\7")
            .map(role -> (role + (role.charAt(0) >= 6 ? text.substring(0, 52).repeat(256) : text)).getBytes(US_ASCII))).toList();
    }
}
