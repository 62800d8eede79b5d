package io.rxe.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fuzz.Corpus;
import io.rxe.fuzz.FuzzTarget;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Replay of the fuzz corpus of the perftest handshake")
class PerftestCorpusTest {
    @Test
    void everyInputKeepsTheInvariants() throws IOException {
        FuzzTarget target = new PerftestFuzz();
        int seeds = target.seeds().size();
        assertTrue(seeds > 0 && Corpus.replay("perftest", target) > seeds, "perftest has no corpus");
    }
}
