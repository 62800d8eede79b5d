package io.rxe.tools.cli;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Finds the words the user may have meant: those that differ in few letters. */
public final class NearWords {
    private static final int LETTERS_PER_MISTAKE = 4;
    private static final int MAX_WORDS = 3;

    private NearWords() {
    }

    /** The words that differ from the typed one in about one letter of four, nearest first; empty if nothing is near. */
    public static List<String> of(String typed, Collection<String> words) {
        int most = Math.max(1, (typed.length() + 1) / LETTERS_PER_MISTAKE);
        return words.stream().filter(word -> distance(typed, word) <= most)
            .sorted(Comparator.comparingInt((String word) -> distance(typed, word)).thenComparing(Comparator.naturalOrder()))
            .limit(MAX_WORDS).toList();
    }

    /** Letters to insert, delete, replace or swap (optimal string alignment). */
    static int distance(String one, String other) {
        int[][] costs = new int[one.length() + 1][other.length() + 1];
        Arrays.setAll(costs[0], j -> j);
        for (int i = 1; i <= one.length(); i++) {
            costs[i][0] = i;
            for (int j = 1; j <= other.length(); j++) {
                boolean same = one.charAt(i - 1) == other.charAt(j - 1);
                costs[i][j] = Math.min(costs[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(costs[i - 1][j], costs[i][j - 1]));
                if (i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1)) {
                    costs[i][j] = Math.min(costs[i][j], costs[i - 2][j - 2] + 1);
                }
            }
        }
        return costs[one.length()][other.length()];
    }
}
