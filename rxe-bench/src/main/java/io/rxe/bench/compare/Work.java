package io.rxe.bench.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is done: a row of the table.
 *
 * @param name   what is done.
 * @param unit   of the figures.
 * @param isTime whether less is better.
 * @param ours   name of our figure.
 * @param others names of the figures of those it is compared with; the best of them counts, in each round by itself.
 * @param goals  ratios to be reached.
 */
public record Work(String name, String unit, boolean isTime, String ours, Map<String, List<String>> others, List<Goal> goals) {
    /** Copies the collections. */
    public Work {
        others = new LinkedHashMap<>(others);
        goals = List.copyOf(goals);
    }

    static Work of(String name, String unit, boolean isTime, String ours) {
        return new Work(name, unit, isTime, ours, Map.of(), List.of());
    }

    /** The same, compared with another one. */
    Work with(String contender, String... figures) {
        Map<String, List<String>> more = new LinkedHashMap<>(others);
        more.put(contender, List.of(figures));
        return new Work(name, unit, isTime, ours, more, goals);
    }

    /** The same, compared with raw sockets: the limit is the better of C and Java in the same round. */
    Work within(List<String> inC, String inJava) {
        List<String> both = new ArrayList<>(inC);
        both.add(inJava);
        return with(Works.LIMIT, both.toArray(String[]::new)).with(PeerJobs.RAW_C, inC.toArray(String[]::new)).with(OwnJobs.RAW, inJava);
    }

    /** The same with one more goal. */
    Work goal(String against, double bound) {
        List<Goal> more = new ArrayList<>(goals);
        more.add(new Goal(against, bound));
        return new Work(name, unit, isTime, ours, others, more);
    }
}
