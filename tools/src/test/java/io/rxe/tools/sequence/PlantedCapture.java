package io.rxe.tools.sequence;

import io.rxe.tools.flow.RetransmissionCause;
import io.rxe.wire.Opcode;
import io.rxe.wire.Syndrome;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Captures with one planted cause each, and what the table must say of them. */
enum PlantedCapture {
    TIMEOUT(Set.of(RetransmissionCause.TIMEOUT), "", scene -> {
        traffic(scene, 0, 4).sends(32, 1).after(1100).send(32).after(90).ack(32).after(10);
        traffic(scene, 33, 3);
    }),
    DEAD_PEER(Set.of(RetransmissionCause.TIMEOUT), "", scene -> {
        traffic(scene, 0, 2).send(16).after(67_200).send(16).after(67_200).send(16).after(67_200).send(16);
    }),
    SEQUENCE_NAK(Set.of(RetransmissionCause.SEQUENCE_NAK), "", scene -> {
        traffic(scene, 0, 2).sends(16, 24).after(60).ack(20).after(2).nak(21, Syndrome.PSN_SEQUENCE_ERROR).after(25).sends(21, 19)
            .after(70).ack(39).after(10);
        traffic(scene, 40, 2);
    }),
    SEQUENCE_NAK_SELECTIVE(Set.of(RetransmissionCause.SEQUENCE_NAK), "", scene -> {
        traffic(scene.ours(), 0, 2).sends(16, 24).after(60).nak(21, Syndrome.PSN_SEQUENCE_ERROR).after(25).send(21).after(85).ack(39);
    }),
    SEQUENCE_NAK_AT_THE_RECEIVER(Set.of(RetransmissionCause.SEQUENCE_NAK), "", scene -> {
        traffic(scene, 0, 2).sends(16, 5).sends(22, 6).nak(21, Syndrome.PSN_SEQUENCE_ERROR).after(110).sends(21, 7).ack(27);
    }),
    GAP_REPORT(Set.of(RetransmissionCause.GAP_REPORT), "", scene -> {
        traffic(scene.ours(), 0, 2).sends(16, 24).after(60).report(20, 38, 21, 2, 27, 1, 33, 3).after(25).sends(21, 2).send(27).after(1)
            .sends(33, 3).after(80).ack(39).after(10);
        traffic(scene, 40, 2);
    }),
    GAP_REPORT_TWICE(Set.of(RetransmissionCause.GAP_REPORT), "", scene -> {
        traffic(scene.ours(), 0, 2).sends(16, 8).after(60).report(17, 23, 18, 1).after(25).send(18).after(110).report(17, 24, 18, 1)
            .after(20).send(18).after(90).ack(23);
    }),
    REORDER_TIMER(Set.of(RetransmissionCause.REORDER_TIMER), "", scene -> {
        traffic(scene.ours(), 0, 3).sends(24, 16).after(60).report(27, 36, 28, 1).after(10).report(27, 39, 28, 1).after(400).send(28)
            .after(90).ack(39).after(10);
    }),
    PROBE(Set.of(RetransmissionCause.PROBE), "", scene -> {
        traffic(scene.ours(), 0, 3).sends(24, 4).after(60).ack(26).after(430).send(27).after(95).ack(27).after(10);
        traffic(scene, 28, 2);
    }),
    SHORT_TIMEOUT(Set.of(RetransmissionCause.TIMEOUT), "", scene -> {
        traffic(scene.ours().connect(8), 0, 3).sends(24, 2).after(1020).sends(24, 2).after(60).ack(25).after(10);
    }),
    IMPLIED_NAK(Set.of(RetransmissionCause.IMPLIED_NAK), "", scene -> {
        scene.read(0, 16).after(80).answers(0, 16, true, true).after(30).read(16, 16).after(80).answers(16, 6, true, false)
            .answers(24, 8, false, true).after(20).read(22, 2).after(90).answers(22, 2, true, true).after(30).read(32, 16).after(80)
            .answers(32, 16, true, true);
    }),
    IMPLIED_NAK_BY_ACK(Set.of(RetransmissionCause.IMPLIED_NAK), "", scene -> {
        traffic(scene, 0, 2).read(16, 4).after(2).send(20).after(90).ack(20).after(30).read(16, 4).after(80).answers(16, 4, true, true);
    }),
    RNR(Set.of(RetransmissionCause.RNR), "", scene -> {
        traffic(scene, 0, 3).send(24).after(80).nak(24, Syndrome.rnr(12)).after(700).send(24).after(80).nak(24, Syndrome.rnr(12)).after(700)
            .send(24).after(80).ack(24).after(10);
        traffic(scene, 25, 2);
    }),
    RNR_PIPELINE(Set.of(RetransmissionCause.RNR), "", scene -> {
        traffic(scene, 0, 2).sends(16, 8).after(80).nak(18, Syndrome.rnr(14)).after(1400).sends(18, 6).after(80).ack(23);
    }),
    RNR_OF_A_KERNEL(Set.of(RetransmissionCause.RNR), "", scene -> {
        traffic(scene, 0, 2).sends(16, 8).after(80).nak(18, Syndrome.rnr(14)).after(2).nak(18, Syndrome.PSN_SEQUENCE_ERROR).after(1400)
            .sends(18, 6).after(80).ack(23);
    }),
    IMPLIED_NAK_OF_ATOMICS(Set.of(RetransmissionCause.IMPLIED_NAK), "", scene -> {
        traffic(scene, 0, 2).atomic(16).atomic(17).atomic(18).after(80).atomicAck(16).after(1).atomicAck(18).after(1500).atomic(17)
            .after(80).atomicAck(17);
    }),
    REMOTE_ACCESS(Set.of(), "NAK remote access error (R10)", scene -> {
        traffic(scene, 0, 4).write(32, 1024).after(80).nak(32, Syndrome.REMOTE_ACCESS_ERROR);
    }),
    INVALID_REQUEST(Set.of(), "NAK invalid request (R9)", scene -> {
        traffic(scene, 0, 4).part(Opcode.RC_SEND_FIRST, 32).after(1).part(Opcode.RC_RDMA_WRITE_MIDDLE, 33).after(80)
            .nak(33, Syndrome.INVALID_REQUEST);
    }),
    REMOTE_OPERATION(Set.of(), "NAK remote operational error (R11)", scene -> {
        traffic(scene, 0, 2).send(16).after(80).nak(16, Syndrome.REMOTE_OPERATIONAL_ERROR);
    }),
    DUPLICATE_READ(Set.of(RetransmissionCause.TIMEOUT, RetransmissionCause.REPLAY), "", scene -> {
        scene.read(0, 8).after(20).answers(0, 8, true, true).after(100).read(8, 8).after(20).answers(8, 8, true, true).after(1100)
            .read(8, 8).after(20).answers(8, 8, true, true).after(100).atomic(16).after(20).atomicAck(16).after(1100).atomic(16).after(20)
            .atomicAck(16).after(100).read(17, 8).after(20).answers(17, 8, true, true);
    }),
    CREDITS(Set.of(), "wait for credits (Q15)", scene -> {
        scene.ours();
        int psn = 0;
        for (int round = 0; round < 4; round++) {
            scene.sends(psn, 4).after(80).credits(psn + 1, 2).after(3).credits(psn + 3, 0).after(900).credits(psn + 3, 4).after(20);
            psn += 4;
        }
        scene.sends(psn, 4).after(80).credits(psn + 3, 4);
    }),
    MIGRATION(Set.of(RetransmissionCause.MIGRATION), "", scene -> {
        traffic(scene, 0, 4).sends(32, 4).after(1400).otherPath().sends(32, 4).after(90).ack(35).after(10);
        traffic(scene, 36, 3);
    }),
    KEEP_ALIVE(Set.of(RetransmissionCause.KEEP_ALIVE), "", scene -> {
        traffic(scene, 0, 2).after(900_000).write(15, 0).after(80).ack(15).after(900_000).write(15, 0).after(80).ack(15);
    }),
    COPY(Set.of(RetransmissionCause.COPY), "", scene -> {
        traffic(scene, 0, 2).sends(16, 8).after(40).send(20).after(20).ack(23).after(10);
        traffic(scene, 24, 2);
    }),
    DISORDER(Set.of(RetransmissionCause.DISORDER), "", scene -> {
        traffic(scene, 0, 2).sends(16, 4).sends(21, 3).after(5).send(20).after(20).ack(23).after(10);
        traffic(scene, 24, 2);
    }),
    GHOSTS(Set.of(), "", scene -> {
        traffic(scene, 0, 2).send(0x500000).after(3).ack(0x500000).after(3).nak(0x600000, Syndrome.PSN_SEQUENCE_ERROR).after(3);
        traffic(scene, 16, 2);
    }),
    CONNECTED_AGAIN(Set.of(), "", scene -> {
        traffic(scene, 0x700000, 2).after(10_000);
        traffic(scene, 0x100000, 3);
    }),
    CONNECTED_AGAIN_WITH_LOSS(Set.of(RetransmissionCause.SEQUENCE_NAK), "", scene -> {
        traffic(scene, 0, 2).after(10_000).sends(0x90_0000, 16).after(60).nak(0x90_0004, Syndrome.PSN_SEQUENCE_ERROR).after(20)
            .sends(0x90_0004, 12).after(60).ack(0x90_000F);
    }),
    ONE_SIDE(Set.of(RetransmissionCause.NOT_CAPTURED), "", scene -> scene.sends(0, 32).after(500).sends(20, 12));

    private final Set<RetransmissionCause> causes;
    private final String refusal;
    private final Consumer<Scene> script;

    PlantedCapture(Set<RetransmissionCause> causes, String refusal, Consumer<Scene> script) {
        this.causes = causes;
        this.refusal = refusal;
        this.script = script;
    }

    /** Eight SENDs and their ACK, several times: 8 PSNs each. */
    private static Scene traffic(Scene scene, int firstPsn, int rounds) {
        for (int round = 0; round < rounds; round++) {
            scene.sends(firstPsn + 8 * round, 8).after(80).ack(firstPsn + 8 * round + 7).after(10);
        }
        return scene;
    }

    /** All that must be in the table. */
    Set<RetransmissionCause> causes() {
        return causes;
    }

    /** A refusal or wait that must be in the table; empty if there is none. */
    String refusal() {
        return refusal;
    }

    /** Those that docs/reading.md explains, in its order. */
    static List<PlantedCapture> explained() {
        return List.of(TIMEOUT, SEQUENCE_NAK, GAP_REPORT, IMPLIED_NAK, RNR, REMOTE_ACCESS, INVALID_REQUEST, DUPLICATE_READ, CREDITS,
            MIGRATION);
    }

    void write(Path file) throws IOException {
        try (Scene scene = new Scene(new BufferedOutputStream(Files.newOutputStream(file)))) {
            script.accept(scene);
        }
    }
}
