package io.rxe.tools;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * The result of a command that ran in the test's process.
 *
 * @param status exit status.
 * @param out    its standard output.
 * @param err    its standard error.
 */
public record Run(int status, String out, String err) {
    /** Runs a command to its end. */
    public static Run of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Run(status, out.toString(), err.toString());
    }

    @Override
    public String toString() {
        return "status " + status + "\n" + out + err;
    }
}
