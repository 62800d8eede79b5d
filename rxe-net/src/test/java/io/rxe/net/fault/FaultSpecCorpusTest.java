package io.rxe.net.fault;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fuzz.Corpus;
import io.rxe.fuzz.FuzzTarget;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Replay of the fuzz corpus of the fault specification")
class FaultSpecCorpusTest {
    @Test
    void everyInputKeepsTheInvariants() throws IOException {
        FuzzTarget target = new FaultSpecFuzz();
        int seeds = target.seeds().size();
        assertTrue(seeds > 0 && Corpus.replay("fault-spec", target) > seeds, "fault-spec has no corpus");
    }
}
