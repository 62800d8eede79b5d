package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fuzz.Corpus;
import io.rxe.fuzz.FuzzTarget;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Replay of the fuzz corpus of the GRO splitter")
class GroSplitterCorpusTest {
    @Test
    void everyInputKeepsTheInvariants() throws IOException {
        FuzzTarget target = new GroSplitterFuzz();
        int seeds = target.seeds().size();
        assertTrue(seeds > 0 && Corpus.replay("gro", target) > seeds, "gro has no corpus");
    }
}
