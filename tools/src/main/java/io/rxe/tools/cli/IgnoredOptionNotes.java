package io.rxe.tools.cli;

import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.Set;

/** Collects a line for each option that is accepted for compatibility but has no effect. */
public final class IgnoredOptionNotes {
    private final Set<String> lines = new LinkedHashSet<>();

    /**
     * Adds a line, once.
     *
     * @param option as typed.
     * @param why    the reason, a clause such as "RoCE has no service levels".
     */
    public void ignored(String option, String why) {
        lines.add("note: " + option + " does nothing here: " + why);
    }

    /** Prints and clears the lines. */
    public void print(PrintWriter err) {
        lines.forEach(err::println);
        lines.clear();
    }
}
