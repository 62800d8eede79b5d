package io.rxe.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderField;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;
import net.jqwik.api.statistics.Statistics;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rule R16: no datagram causes an exception, a wrong one changes nothing, and every drop is counted. */
class HostileInputTest {
    private static final List<GoldenFrame> FRAMES = GoldenCaptures.all();
    private static final int MULTICAST = 0xFF_FFFF;
    private static final int LONGEST = 9000;

    @Test
    @DisplayName("R16 all 256 opcodes, all lengths from 0, right and wrong ICRC")
    void everyOpcodeAtEveryLength() {
        Random random = new Random(17);
        for (int code = 0; code < 256; code++) {
            Victim victim = Victim.overIpv4();
            List<Integer> numbers = numbers(victim);
            int count = 0;
            for (int length = 0; length <= 1100; length++) {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                if (length >= Bth.LENGTH) {
                    UnsafeBuffer packet = new UnsafeBuffer(bytes);
                    HeaderField.BTH_OPCODE.set(packet, 0, code);
                    HeaderField.BTH_VERSION.set(packet, 0, 0);
                    HeaderField.BTH_PARTITION_KEY.set(packet, 0, 0xFFFF);
                    HeaderField.BTH_QPN.set(packet, 0, numbers.get(length % numbers.size()));
                    HeaderField.BTH_PSN.set(packet, 0, Victim.PSN + random.nextInt(3));
                }
                for (boolean seal : new boolean[] {false, true}) {
                    victim.receive(bytes, victim.fromPeer, seal);
                    count++;
                    victim.run();
                    victim.revive();
                }
            }
            assertTrue(victim.accepted() + victim.dropped() >= count, "a packet is not counted");
            victim.expectBoundsKept();
        }
    }

    @Property(tries = 2000)
    @Label("R16 random bytes with a wrong ICRC change nothing, each datagram is counted once")
    void noiseChangesNothing(@ForAll("noise") List<byte[]> noise) {
        Victim victim = Victim.overIpv6();
        for (byte[] bytes : noise) {
            if (bytes.length >= Bth.LENGTH) {
                HeaderField.BTH_QPN.set(new UnsafeBuffer(bytes), 0, victim.reliable.number());
            }
            victim.receive(bytes, victim.fromPeer, false);
        }
        assertEquals(noise.size(), victim.dropped());
        victim.expectNothingHappened();
    }

    @Property(tries = 2000)
    @Label("R16 a kernel frame with changed bytes and unchanged ICRC changes nothing")
    void corruptFramesChangeNothing(@ForAll("attacks") List<Attack> attacks) {
        Victim victim = Victim.overIpv6();
        for (Attack attack : attacks) {
            // The ICRC of the captured frame covers other addresses.
            victim.receive(attack.bytes(victim, Victim.PSN), victim.fromPeer, false);
        }
        assertEquals(attacks.size(), victim.dropped());
        victim.expectNothingHappened();
    }

    @Property(tries = 2000)
    @Label("R16 R10 a peer that sends any packet with a right ICRC reaches only the memory of its keys, and the NIC keeps working")
    void thePeerReachesOnlyTheMemoryOfItsKeys(@ForAll("attacks") List<Attack> attacks) {
        Victim victim = Victim.overIpv4();
        int psn = Victim.PSN;
        for (Attack attack : attacks) {
            long before = victim.accepted();
            victim.receive(attack.bytes(victim, psn++), victim.fromPeer, true);
            victim.run();
            Statistics.label("accepted").collect(victim.accepted() > before);
            victim.revive();
        }
        assertTrue(victim.accepted() + victim.dropped() >= attacks.size(), "a packet is not counted");
        victim.expectBoundsKept();
    }

    @Property(tries = 500)
    @Label("R16 a packet from a wrong address is dropped before its ICRC is computed, and not answered")
    void wrongSourceAddressesAreDropped(@ForAll("attacks") List<Attack> attacks) {
        Victim victim = Victim.overIpv4();
        Flow wrongSource = new Flow(Gid.parse("10.0.0.66"), victim.fromPeer.destination(), 0xC000, 4791);
        for (Attack attack : attacks) {
            Attack aimed = new Attack(attack.frame(), Attack.Aim.RELIABLE, attack.psnAhead(), true, attack.edits(), 0);
            victim.receive(aimed.bytes(victim, Victim.PSN), wrongSource, true);
        }
        assertEquals(attacks.size(), victim.dropped());
        assertEquals(0, victim.dropped(DropReason.BAD_ICRC), "the ICRC was computed for a wrong source address");
        victim.expectNothingHappened();
    }

    private static List<Integer> numbers(Victim victim) {
        return List.of(victim.reliable.number(), victim.unreliable.number(), victim.datagrams.number(), 1, MULTICAST);
    }

    @Provide
    Arbitrary<List<byte[]>> noise() {
        return Arbitraries.bytes().array(byte[].class).ofMinSize(0).ofMaxSize(LONGEST)
            .withSizeDistribution(RandomDistribution.biased()).list().ofMinSize(1).ofMaxSize(8);
    }

    @Provide
    Arbitrary<List<Attack>> attacks() {
        Arbitrary<Attack.Aim> aim = Arbitraries.frequencyOf(Tuple.of(4, Arbitraries.just(Attack.Aim.SAME_TRANSPORT)),
            Tuple.of(1, Arbitraries.of(Attack.Aim.class)));
        Arbitrary<Integer> psnAhead = Arbitraries.frequency(Tuple.of(8, 0), Tuple.of(1, 1), Tuple.of(1, -1), Tuple.of(1, 4),
            Tuple.of(1, 1 << 23));
        Arbitrary<Integer> cutBytes = Arbitraries.frequency(Tuple.of(12, 0), Tuple.of(1, 4), Tuple.of(1, 1), Tuple.of(1, -4),
            Tuple.of(1, 40));
        Arbitrary<Attack.Edit> edit = Combinators.combine(Arbitraries.integers().between(0, 80), Arbitraries.bytes()).as(Attack.Edit::new);
        return Combinators.combine(Arbitraries.of(FRAMES), aim, psnAhead, Arbitraries.of(true, true, true, false),
            edit.list().ofMaxSize(2), cutBytes).as(Attack::new).list().ofMinSize(1).ofMaxSize(40);
    }
}
