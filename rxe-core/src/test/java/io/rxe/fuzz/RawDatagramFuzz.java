package io.rxe.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Datagrams as they are, over IPv6: without a right ICRC each is dropped once and changes nothing (rule R16).
 *
 * <p>An input is a list of: queue pair as in {@link DatagramFuzz}, length (2), bytes.
 */
final class RawDatagramFuzz implements FuzzTarget {
    private static final Gid OWN = Gid.parse("fd99::2");
    private static final Gid PEER = Gid.parse("fd99::3");
    private static final int SEED_FRAMES = 4;
    private static final int LONGEST = 9000;

    @Override
    public void run(byte[] bytes) {
        OpenNic nic = new OpenNic(OWN, PEER);
        FuzzInput input = new FuzzInput(bytes);
        long dropsBefore = nic.dropped();
        int count = 0;
        boolean sealed = false;
        while (input.hasMore()) {
            int target = input.next() & 7;
            byte[] datagram = input.take(input.nextShort() % LONGEST);
            if (datagram.length >= HeaderValidator.MIN_LENGTH) {
                DatagramFuzz.aim(nic, new UnsafeBuffer(datagram), target);
            }
            sealed |= nic.isSealed(datagram);
            nic.receive(datagram, PEER, false);
            count++;
        }
        if (!sealed) {
            assertEquals(count, nic.dropped() - dropsBefore, "datagrams dropped");
            nic.expectNothingHappened();
        }
        nic.close();
    }

    @Override
    public List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (String name : GoldenCaptures.names()) {
            FuzzInput.Writer seed = new FuzzInput.Writer();
            for (GoldenFrame frame : GoldenCaptures.open(name).stream().limit(SEED_FRAMES).toList()) {
                byte[] packet = frame.packet();
                seed.add(7).addShort(packet.length).addBytes(packet);
            }
            seeds.add(seed.toBytes());
        }
        return seeds;
    }
}
