package io.rxe.tools;

import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.Set;

/** Collects a line for each option that is accepted for the sake of habit but does nothing here. */
public final class Notes {
    private final Set<String> lines = new LinkedHashSet<>();

    /**
     * Adds a line, once.
     *
     * @param option as it is typed.
     * @param why    the reason, a clause such as "RoCE has no service levels".
     */
    public void ignored(String option, String why) {
        lines.add("note: " + option + " does nothing here: " + why);
    }

    /** Prints and forgets them. */
    public void print(PrintWriter err) {
        lines.forEach(err::println);
        lines.clear();
    }
}
