package io.rxe.tools.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.counters.QueuePairCell;
import io.rxe.net.port.NetCounter;
import io.rxe.wire.DropReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("docs/troubleshooting.md")
class TroubleshootingGuideTest {
    private static final Pattern NAME = Pattern.compile("`([a-z]+(?:_[a-z]+)+|outstanding)`");
    /** Attributes of a queue pair, not counters. */
    private static final Set<String> ATTRIBUTES = Set.of("retry_cnt", "rnr_retry");

    private static Set<String> counters() {
        Set<String> names = new HashSet<>();
        Arrays.stream(NicCounter.values()).forEach(counter -> names.add(counter.label()));
        Arrays.stream(DropReason.values()).forEach(reason -> names.add("drop_" + reason.label()));
        Arrays.stream(NetCounter.values()).forEach(counter -> names.add(counter.label()));
        Arrays.stream(QueuePairCell.values()).forEach(cell -> names.add(cell.label()));
        return names;
    }

    @Test
    void everyCounterItNamesExists() throws IOException {
        Set<String> named = new TreeSet<>();
        Matcher matcher = NAME.matcher(Files.readString(Path.of("..", "docs", "troubleshooting.md")));
        while (matcher.find()) {
            named.add(matcher.group(1));
        }
        assertTrue(named.size() > 25, named.toString());
        named.removeAll(counters());
        named.removeAll(ATTRIBUTES);
        assertEquals(Set.of(), named);
    }
}
