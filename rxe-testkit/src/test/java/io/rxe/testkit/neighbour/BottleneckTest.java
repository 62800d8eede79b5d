package io.rxe.testkit.neighbour;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BottleneckTest {
    @Test
    @DisplayName("namespaces of a run that has ended are taken away, those of one that lives and of other programs stay")
    void leftNamespaces() {
        // No process has a number beyond 4194304, the largest pid_max.
        String own = "rxe-run-" + ProcessHandle.current().pid() + "-router";
        assertEquals(List.of("rxe-run-4194305-router", "rxe-run-4194305-a"), Stream.of("rxe-run-4194305-router", "rxe-run-4194305-a", own,
            "rxe-peer-4194305", "rxe-run-x-a", "docker-4194305-a").filter(Bottleneck::isLeft).toList());
    }
}
