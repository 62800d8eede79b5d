package io.rxe.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fuzz.Corpus;
import io.rxe.fuzz.FuzzTarget;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Replay of the fuzz corpus of the pingpong exchange")
class PingPongCorpusTest {
    @Test
    void everyInputKeepsTheInvariants() throws IOException {
        FuzzTarget target = new PingPongFuzz();
        int seeds = target.seeds().size();
        assertTrue(seeds > 0 && Corpus.replay("pingpong", target) > seeds, "pingpong has no corpus");
    }
}
