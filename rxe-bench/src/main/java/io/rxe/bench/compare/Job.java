package io.rxe.bench.compare;

import java.util.List;
import java.util.Map;

/**
 * One measurement: a command whose output holds one figure or several.
 *
 * @param contender the program it belongs to, for messages.
 * @param what      what it measures, for messages.
 * @param server    command to be started first and ended afterwards; empty for none.
 * @param serverPort UDP or TCP port that the server opens when it is ready; 0 for a server that opens none.
 * @param command   command that prints the figures.
 * @param reader    finds them.
 */
public record Job(String contender, String what, List<String> server, int serverPort, List<String> command, FigureReader reader) {
    /** Finds figures in what a command printed. */
    @FunctionalInterface
    public interface FigureReader {
        /**
         * Figures by name.
         *
         * @throws IllegalArgumentException when they are not there.
         */
        Map<String, Double> read(String output);
    }

    /** Copies the lists. */
    public Job {
        server = List.copyOf(server);
        command = List.copyOf(command);
    }

    /** A job without a server. */
    static Job of(String contender, String what, List<String> command, FigureReader reader) {
        return new Job(contender, what, List.of(), 0, command, reader);
    }
}
