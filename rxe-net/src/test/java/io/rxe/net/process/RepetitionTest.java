package io.rxe.net.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Sentences that repeat themselves")
class RepetitionTest {
    private final Repetition repetition = new Repetition();

    @Test
    @DisplayName("of 12,345 alike are said the first ten, and three more that count them")
    void manyAlike() {
        List<String> said = Stream.generate(() -> repetition.toSay("no")).limit(12_345).filter(Objects::nonNull).toList();
        List<String> expected = new ArrayList<>(Stream.generate(() -> "no").limit(10).toList());
        expected.addAll(List.of("no (100 times in a row)", "no (1000 times in a row)", "no (10000 times in a row)"));
        assertEquals(expected, said);
    }

    @Test
    @DisplayName("another sentence between them begins the count anew")
    void others() {
        Stream.generate(() -> repetition.toSay("no")).limit(10).forEach(said -> assertEquals("no", said));
        assertNull(repetition.toSay("no"));
        assertEquals("yes", repetition.toSay("yes"));
        assertEquals("no", repetition.toSay("no"));
    }
}
