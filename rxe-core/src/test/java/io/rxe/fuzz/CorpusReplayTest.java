package io.rxe.fuzz;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Replay of the fuzz corpora of rxe-core")
class CorpusReplayTest {
    static Stream<Map.Entry<String, FuzzTarget>> targets() {
        return Map.of("datagram", new DatagramFuzz(), "raw-datagram", new RawDatagramFuzz(), "connection", new ConnectionFuzz(), "capture",
            new CaptureFuzz()).entrySet().stream();
    }

    @ParameterizedTest
    @MethodSource("targets")
    void everyInputKeepsTheInvariants(Map.Entry<String, FuzzTarget> target) throws IOException {
        int seeds = target.getValue().seeds().size();
        assertTrue(seeds > 0 && Corpus.replay(target.getKey(), target.getValue()) > seeds, target.getKey() + " has no corpus");
    }
}
