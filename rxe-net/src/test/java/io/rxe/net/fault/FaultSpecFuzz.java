package io.rxe.net.fault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fuzz.FuzzTarget;
import java.util.List;
import java.util.stream.Stream;

/** Texts of fault options: refused with a sentence, or read, and then what is written of them reads the same. */
final class FaultSpecFuzz implements FuzzTarget {
    @Override
    public void run(byte[] bytes) {
        FaultSpec spec;
        try {
            spec = FaultSpec.parse(new String(bytes, UTF_8));
        } catch (IllegalArgumentException e) {
            assertTrue(e.getClass() == IllegalArgumentException.class && !e.getMessage().isBlank(), e::toString);
            return;
        }
        assertEquals(spec.toString(), FaultSpec.parse(spec.toString()).toString());
    }

    @Override
    public List<byte[]> seeds() {
        return Stream.of("loss 3%", "loss random 0.5% 25%", "delay 100us 10us 25% duplicate 1%", "reorder 5% gap 3 delay 1ms",
            "corrupt .1%", "rate 1gbit limit 100", "rate 10mbps", "loss gemodel 1% 10% 70% 0.1%", "latency 3s", "drop 100")
            .map(text -> text.getBytes(UTF_8)).toList();
    }
}
